/* Serves the resource files that an index lists. The index is polled. If it lists files that are
 * not held yet, these are fetched. When all files are there and match the index, they become the
 * new state.
 *
 *     idle ── due ─► index ── other files ─► fetching ── all there ─► a state ─► idle
 *
 * A publisher writes the files first and the index last. A client that reads in between finds a
 * file that does not match its index. It fetches the index once more before it reports an error. */
#include <stdlib.h>

#include "base/block.h"
#include "base/memory.h"
#include "files/file_server.h"
#include "web/index.h"
#include "web/paths.h"
#include "web/server_internal.h"

/* The most files that are fetched at the same time, as in a browser. */
#define FETCHES_MAX 6u

typedef struct held_file {
  gxds_web_index_file about; /* first; its path is owned, and files are sorted by it */
  const gxds_block *bytes;   /* the contents; NULL: not fetched yet */
  uint64_t fetch;            /* the id of the last request for it; 0: none */
} held_file;

typedef struct file_list {
  held_file *files; /* sorted by path */
  size_t count;
} file_list;

typedef enum phase { IDLE, INDEX, FETCHING } phase;

typedef struct web_files {
  gxds_file_server *server;
  const gxds_file_set *set; /* NULL: no good state yet */
  file_list held;           /* the files of that state */
  file_list fetched; /* files of a later index that did not become a state, as far as they were
                        fetched: they are not fetched again */
  gxds_str etag;     /* the ETag of its index; empty: it had none */

  phase phase;
  uint64_t index_fetch;
  gxds_time due;
  bool repeated;  /* the index is fetched once more */
  bool confirmed; /* a response on this stream has confirmed that the state is the newest */
  bool unsent;    /* was_sent() has to report a request */
  file_list next; /* FETCHING: the files of the new index */
  size_t cursor;  /* the first of `next` that may still have to be fetched */
  size_t on_way;
  size_t missing; /* how many files of `next` are not there yet, including those that are being
                     fetched */
  gxds_str next_etag;
  gxds_str next_version;
  gxds_duration max_age; /* the max-age of the index */
} web_files;

static void clear_list(file_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    gxds_str_free(&l->files[i].about.path);
    gxds_block_unref(l->files[i].bytes);
  }
  gxds_free(l->files);
  *l = (file_list){0};
}

static bool has_fetched_any(const file_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    if (l->files[i].bytes) return true;
  }
  return false;
}

/* Gives up the new index. Keeps the files that were fetched for it: otherwise each stream would
 * fetch all files again while one of them is invalid or can't be fetched. */
static void drop_next(web_files *w) {
  if (has_fetched_any(&w->next)) {
    clear_list(&w->fetched);
    w->fetched = w->next;
    w->next = (file_list){0};
  }
  clear_list(&w->next);
  gxds_str_free(&w->next_etag);
  gxds_str_free(&w->next_version);
  w->index_fetch = 0;
  w->cursor = w->on_way = w->missing = 0;
  w->phase = IDLE;
}

static void open_stream(gxds_web_server *s, gxds_time now) {
  if (!s->state) {
    web_files *made = GXDS_NEW(web_files);
    made->server = gxds_file_server_create(s->server->uri);
    s->state = made;
  }
  web_files *w = s->state;
  gxds_file_server_open(w->server);
  drop_next(w);
  w->confirmed = w->unsent = w->repeated = false;
  w->due = now;
}

static void destroy(gxds_web_server *s) {
  web_files *w = s->state;
  if (!w) return;
  drop_next(w);
  clear_list(&w->held);
  clear_list(&w->fetched);
  gxds_str_free(&w->etag);
  gxds_file_set_unref(w->set);
  gxds_file_server_destroy(w->server);
  gxds_free(w);
}

static void on_request(gxds_web_server *s, gxds_str bytes, gxds_time now) {
  web_files *w = s->state;
  gxds_file_server_on_request(w->server, bytes, now);
  w->unsent = true;
}

/* A57: the timer starts when the files were requested. So the engine's request counts as sent once
 * the state is confirmed, or while a fetch is in progress. */
static bool was_sent(gxds_web_server *s) {
  web_files *w = s->state;
  if (!w->unsent || (!w->confirmed && w->phase == IDLE)) return false;
  w->unsent = false;
  return true;
}

/* ---- what to fetch ---- */

static size_t next_file(const web_files *w) {
  size_t i = w->cursor;
  while (i < w->next.count && w->next.files[i].bytes) i++;
  return i;
}

static bool is_file_due(const web_files *w) {
  return w->on_way < FETCHES_MAX && next_file(w) < w->next.count;
}

