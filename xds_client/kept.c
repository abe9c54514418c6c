/* The last known good: what servers sent is kept by the owner, and a client that hears from none of
 * them starts from that. */
#include <time.h>

#include "xds_client/client_internal.h"

void gxds_text_add_time(gxds_text *out, int64_t wall) {
  time_t seconds = (time_t)(wall / GXDS_SECOND);
  struct tm parts;
  char text[32];
  bool ok = gmtime_r(&seconds, &parts) != NULL;
  gxds_text_add_z(out,
                  ok && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) ? text : "?");
}

static gxds_action about(const gxds_client *c, const gxds_entry *e, gxds_action_kind kind,
                         const gxds_bootstrap_server *server) {
  const gxds_bootstrap_authority *config = e->authority->config;
  return (gxds_action){.kind = kind,
                       .server = server,
                       .authority = config ? config->name : gxds_str_of(NULL, 0),
                       .type = c->types[e->type],
                       .name = e->name};
}

void gxds_entry_persist(gxds_client *c, gxds_entry *e) {
  /* What comes from files is on disk already. */
  if (!c->keeps_resources || e->source->directory.size) return;
  bool ends = gxds_deadline_is_set(&e->ttl);
  gxds_action a = about(c, e, ends ? GXDS_ACTION_FORGET : GXDS_ACTION_PERSIST, e->source);
  if (!ends) {
    a.version = e->version;
    a.bytes = e->bytes;
    a.accepted = e->updated + c->wall_offset;
  }
  gxds_actions_push_copy(&c->actions, &a);
}

void gxds_client_keep_all(gxds_client *c, const gxds_bootstrap_server *server) {
  for (size_t type = 0; type < c->type_count; type++) {
    for (gxds_entry *e = c->by_name[type]; e; e = e->by_name.next) {
      bool sent = e->resource && !e->restored && gxds_bootstrap_server_equal(e->source, server);
      if (sent && e->watch_count > 0) gxds_entry_persist(c, e);
    }
  }
}

void gxds_entry_forget(gxds_client *c, gxds_entry *e) {
  if (!c->keeps_resources || !e->source) return;
  /* With the last watch the whole client is at rest: what it lived on is for the next start. */
  if (!c->watches || (e->restored && !e->authority->answered)) return;
  gxds_action a = about(c, e, GXDS_ACTION_FORGET, e->source);
  gxds_actions_push_copy(&c->actions, &a);
}

static void ask(gxds_client *c, gxds_entry *e, size_t server) {
  e->looking_up = true;
  gxds_action action = about(c, e, GXDS_ACTION_RESTORE, e->authority->servers[server]);
  gxds_actions_push_copy(&c->actions, &action);
}

void gxds_entry_look_up(gxds_client *c, gxds_entry *e) {
  const gxds_authority *a = e->authority;
  if (a->restoring && !e->resource && e->watch_count > 0)
    ask(c, e, a->restored ? a->restore_from : 0);
}

void gxds_authority_await_answer(gxds_client *c, gxds_authority *a, gxds_time now) {
  if (!c->keeps_resources || a->answered || a->conn_count > 0) return;
  gxds_deadlines_set(&c->deadlines, &a->restore_at, gxds_time_after(now, GXDS_RESTORE_AFTER));
}

void gxds_authority_on_answer(gxds_client *c, gxds_authority *a, gxds_time now) {
  if (a->answered) return;
  a->answered = true;
  a->restoring = false;
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  for (size_t i = 0; i < a->conn_count; i++) gxds_conn_await_kept(c, a->conns[i], now);
}

void gxds_authority_restore(gxds_client *c, gxds_authority *a) {
  if (!c->keeps_resources || a->answered || a->restoring) return;
  gxds_deadlines_cancel(&c->deadlines, &a->restore_at);
  a->restoring = true;
  a->restored = false;
  gxds_entry *e;
  DL_FOREACH(a->entries, e) { gxds_entry_look_up(c, e); }
}

