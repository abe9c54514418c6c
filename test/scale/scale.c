/* The cost of a configuration of K clusters for a client, in delta or in state of the world: the
 * engine and the dependency manager of one channel, and the server of `xds serve`, in one process
 * without a network, policies or connections. Prints the figures of docs/scale.md:
 *
 *     scale clusters=K,endpoints=N,localities=L,seed=S [sotw] [at-most=BYTES]
 *
 * at-most is the most memory per cluster: with more, the program fails.
 *
 * valgrind --tool=callgrind counts on_change_arrived() with --toggle-collect=on_change_arrived, and
 * on_subscribed() with --toggle-collect=on_subscribed. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>

#include "base/check.h"
#include "base/memory.h"
#include "bootstrap/bootstrap.h"
#include "files/synthetic.h"
#include "host/host_get.h"
#include "resources/resources.h"
#include "tools/serve/ads_server.h"
#include "xds_client/client.h"
#include "xds_resolver/dependency_manager.h"

typedef struct scale {
  bool sotw;
  gxds_ads_server *server;
  const gxds_bootstrap *bootstrap;
  gxds_client *client;
  gxds_dependency_manager *manager;
  const gxds_config *published;
  size_t publications;
  gxds_time now;
  gxds_stream_id stream;
  uint64_t server_stream;
  bool read;
  gxds_str to_server; /* this and the next: the message on its way in each direction; empty: none */
  const gxds_block *to_server_rest; /* the end of to_server; NULL: none */
  gxds_str to_client;
  /* Counts. */
  size_t requests;
  size_t request_bytes;
  size_t largest_request;
  size_t responses;
  size_t response_bytes;
} scale;

/* Returns whether the manager requests more resources. */
static bool carry_manager(scale *s) {
  bool more = false;
  const gxds_dependency_action *a;
  while ((a = gxds_dependency_manager_next_action(s->manager)) != NULL) {
    gxds_watcher watcher = {s, a->token, 0};
    switch (a->kind) {
      case GXDS_DEPENDENCY_WATCH:
        gxds_client_watch(s->client, a->type, a->name, watcher, s->now);
        more = true;
        break;
      case GXDS_DEPENDENCY_PUBLISH:
        gxds_config_unref(s->published);
        s->published = gxds_config_ref(a->config);
        s->publications++;
        break;
      case GXDS_DEPENDENCY_FAIL:
        fprintf(stderr, "%.*s\n", GXDS_STR_ARG(a->status.message));
        break;
      default:
        break; /* nothing is unwatched here, and there is no DNS */
    }
  }
  return more;
}

static void on_send(scale *s, const gxds_action *a) {
  s->requests++;
  GXDS_CHECK(s->to_server.size == 0);
  s->to_server = gxds_str_dup(a->bytes);
  s->to_server_rest = a->rest ? gxds_block_ref(a->rest) : NULL;
  size_t size = a->bytes.size + gxds_block_str(a->rest).size;
  s->request_bytes += size;
  if (size > s->largest_request) s->largest_request = size;
}

static void forget_request(scale *s) {
  gxds_str_free(&s->to_server);
  gxds_block_unref(s->to_server_rest);
  s->to_server_rest = NULL;
}

static void carry_client(scale *s) {
  const gxds_action *a;
  while ((a = gxds_client_next_action(s->client)) != NULL) {
    switch (a->kind) {
      case GXDS_ACTION_OPEN_STREAM:
        s->stream = a->stream;
        s->server_stream = gxds_ads_server_open(s->server, s->sotw ? GXDS_ADS_SOTW : GXDS_ADS_DELTA,
                                                gxds_str_z("client"), s->now);
        break;
      case GXDS_ACTION_SEND:
        on_send(s, a);
        break;
      case GXDS_ACTION_READ:
        s->read = true;
        break;
      case GXDS_ACTION_RESOURCE:
        gxds_dependency_manager_on_resource(s->manager, a->watcher.token, a->resource, a->error);
        break;
      case GXDS_ACTION_AMBIENT_ERROR:
        gxds_dependency_manager_on_ambient_error(s->manager, a->watcher.token, a->error);
        break;
      default:
        break;
    }
  }
}

/* Everything that a message causes in the client, up to the published snapshot. */
static void settle(scale *s) {
  do {
    carry_client(s);
    gxds_dependency_manager_settle(s->manager);
  } while (carry_manager(s));
}

/* From the bytes to the published snapshot; not inlined, so that it can be counted. */
void on_change_arrived(scale *s, gxds_str message);
__attribute__((noinline)) void on_change_arrived(scale *s, gxds_str message) {
  gxds_client_on_message(s->client, s->stream, message.data, message.size, s->now);
  settle(s);
}

