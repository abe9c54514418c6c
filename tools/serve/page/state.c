#include "tools/serve/page/state.h"

#include "base/hash_table.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "tools/serve/page/localities.h"

typedef struct type_view {
  gxds_str *names; /* sorted; the first GXDS_PAGE_NAMES_MAX names that were subscribed to */
  size_t shown;
  size_t subscribed; /* the number of all subscribed names */
  uint64_t pushes;
  gxds_str pushed;   /* version */
  gxds_str nonce;    /* the nonce of the last push */
  gxds_str accepted; /* version */
  gxds_str refused;  /* the version that the client refused; empty: it accepted the last response */
  gxds_str why;
} type_view;

typedef struct client_view {
  gxds_str peer;
  gxds_str node;
  uint32_t ads; /* streams */
  uint32_t lrs;
  type_view types[GXDS_FILE_TYPE_COUNT];
  UT_hash_handle hh;
} client_view;

typedef struct load_view {
  gxds_str key;         /* cluster, service and locality */
  gxds_serve_load load; /* the sums of all clients' reports */
  UT_hash_handle hh;
} load_view;

struct gxds_page_state {
  uint64_t number;
  gxds_str address;
  gxds_str resources; /* text: how many resources there are of each type */
  gxds_str problems[GXDS_PAGE_PROBLEMS_MAX];
  size_t problem_count;
  client_view *clients;
  size_t hidden_streams; /* of clients that are not on the page */
  load_view *loads;
  const gxds_file_set *set; /* NULL: none yet */
};

gxds_page_state *gxds_page_state_create(void) {
  gxds_page_state *s = GXDS_NEW(gxds_page_state);
  s->number = 1;
  return s;
}

static void free_client(gxds_page_state *s, client_view *c) {
  HASH_DEL(s->clients, c);
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    type_view *v = &c->types[t];
    gxds_strs_free(v->names, v->shown);
    gxds_str_free(&v->pushed);
    gxds_str_free(&v->nonce);
    gxds_str_free(&v->accepted);
    gxds_str_free(&v->refused);
    gxds_str_free(&v->why);
  }
  gxds_str_free(&c->peer);
  gxds_str_free(&c->node);
  gxds_free(c);
}

static void free_load(gxds_page_state *s, load_view *l) {
  HASH_DEL(s->loads, l);
  gxds_str_free(&l->key);
  gxds_serve_load_fini(&l->load);
  gxds_free(l);
}

void gxds_page_state_destroy(gxds_page_state *s) {
  if (!s) return;
  while (s->clients) free_client(s, s->clients);
  while (s->loads) free_load(s, s->loads);
  for (size_t i = 0; i < s->problem_count; i++) gxds_str_free(&s->problems[i]);
  gxds_str_free(&s->address);
  gxds_str_free(&s->resources);
  gxds_file_set_unref(s->set);
  gxds_free(s);
}

/* Only a client that opens a stream is added: a request of --rest has no end at which to remove its
 * client. NULL: it is not on the page. */
static client_view *client_of(gxds_page_state *s, gxds_str peer, bool opens) {
  client_view *c;
  HASH_FIND(hh, s->clients, peer.data, peer.size, c);
  if (c || !opens || HASH_COUNT(s->clients) >= GXDS_PAGE_CLIENTS_MAX) return c;
  c = GXDS_NEW(client_view);
  c->peer = gxds_str_dup(peer);
  HASH_ADD_KEYPTR(hh, s->clients, c->peer.data, c->peer.size, c);
  return c;
}

/* The index of a name among those shown, or the index at which it would be added. */
static size_t place_of(const type_view *v, gxds_str name, bool *found) {
  size_t i = 0;
  int order = 1;
  while (i < v->shown && (order = gxds_str_compare(v->names[i], name)) < 0) i++;
  *found = i < v->shown && order == 0;
  return i;
}

static void add_names(type_view *v, const gxds_serve_event *event) {
  for (size_t i = 0; i < event->name_count; i++) {
    bool found;
    size_t at = place_of(v, event->names[i], &found);
    if (found) continue;
    v->subscribed++;
    if (v->shown == GXDS_PAGE_NAMES_MAX) continue;
    if (!v->names) v->names = gxds_calloc(GXDS_PAGE_NAMES_MAX, sizeof *v->names);
    memmove(&v->names[at + 1], &v->names[at], (v->shown - at) * sizeof *v->names);
    v->names[at] = gxds_str_dup(event->names[i]);
    v->shown++;
  }
}