static bool fetch_file(gxds_web_server *s, gxds_web_request *out) {
  web_files *w = s->state;
  if (!is_file_due(w)) return false;
  w->cursor = next_file(w);
  held_file *next = &w->next.files[w->cursor++];
  w->on_way++;
  *out = gxds_web_server_new_fetch(s, "/");
  gxds_str_free(&out->path);
  out->path = gxds_str_format("/%.*s", GXDS_STR_ARG(next->about.path));
  out->size_max = next->about.size;
  next->fetch = out->id;
  return true;
}

static bool next_fetch(gxds_web_server *s, gxds_time now, gxds_web_request *out) {
  web_files *w = s->state;
  if (w->phase == FETCHING) return fetch_file(s, out);
  if (w->phase == INDEX || now < w->due) return false;
  *out = gxds_web_server_new_fetch(s, GXDS_WEB_INDEX_PATH);
  out->size_max = GXDS_WEB_INDEX_SIZE_MAX;
  if (w->etag.size && !w->repeated) out->etag = gxds_str_dup(w->etag);
  w->index_fetch = out->id;
  w->phase = INDEX;
  return true;
}

/* ---- responses ---- */

static void end_of_poll(gxds_web_server *s, gxds_time now) {
  web_files *w = s->state;
  const gxds_web_response of_index = {.max_age = w->max_age};
  w->due = gxds_web_server_next_poll(s, &of_index, now);
  w->confirmed = true;
  w->repeated = false;
  drop_next(w);
}

static const held_file *find_in(const file_list *l, const held_file *wanted) {
  if (l->count == 0) return NULL;
  const held_file *held =
      bsearch(wanted, l->files, l->count, sizeof *wanted, gxds_str_compare_items);
  const bool same = held && held->bytes && held->about.size == wanted->about.size &&
                    memcmp(held->about.sha256, wanted->about.sha256, GXDS_SHA256_SIZE) == 0;
  return same ? held : NULL;
}

static const held_file *find_held(const web_files *w, const held_file *wanted) {
  const held_file *held = find_in(&w->held, wanted);
  return held ? held : find_in(&w->fetched, wanted);
}

/* Takes the files of the index as `next`. Files that are held already are not fetched again. */
static void take_index(web_files *w, gxds_web_index *index) {
  w->next.files = gxds_calloc(index->count, sizeof *w->next.files);
  w->next.count = w->missing = index->count;
  for (size_t i = 0; i < index->count; i++) {
    held_file *f = &w->next.files[i];
    f->about = index->files[i];
    index->files[i].path = gxds_str_of(NULL, 0);
    const held_file *held = find_held(w, f);
    if (!held) continue;
    f->bytes = gxds_block_ref(held->bytes);
    w->missing--;
  }
  if (w->next.count) qsort(w->next.files, w->next.count, sizeof(held_file), gxds_str_compare_items);
}

static void apply(gxds_web_server *s, gxds_time now);

static void on_index(gxds_web_server *s, const gxds_web_response *response, gxds_time now) {
  web_files *w = s->state;
  const gxds_str path = gxds_str_z(GXDS_WEB_INDEX_PATH);
  w->index_fetch = 0;
  w->phase = IDLE;
  w->max_age = response->max_age;
  const bool may_be_unchanged = w->set && w->etag.size && !w->repeated;
  if (!gxds_web_server_is_good(s, path, response, may_be_unchanged)) return;
  if (response->code == 304) {
    end_of_poll(s, now);
    return;
  }
  gxds_web_index index;
  gxds_errors errors = {0};
  if (!gxds_web_index_read(response->body, &index, &errors)) {
    gxds_status status = gxds_errors_status(&errors, "is no index of resource files");
    gxds_web_server_end(s, path, "%.*s", GXDS_STR_ARG(status.message));
    gxds_status_fini(&status);
    gxds_errors_fini(&errors);
    return;
  }
  gxds_str_set(&w->next_etag, response->etag);
  gxds_str_set(&w->next_version, index.version);
  take_index(w, &index);
  gxds_web_index_fini(&index);
  w->phase = FETCHING;
  if (w->missing == 0) apply(s, now);
}

static void log_state(gxds_web_server *s) {
  const web_files *w = s->state;
  size_t count = 0;
  for (size_t i = 0; i < GXDS_FILE_TYPE_COUNT; i++) count += w->set->types[i].count;
  gxds_text line = {0};
  gxds_text_addf(&line, "web files %.*s: %zu resources, version \"", GXDS_STR_ARG(s->server->uri),
                 count);
  gxds_text_add_untrusted(&line, w->next_version, GXDS_WEB_QUOTE_MAX);
  gxds_text_add_z(&line, "\"");
  gxds_str_free(&s->log);
  s->log = gxds_text_take(&line);
}