/* "no xDS server answers; used as xDS server S sent it at T, from the resource cache" */
static void describe(const gxds_client *c, const gxds_authority *a, const gxds_kept *kept,
                     gxds_text *out) {
  const gxds_shared_status *unreachable = gxds_authority_error(a, false);
  gxds_text_addf(out, "used from the resource cache, as xDS server %.*s sent it",
                 GXDS_STR_ARG(kept->server->uri));
  if (kept->accepted > 0) {
    gxds_text_add_z(out, " at ");
    gxds_text_add_time(out, kept->accepted);
  }
  gxds_text_add_z(out, ", for no xDS server answers");
  if (unreachable) {
    gxds_text_addf(out, ": %.*s", GXDS_STR_ARG(unreachable->status.message));
  } else {
    gxds_client_add_node(c, out);
  }
}

static void log_start(gxds_client *c, const gxds_kept *kept) {
  gxds_text line = {0};
  gxds_text_addf(&line,
                 "xds server %.*s: no server answers: starting from the resource cache, from what "
                 "this one sent last",
                 GXDS_STR_ARG(kept->server->uri));
  gxds_client_log(c, GXDS_ERROR, &line);
}

static void log_refusal(gxds_client *c, const gxds_entry *e, gxds_str why) {
  gxds_text line = {0};
  gxds_text_addf(&line, "resource cache: %s resource ", c->types[e->type]->short_name);
  gxds_text_add_untrusted(&line, e->name, GXDS_RESOURCE_NAME_BYTES_MAX);
  gxds_text_add_z(&line, " ignored: ");
  gxds_text_add_untrusted(&line, why, GXDS_NACK_ERROR_BYTES_MAX);
  gxds_client_log(c, GXDS_ERROR, &line);
}

static void use(gxds_client *c, gxds_entry *e, const gxds_kept *kept,
                const gxds_resource *take_resource, gxds_time now) {
  gxds_accepted accepted = {.resource = take_resource,
                            .bytes = kept->bytes,
                            .version = kept->version,
                            .server = kept->server};
  gxds_text message = {0};
  describe(c, e->authority, kept, &message);
  gxds_shared_status *error =
      gxds_shared_status_create(gxds_status_take(GXDS_UNAVAILABLE, &message));
  gxds_entry_accept_kept(c, e, &accepted, error, now);
  gxds_shared_status_unref(error);
}

static const gxds_resource *no_previous(void *arg, gxds_str name) {
  (void)arg;
  (void)name;
  return NULL;
}

/* What was accepted once may be refused by another version of this program. */
static bool decode_kept(gxds_client *c, gxds_entry *e, const gxds_kept *kept, gxds_time now) {
  gxds_decode_context context = {
      .bootstrap = c->bootstrap, .server = kept->server, .host = c->host, .previous = no_previous};
  gxds_decoded decoded = {0};
  gxds_status status = kept->type->decode(&context, kept->bytes, &decoded);
  bool ok = gxds_status_is_ok(&status);
  if (ok) {
    use(c, e, kept, decoded.resource, now);
  } else {
    log_refusal(c, e, status.message);
  }
  gxds_status_fini(&status);
  gxds_str_free(&decoded.name);
  return ok;
}

static size_t place_of(const gxds_authority *a, const gxds_bootstrap_server *server) {
  size_t i = 0;
  while (i < a->server_count && !gxds_bootstrap_server_equal(a->servers[i], server)) i++;
  return i;
}

/* Each goes through the servers in order, until something of one of them is used: from then on all
 * is to be of that one. */
static void take_answer(gxds_client *c, gxds_entry *e, const gxds_kept *kept, gxds_time now) {
  gxds_authority *a = e->authority;
  if (e->resource || e->watch_count == 0 || !a->restoring) return; /* a server was faster */
  size_t place = place_of(a, kept->server);
  if (a->restored && place != a->restore_from) {
    ask(c, e, a->restore_from);
  } else if (kept->found && decode_kept(c, e, kept, now)) {
    if (!a->restored) log_start(c, kept);
    a->restored = true;
    a->restore_from = place;
  } else if (!a->restored && place + 1 < a->server_count) {
    ask(c, e, place + 1);
  }
}

void gxds_client_restore(gxds_client *c, const gxds_kept *kept, gxds_time now) {
  gxds_entry *e = gxds_entry_find(c, gxds_client_index_of(c, kept->type), kept->name);
  if (!e) return;
  e->looking_up = false;
  take_answer(c, e, kept, now);
  gxds_entry_sync(c, e);
}