/* Carries out the server's actions. At most one message is on its way. */
static void carry_server(scale *s) {
  gxds_serve_action a;
  while (gxds_ads_server_next_action(s->server, &a)) {
    if (a.kind == GXDS_SERVE_SEND) {
      GXDS_CHECK(s->to_client.size == 0);
      s->to_client = gxds_str_dup(a.bytes);
      s->responses++;
      s->response_bytes += a.bytes.size;
    }
    GXDS_CHECK(a.kind != GXDS_SERVE_CLOSE);
    gxds_serve_action_fini(&a);
  }
}

/* Runs until no message is left. */
static void run(scale *s) {
  for (bool more = true; more;) {
    more = false;
    settle(s);
    carry_server(s);
    if (s->to_server.size > 0) {
      gxds_text request = {0};
      gxds_text_add(&request, s->to_server);
      gxds_text_add(&request, gxds_block_str(s->to_server_rest));
      gxds_ads_server_on_message(s->server, s->server_stream, gxds_text_str(&request), s->now);
      gxds_text_fini(&request);
      forget_request(s);
      gxds_client_on_sent(s->client, s->stream, s->now);
      more = true;
    }
    if (s->read && s->to_client.size > 0) {
      gxds_str message = s->to_client;
      s->to_client = gxds_str_of(NULL, 0);
      s->read = false;
      gxds_ads_server_on_sent(s->server, s->server_stream, s->now);
      gxds_client_on_message(s->client, s->stream, message.data, message.size, s->now);
      gxds_str_free(&message);
      more = true;
    }
  }
}

static void forget_counts(scale *s) {
  s->requests = s->request_bytes = s->largest_request = s->responses = s->response_bytes = 0;
}

static size_t in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

static void start(scale *s, const gxds_synthetic *synthetic) {
  gxds_text bootstrap = {0};
  gxds_text_addf(&bootstrap,
                 "{\"xds_servers\":[{\"server_uri\":\"scale\","
                 "\"channel_creds\":[{\"type\":\"insecure\"}],\"server_features\":[%s]}],"
                 "\"node\":{\"id\":\"scale\"}}",
                 s->sotw ? "" : "\"delta\"");
  gxds_status status =
      gxds_bootstrap_parse(gxds_text_str(&bootstrap), gxds_host_get(), &s->bootstrap, NULL);
  gxds_text_fini(&bootstrap);
  GXDS_CHECK(gxds_status_is_ok(&status));
  s->now = GXDS_SECOND;
  s->server = gxds_ads_server_create();
  const gxds_file_set *set = gxds_synthetic_set(synthetic);
  gxds_ads_server_set_resources(s->server, set, s->now);
  gxds_file_set_unref(set);
  gxds_client_options options = {.bootstrap = s->bootstrap,
                                 .host = gxds_host_get(),
                                 .types = gxds_resource_types,
                                 .type_count = GXDS_RESOURCE_TYPE_COUNT,
                                 .seed = 1};
  s->client = gxds_client_create(&options);
  gxds_dependency_manager_options manager = {
      .listener_name = gxds_str_z("synthetic.example"),
      .data_plane_authority = gxds_str_z("synthetic.example"),
      .node_id = gxds_str_z("scale")};
  s->manager = gxds_dependency_manager_create(&manager);
  run(s);
}

/* Changes the endpoints of one cluster. */
static void change(scale *s, const gxds_synthetic *synthetic) {
  unsigned cluster = synthetic->clusters / 2;
  const gxds_file_set *set = gxds_synthetic_set(synthetic);
  char name[32];
  snprintf(name, sizeof name, "cluster-%06u", cluster);
  const gxds_file_entry *entry = gxds_file_set_find(set, GXDS_FILE_ENDPOINTS, gxds_str_z(name));
  gxds_str bytes = gxds_synthetic_endpoints(synthetic, cluster, synthetic->seed + 1);
  const gxds_file_set *changed = gxds_file_set_replace(set, entry, bytes);
  forget_counts(s);
  size_t publications = s->publications;
  gxds_ads_server_set_resources(s->server, changed, s->now);
  carry_server(s);
  GXDS_CHECK(s->read && s->to_client.size > 0);
  gxds_str message = s->to_client;
  s->to_client = gxds_str_of(NULL, 0);
  s->read = false;
  on_change_arrived(s, message);
  GXDS_CHECK(s->publications == publications + 1);
  printf("change: resource %zu bytes, received %zu bytes\n", bytes.size, message.size);
  gxds_ads_server_on_sent(s->server, s->server_stream, s->now);
  gxds_str_free(&message);
  gxds_str_free(&bytes);
  gxds_file_set_unref(changed);
  gxds_file_set_unref(set);
  run(s);
}

