/* gxds_bootstrap: what GRPC_XDS_BOOTSTRAP says (gRFC A27, A47, A71). Immutable, shared by reference
 * count: any thread.
 *
 * Parsing is pure: bytes in, a bootstrap or all that is wrong with them out. Where the bytes come
 * from (file, environment, channel argument) is bootstrap/source.h. */
#ifndef GRPC_XDS_BOOTSTRAP_BOOTSTRAP_H_
#define GRPC_XDS_BOOTSTRAP_BOOTSTRAP_H_

#include "base/errors.h"
#include "base/host.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a server whose URI is http: or https: is asked for (our own, docs/web.md). */
typedef enum gxds_web_form {
  GXDS_WEB_NONE,  /* it is a gRPC server, or a directory */
  GXDS_WEB_REST,  /* xDS over REST-JSON, polled */
  GXDS_WEB_FILES, /* resource files, by their index */
} gxds_web_form;

/* Of "refresh_delay": how often a web server is asked when neither it nor the bootstrap says. */
#define GXDS_WEB_REFRESH_DEFAULT (30 * GXDS_SECOND)
/* More often is no polling any more; less often than daily is a typing error. */
#define GXDS_WEB_REFRESH_MIN (GXDS_SECOND / 10)
#define GXDS_WEB_REFRESH_MAX (86400 * GXDS_SECOND)

/* One xDS server. Two servers are the same when they are equal (gxds_bootstrap_server_equal), also
 * across bootstraps: A47's authorities may name the same server again. */
typedef struct gxds_bootstrap_server {
  gxds_str uri;        /* "host:port", any gRPC target, "file:///directory", or the http: or https:
                          URL of a web server, without a slash at its end; never empty */
  gxds_str directory;  /* of a file: URI, which is no gRPC server, percent-decoded; else empty */
  gxds_str creds_type; /* the first supported entry of channel_creds; empty: it is a file: URI */
  gxds_str creds_config_json;      /* its "config", as JSON text; empty: none */
  const gxds_str *jwt_token_files; /* A97: the paths of call_creds of that type, all of which
                                      apply; zero-terminated, never empty */
  size_t jwt_token_file_count;
  bool delta;                             /* server_features has "delta" */
  bool ignore_resource_deletion;          /* accepted without effect (A88) */
  bool fail_on_data_errors;               /* A88 */
  bool resource_timer_is_transient_error; /* A88 */
  bool trusted_xds_server;                /* A81 */
  bool endpoint_weights;       /* our own: round_robin of its clusters is by weight (E3) */
  bool lb_subsets;             /* our own: its clusters may have subsets (E5) */
  gxds_web_form web_form;      /* of an http: or https: URI, which is no gRPC server */
  gxds_duration refresh_delay; /* only with web_form */
} gxds_bootstrap_server;

typedef struct gxds_bootstrap_authority {
  gxds_str name;
  gxds_str client_listener_resource_name_template; /* never empty: A47's default is filled in */
  const gxds_bootstrap_server *const *servers;     /* its own, or the top-level list */
  size_t server_count;
  bool fallback_on_reachability_only; /* A95: the next server is used though all is cached */
} gxds_bootstrap_authority;

typedef struct gxds_bootstrap_certificate_provider {
  gxds_str instance_name;
  gxds_str plugin_name;
  gxds_str config_json;         /* empty: none */
  bool has_ca_certificate_file; /* of its config; a file_watcher may have SPIFFE bundles (A87) */
} gxds_bootstrap_certificate_provider;

/* The one client feature of the node that speaks of ADS, not of the client: it can read resources
 * that are wrapped (A30). */
#define GXDS_FEATURE_OF_ADS "xds.config.resource-in-sotw"

typedef struct gxds_bootstrap {
  gxds_ref refs;
  const gxds_bootstrap_server *const *servers; /* xds_servers, in order; at least one */
  size_t server_count;
  gxds_str node_id;
  gxds_str node; /* the Node message for the first request of a stream, serialized: what the
                    bootstrap says plus user_agent_name, user_agent_version and client_features */
  gxds_str node_without_id; /* the same Node, but only what the bootstrap says, and without the id:
                               equal bytes for equal nodes */
  gxds_str client_default_listener_resource_name_template; /* "%s" when absent */
  const gxds_bootstrap_authority *authorities;             /* sorted by name */
  size_t authority_count;
  const gxds_bootstrap_certificate_provider *certificate_providers; /* sorted by instance_name */
  size_t certificate_provider_count;
  gxds_str resource_cache_dir;    /* where accepted resources are kept; empty: nowhere */
  bool resource_cache_by_node_id; /* and those for another node's id are not used */
  bool shared_stream; /* channels of all targets share an XdsClient, and so one stream to a server:
                         what "shared_stream" says; without it, whether there is no authority with
                         a second server to fall back to (A71: targets fall back one by one) */
  gxds_str content;   /* all of the JSON text, in one form: equal for equal bootstraps */
  struct upb_Arena *arena; /* private: owns all of the above */
} gxds_bootstrap;

/* Parses JSON text. Every error is reported; unknown fields are ignored. On OK the caller owns the
 * reference in *out. The status of a failure is INVALID_ARGUMENT "errors validating JSON:
 * [field:a.b error:…; field:c error:…] (a.b line 3, c line 7)", in the host's words where it has
 * the same error, or "JSON parse error at line L, column C: …". host is borrowed: valid during the
 * call. errors (empty, or NULL: they are not wanted) gets those of fields as values; the caller
 * ends it with gxds_errors_fini(). */
GXDS_MUST_USE gxds_status gxds_bootstrap_parse(gxds_str json, const gxds_host *host,
                                               const gxds_bootstrap **out, gxds_errors *errors);
const gxds_bootstrap *gxds_bootstrap_ref(const gxds_bootstrap *b);
void gxds_bootstrap_unref(const gxds_bootstrap *b); /* NULL is allowed */

/* Whether it is reached by a gRPC channel: it is no directory and no web server. */
static inline bool gxds_bootstrap_server_is_grpc(const gxds_bootstrap_server *s) {
  return s->directory.size == 0 && s->web_form == GXDS_WEB_NONE;
}
/* Same uri, credentials and features. */
bool gxds_bootstrap_server_equal(const gxds_bootstrap_server *a, const gxds_bootstrap_server *b);
/* The same server for one who outlives the bootstrap. The caller ends it with
 * gxds_bootstrap_server_fini(). */
gxds_bootstrap_server gxds_bootstrap_server_copy(const gxds_bootstrap_server *s);
void gxds_bootstrap_server_fini(gxds_bootstrap_server *s);
/* The authority of that name, or NULL. Borrowed: valid as long as b. */
const gxds_bootstrap_authority *gxds_bootstrap_find_authority(const gxds_bootstrap *b,
                                                              gxds_str name);
/* The listener resource to ask for (A47): target_authority is that of the xds: URI ("" when it has
 * none), path its path without the leading slash. The caller frees *out with gxds_str_free().
 * Fails when the URI names an authority that the bootstrap lacks. */
GXDS_MUST_USE gxds_status gxds_bootstrap_listener_name(const gxds_bootstrap *b,
                                                       gxds_str target_authority, gxds_str path,
                                                       gxds_str *out);
/* What chooses the virtual host and is RPCs' ":authority" (A47), for a channel whose program gives
 * no other: path, that of the xds: URI (decoded, without the leading slash), with every byte
 * percent-encoded that an authority may not have, as "/" is. The caller frees it with
 * gxds_str_free(). */
gxds_str gxds_data_plane_authority(gxds_str path);

#ifdef __cplusplus
}
#endif

#endif