static void drop_names(type_view *v, const gxds_serve_event *event) {
  for (size_t i = 0; i < event->name_count; i++) {
    bool found;
    size_t at = place_of(v, event->names[i], &found);
    if (v->subscribed) v->subscribed--;
    if (!found) continue;
    gxds_str_free(&v->names[at]);
    v->shown--;
    memmove(&v->names[at], &v->names[at + 1], (v->shown - at) * sizeof *v->names);
  }
}

static void on_type_event(type_view *v, const gxds_serve_event *event) {
  switch (event->kind) {
    case GXDS_SERVE_SUBSCRIBED:
      add_names(v, event);
      break;
    case GXDS_SERVE_UNSUBSCRIBED:
      drop_names(v, event);
      break;
    case GXDS_SERVE_PUSH:
      v->pushes++;
      gxds_str_set(&v->pushed, event->version);
      gxds_str_set(&v->nonce, event->nonce);
      break;
    case GXDS_SERVE_ACK:
      /* A delta ACK has only the nonce. */
      if (event->version.size) {
        gxds_str_set(&v->accepted, event->version);
      } else if (gxds_str_equal(event->nonce, v->nonce)) {
        gxds_str_set(&v->accepted, v->pushed);
      } else {
        break;
      }
      gxds_str_free(&v->refused);
      gxds_str_free(&v->why);
      break;
    case GXDS_SERVE_NACK:
      gxds_str_set(&v->refused, v->pushed);
      gxds_str_set(&v->why, event->detail);
      break;
    default:
      break;
  }
}

static void on_client_event(gxds_page_state *s, const gxds_serve_event *event) {
  const bool opens = event->kind == GXDS_SERVE_STREAM_OPEN;
  const bool closes = event->kind == GXDS_SERVE_STREAM_CLOSE;
  client_view *c = client_of(s, event->peer, opens);
  bool lrs = event->service && strcmp(event->service, "lrs") == 0;
  uint32_t *streams = !c ? NULL : lrs ? &c->lrs : &c->ads;
  /* A client whose first stream is hidden may be shown because of a later one. */
  if (closes && (!c || *streams == 0)) {
    if (s->hidden_streams) s->hidden_streams--;
    return;
  }
  if (!c) {
    s->hidden_streams += opens;
    return;
  }
  if (event->node.size) gxds_str_set(&c->node, event->node);
  if (opens) {
    ++*streams;
  } else if (closes) {
    --*streams;
    if (c->ads + c->lrs == 0) free_client(s, c);
  } else if (event->type) {
    on_type_event(&c->types[event->type - gxds_file_types], event);
  }
}

/* The sums are not kept for each client, because clients come and go. */
static void keep_load(gxds_page_state *s, const gxds_serve_load *load) {
  gxds_str key = gxds_serve_load_key(gxds_str_of(NULL, 0), load);
  load_view *l;
  HASH_FIND(hh, s->loads, key.data, key.size, l);
  if (!l && HASH_COUNT(s->loads) < GXDS_PAGE_LOADS_MAX) {
    l = GXDS_NEW(load_view);
    l->key = gxds_str_dup(key);
    l->load.cluster = gxds_str_dup(load->cluster);
    l->load.eds_service = gxds_str_dup(load->eds_service);
    l->load.has_locality = load->has_locality;
    l->load.region = gxds_str_dup(load->region);
    l->load.zone = gxds_str_dup(load->zone);
    l->load.sub_zone = gxds_str_dup(load->sub_zone);
    HASH_ADD_KEYPTR(hh, s->loads, l->key.data, l->key.size, l);
  }
  gxds_str_free(&key);
  if (!l) return;
  l->load.successful += load->successful;
  l->load.error += load->error;
  l->load.issued += load->issued;
  l->load.total_dropped += load->total_dropped;
}

static void keep_problem(gxds_page_state *s, const gxds_serve_event *event) {
  if (s->problem_count == GXDS_PAGE_PROBLEMS_MAX) {
    gxds_str_free(&s->problems[0]);
    s->problem_count--;
    memmove(&s->problems[0], &s->problems[1], s->problem_count * sizeof *s->problems);
  }
  gxds_text text = {0};
  gxds_serve_event_render_text(event, &text);
  s->problems[s->problem_count++] = gxds_text_take(&text);
}