static void reconnect(scale *s) {
  forget_counts(s);
  size_t publications = s->publications;
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "gone");
  gxds_ads_server_on_closed(s->server, s->server_stream, gxds_str_z("gone"));
  s->read = false;
  forget_request(s);
  gxds_client_on_stream_closed(s->client, s->stream, &status, s->now);
  gxds_status_fini(&status);
  s->now = gxds_client_deadline(s->client); /* the client waits before it opens another stream */
  gxds_client_on_deadline(s->client, s->now);
  run(s);
  GXDS_CHECK(s->publications == publications && s->requests > 0);
  printf("reconnect: %zu requests, %zu bytes, the largest %zu; %zu responses, %zu bytes\n",
         s->requests, s->request_bytes, s->largest_request, s->responses, s->response_bytes);
}

/* A dynamic subscription (A74) to a cluster that no route names, until the manager has asked for
 * it. Not inlined, so that it can be counted. */
void on_subscribed(gxds_dependency_manager *m, gxds_str cluster);
__attribute__((noinline)) void on_subscribed(gxds_dependency_manager *m, gxds_str cluster) {
  gxds_dependency_manager_subscribe(m, cluster);
  gxds_dependency_manager_settle(m);
}

static void subscribe(scale *s) {
  size_t watches = gxds_dependency_manager_watch_count(s->manager);
  gxds_str beside = gxds_str_z("beside");
  on_subscribed(s->manager, beside);
  GXDS_CHECK(gxds_dependency_manager_watch_count(s->manager) == watches + 1);
  gxds_dependency_manager_unsubscribe(s->manager, beside);
  gxds_dependency_manager_settle(s->manager);
  GXDS_CHECK(gxds_dependency_manager_watch_count(s->manager) == watches);
  while (gxds_dependency_manager_next_action(s->manager)) {
    /* The watch is over before the client has begun it. */
  }
}

/* Measures the memory that is freed at the end. Returns the bytes per cluster. */
static double measure_memory(scale *s, const gxds_synthetic *synthetic) {
  size_t before = in_use();
  gxds_config_unref(s->published);
  gxds_dependency_manager_destroy(s->manager);
  size_t manager = before - in_use();
  before = in_use();
  gxds_client_destroy(s->client);
  size_t client = before - in_use();
  const double clusters = synthetic->clusters;
  const double all = (double)(manager + client) / clusters;
  printf(
      "memory: %.0f bytes per cluster (engine with its resources %.0f, dependency manager and "
      "snapshot %.0f)\n",
      all, (double)client / clusters, (double)manager / clusters);
  return all;
}

/* Reads the options after the first. */
static bool read_options(int argc, char **argv, bool *sotw, uint64_t *at_most) {
  const gxds_str prefix = gxds_str_z("at-most=");
  bool ok = argc >= 2;
  for (int i = 2; i < argc; i++) {
    const gxds_str option = gxds_str_z(argv[i]);
    if (gxds_str_starts_with(option, prefix)) {
      ok = ok && gxds_str_to_uint64(gxds_str_from(option, prefix.size), 10, at_most);
    } else {
      *sotw = true;
      ok = ok && gxds_str_equal(option, gxds_str_z("sotw"));
    }
  }
  return ok;
}

int main(int argc, char **argv) {
  gxds_synthetic synthetic;
  gxds_text error = {0};
  bool sotw = false;
  uint64_t at_most = UINT64_MAX;
  if (!read_options(argc, argv, &sotw, &at_most) ||
      !gxds_synthetic_parse(argv[1], &synthetic, &error)) {
    fprintf(stderr, "%s\n",
            error.data ? error.data : "usage: scale clusters=K,… [sotw] [at-most=BYTES]");
    return 2;
  }
  scale s = {.sotw = sotw};
  start(&s, &synthetic);
  printf(
      "start: %zu requests, %zu bytes, the largest %zu; %zu responses, %zu bytes; %zu snapshots\n",
      s.requests, s.request_bytes, s.largest_request, s.responses, s.response_bytes,
      s.publications);
  GXDS_CHECK(s.publications > 0);
  change(&s, &synthetic);
  reconnect(&s);
  subscribe(&s);
  const double bytes = measure_memory(&s, &synthetic);
  gxds_ads_server_destroy(s.server);
  gxds_bootstrap_unref(s.bootstrap);
  if (bytes > (double)at_most) {
    fprintf(stderr, "a cluster takes more than %" PRIu64 " bytes\n", at_most);
    return 1;
  }
  return 0;
}