static const gxds_file_set *build(gxds_web_server *s) {
  web_files *w = s->state;
  gxds_file_input *inputs = gxds_calloc(w->next.count, sizeof *inputs);
  for (size_t i = 0; i < w->next.count; i++) {
    inputs[i] =
        (gxds_file_input){w->next.files[i].about.path, gxds_block_str(w->next.files[i].bytes)};
  }
  gxds_file_errors errors = {0};
  const gxds_file_set *set = gxds_file_set_build(s->schema, inputs, w->next.count, w->set, &errors);
  if (!set) {
    gxds_text text = {0};
    gxds_file_errors_render_line(&errors, &text);
    gxds_web_server_end(s, gxds_str_z(GXDS_WEB_INDEX_PATH), "its files are not taken: %s",
                        text.data);
    gxds_text_fini(&text);
  }
  gxds_file_errors_fini(&errors);
  gxds_free(inputs);
  return set;
}

/* All files of `next` are there: they become the state, if they are valid. */
static void apply(gxds_web_server *s, gxds_time now) {
  web_files *w = s->state;
  const gxds_file_set *set = build(s);
  if (!set) {
    drop_next(w);
    return;
  }
  if (!w->set || !gxds_file_set_equal(w->set, set)) {
    gxds_file_server_set(w->server, set, now);
    gxds_file_set_unref(w->set);
    w->set = gxds_file_set_ref(set);
    log_state(s);
  }
  gxds_file_set_unref(set);
  clear_list(&w->fetched);
  clear_list(&w->held);
  w->held = w->next;
  w->next = (file_list){0};
  gxds_str_free(&w->etag);
  w->etag = w->next_etag;
  w->next_etag = gxds_str_of(NULL, 0);
  end_of_poll(s, now);
}

/* Called when a file does not match the index. Fetches the index once more; if that was already
 * done, ends the stream. */
static void on_wrong_file(gxds_web_server *s, gxds_str path, const char *what, gxds_time now) {
  web_files *w = s->state;
  if (w->repeated) {
    gxds_web_server_end(s, path, "has another %s than " GXDS_DIR_INDEX_NAME " says", what);
    drop_next(w);
    return;
  }
  drop_next(w);
  w->repeated = true;
  w->due = now;
}

/* Compares a file with its entry in the index. Returns NULL if the file matches, otherwise a static
 * text that says what differs. */
static const char *what_differs(const held_file *f, gxds_str body) {
  unsigned char digest[GXDS_SHA256_SIZE];
  if (body.size != f->about.size) return "size";
  gxds_sha256(body, digest);
  return memcmp(digest, f->about.sha256, sizeof digest) == 0 ? NULL : "SHA-256";
}

static void on_file(gxds_web_server *s, held_file *f, const gxds_web_response *response,
                    gxds_time now) {
  web_files *w = s->state;
  gxds_str path = gxds_str_format("/%.*s", GXDS_STR_ARG(f->about.path));
  w->on_way--;
  const char *differs = response->too_long ? "size" : NULL;
  if (response->code == 404 && !w->repeated) differs = "path";
  if (!differs && !gxds_web_server_is_good(s, path, response, false)) {
    drop_next(w);
  } else if (differs || (differs = what_differs(f, response->body)) != NULL) {
    on_wrong_file(s, path, differs, now);
  } else {
    gxds_text bytes = {0};
    gxds_text_add(&bytes, response->body);
    f->bytes = gxds_block_create(&bytes);
    w->missing--;
    if (w->missing == 0) apply(s, now);
  }
  gxds_str_free(&path);
}

static void on_fetched(gxds_web_server *s, const gxds_web_response *response, gxds_time now) {
  web_files *w = s->state;
  if (w->phase == INDEX && response->id == w->index_fetch) {
    on_index(s, response, now);
    return;
  }
  for (size_t i = 0; w->phase == FETCHING && i < w->next.count; i++) {
    held_file *f = &w->next.files[i];
    if (f->fetch != response->id || f->bytes) continue;
    on_file(s, f, response, now);
    return;
  }
}

/* ---- the engine ---- */

static bool next_response(gxds_web_server *s, gxds_time now, gxds_str *out) {
  const web_files *w = s->state;
  return w->confirmed && gxds_file_server_next(w->server, now, out);
}

static gxds_time fetch_deadline(const gxds_web_server *s) {
  const web_files *w = s->state;
  /* The next file is fetched at once; gxds_web_server_deadline() adds the wait for Retry-After. */
  if (w->phase == FETCHING && is_file_due(w)) return 0;
  return w->phase == IDLE ? w->due : GXDS_TIME_NEVER;
}

static gxds_time response_deadline(const gxds_web_server *s) {
  const web_files *w = s->state;
  return w->confirmed ? gxds_file_server_deadline(w->server) : GXDS_TIME_NEVER;
}

const gxds_web_form_functions gxds_web_files = {
    .open = open_stream,
    .on_request = on_request,
    .was_sent = was_sent,
    .next_fetch = next_fetch,
    .on_fetched = on_fetched,
    .next_response = next_response,
    .fetch_deadline = fetch_deadline,
    .response_deadline = response_deadline,
    .destroy = destroy,
};