void gxds_page_state_on_event(gxds_page_state *s, const gxds_serve_event *event) {
  s->number++;
  switch (event->kind) {
    case GXDS_SERVE_LISTENING:
      if (!event->service) gxds_str_set(&s->address, event->detail);
      break;
    case GXDS_SERVE_RESOURCES: /* a new state of the resources ends the errors of the files */
      gxds_str_set(&s->resources, event->detail);
      for (size_t i = 0; i < s->problem_count; i++) gxds_str_free(&s->problems[i]);
      s->problem_count = 0;
      break;
    case GXDS_SERVE_ERROR:
    case GXDS_SERVE_WARNING:
      keep_problem(s, event);
      break;
    case GXDS_SERVE_LOAD:
      for (size_t i = 0; i < event->load_count; i++) keep_load(s, &event->loads[i]);
      break;
    default:
      on_client_event(s, event);
  }
}

void gxds_page_state_set_resources(gxds_page_state *s, const gxds_file_set *set) {
  s->number++;
  gxds_file_set_unref(s->set);
  s->set = gxds_file_set_ref(set);
}

uint64_t gxds_page_state_number(const gxds_page_state *s) { return s->number; }

/* Rendering. */

static void add_number(gxds_text *out, const char *name, uint64_t value) {
  gxds_text_addf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void render_type(const type_view *v, int type, gxds_text *out) {
  gxds_text_addf(out, "{\"type\":\"%s\"", gxds_file_types[type].short_name);
  add_number(out, "subscribed", v->subscribed);
  add_number(out, "pushes", v->pushes);
  gxds_utf8_add_member(out, "pushed", v->pushed);
  gxds_utf8_add_member(out, "accepted", v->accepted);
  gxds_utf8_add_member(out, "refused", v->refused);
  gxds_utf8_add_member(out, "why", v->why);
  gxds_utf8_add_list(out, "names", v->names, v->shown);
  gxds_text_add_z(out, "}");
}

static void render_client(const client_view *c, gxds_text *out) {
  gxds_text_add_z(out, "{");
  gxds_utf8_add_member(out, "peer", c->peer);
  gxds_utf8_add_member(out, "node", c->node);
  add_number(out, "ads", c->ads);
  add_number(out, "lrs", c->lrs);
  gxds_text_add_z(out, ",\"types\":[");
  bool first = true;
  for (int t = 0; t < GXDS_FILE_TYPE_COUNT; t++) {
    const type_view *v = &c->types[t];
    if (v->subscribed == 0 && v->pushes == 0) continue;
    if (!first) gxds_text_add_z(out, ",");
    first = false;
    render_type(v, t, out);
  }
  gxds_text_add_z(out, "]}");
}

static void render_load(const load_view *l, gxds_text *out) {
  gxds_text_add_z(out, "{");
  gxds_utf8_add_member(out, "cluster", l->load.cluster);
  gxds_utf8_add_member(out, "eds_service", l->load.eds_service);
  if (l->load.has_locality) {
    gxds_utf8_add_member(out, "region", l->load.region);
    gxds_utf8_add_member(out, "zone", l->load.zone);
    gxds_utf8_add_member(out, "sub_zone", l->load.sub_zone);
    add_number(out, "successful", l->load.successful);
    add_number(out, "error", l->load.error);
    add_number(out, "issued", l->load.issued);
  } else {
    add_number(out, "dropped", l->load.total_dropped);
  }
  gxds_text_add_z(out, "}");
}

void gxds_page_state_render(const gxds_page_state *s, gxds_text *out) {
  gxds_text_addf(out, "{\"number\":%llu", (unsigned long long)s->number);
  gxds_utf8_add_member(out, "address", s->address);
  gxds_utf8_add_member(out, "resources", s->resources);
  gxds_utf8_add_list(out, "problems", s->problems, s->problem_count);
  add_number(out, "hidden_streams", s->hidden_streams);
  gxds_text_add_z(out, ",\"clients\":[");
  for (const client_view *c = s->clients; c; c = c->hh.next) {
    if (c != s->clients) gxds_text_add_z(out, ",");
    render_client(c, out);
  }
  gxds_text_add_z(out, "],\"loads\":[");
  for (const load_view *l = s->loads; l; l = l->hh.next) {
    if (l != s->loads) gxds_text_add_z(out, ",");
    render_load(l, out);
  }
  gxds_text_add_z(out, "],\"localities\":[");
  if (s->set) gxds_page_localities_render(s->set, GXDS_PAGE_LOCALITIES_MAX, out);
  gxds_text_add_z(out, "]}");
}
