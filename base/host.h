/* gxds_host: the services of the host library that the C side uses. In a program,
 * host/grpc_common/host.cc fills the table; in tests, fakes do. Immutable once made. Every function
 * may be called from any thread and does not block, unless it says otherwise. */
#ifndef GRPC_XDS_BASE_HOST_H_
#define GRPC_XDS_BASE_HOST_H_

#include "base/errors.h"
#include "base/str.h"
#include "base/time.h"

struct grpc_channel_credentials;
struct grpc_tls_certificate_provider;
struct gxds_address;

/* A DNS name that the host keeps resolved. Confined: the reactor. */
typedef struct gxds_dns gxds_dns;

/* A DNS name was resolved, or could not be. addresses are IPv4 and IPv6, in the order in which to
 * try them; there may be none. They are borrowed: valid during the call. If the name could not be
 * resolved, status is not OK and says why. Called on the reactor. */
typedef void (*gxds_dns_result_fn)(void *arg, const struct gxds_address *addresses, size_t count,
                                   const gxds_status *status);

/* The host's trace flags (GRPC_TRACE) that turn on log lines of the C side. */
typedef enum gxds_trace { GXDS_TRACE_XDS_CLIENT } gxds_trace;

typedef struct gxds_host {
  /* Whether that trace is on. NULL means that none is. */
  bool (*traces)(gxds_trace trace);
  /* How much too early the host ends an RPC whose method config has a timeout. The host computes
   * the deadline on one clock and enforces it on another, and the two clocks differ by this much.
   * Negative means that the RPC ends too late. In whole milliseconds; 0 means that the clocks
   * agree. The difference changes when the machine's wall clock is set, so it is measured each time
   * it is needed. NULL if the host has only one clock. */
  gxds_duration (*clock_distance)(void);
  /* The host may lose a retry whose backoff is shorter than this. So base interval and max interval
   * of a retry policy are raised to this value. 0: there is no such limit. */
  gxds_duration shortest_retry_backoff;
  /* Whether the host's ChannelCredsRegistry knows this type ("insecure", "google_default", …). */
  bool (*creds_supported)(gxds_str type);
  /* Checks the config of that type (JSON text; empty: none), and adds its errors at path. */
  void (*creds_check)(gxds_str type, gxds_str config_json, const gxds_path *at,
                      gxds_errors *errors);
  /* New credentials, owned by the caller (grpc_channel_credentials_release). May block for a
   * second (google_default looks for a metadata server): never on the reactor. */
  struct grpc_channel_credentials *(*creds_create)(gxds_str type, gxds_str config_json);
  /* Checks a list of LB policies in JSON ("[{"round_robin":{}}]") with the host's registry, and
   * adds its errors at path. */
  void (*lb_config_check)(gxds_str json, const gxds_path *at, gxds_errors *errors);
  /* Whether the host's registry has an LB policy of that name. It also has those that the program
   * registered. NULL means that there are no policies. */
  bool (*lb_policy_exists)(gxds_str name);
  /* Whether a regular expression compiles as RE2 with the host's options. NULL means that any does.
   */
  bool (*regex_check)(gxds_str regex);
  /* Compiles the expression. The caller owns the result, and ends it with regex_destroy(). Returns
   * NULL if it does not compile. This and the next four functions are set together; if they are
   * NULL, no expression matches anything. */
  void *(*regex_create)(gxds_str regex);
  /* Whether all of text matches. */
  bool (*regex_full_match)(const void *regex, gxds_str text);
  /* Bounds of the texts that match: every match lies between *least and *most, in the order of
   * bytes. Both may be cut after `longest` bytes. The caller frees both with gxds_str_free(). False
   * if no bounds are known. */
  bool (*regex_range)(const void *regex, int longest, gxds_str *least, gxds_str *most);
  /* Text with every match replaced by rewrite, which may name groups of the expression ("\\1"). The
   * caller frees it with gxds_str_free(). */
  gxds_str (*regex_replace)(const void *regex, gxds_str text, gxds_str rewrite);
  void (*regex_destroy)(void *regex);
  /* Checks the config of a certificate provider (JSON text; empty: none) with the host's
   * CertificateProviderRegistry, and adds its errors at path. NULL: every config is accepted. */
  void (*certificate_provider_check)(gxds_str plugin_name, gxds_str config_json,
                                     const gxds_path *at, gxds_errors *errors);
  /* The certificate provider of that plugin and config. As long as there is a reference to it, each
   * call with the same plugin and config returns the same provider. The caller owns the returned
   * reference, and releases it with grpc_tls_certificate_provider_release(). It may read files, so
   * never call it on the reactor. Returns NULL if the host can't make one. */
  struct grpc_tls_certificate_provider *(*certificate_provider_get)(gxds_str plugin_name,
                                                                    gxds_str config_json);
  /* The bootstrap that the host itself made for channels to that target, as JSON text. (In 1.83 its
   * google-c2p resolver makes one.) It is used in place of the environment's. target is in
   * canonical form. The caller frees *out with gxds_str_free(). False if there is none; NULL if
   * there never is. Not on the reactor. */
  bool (*target_bootstrap)(gxds_str target, gxds_str *out);
  /* Like target_bootstrap(), but for all targets, and used only if the environment has no
   * bootstrap. (In 1.51 its google-c2p resolver makes one.) */
  bool (*fallback_bootstrap)(gxds_str *out);
  /* Resolves "host:port" (a literal is "[::1]:port") with the host's DNS resolver. args are the
   * channel's arguments in the host's own form, a grpc_core::ChannelArgs, which configure the
   * resolver; they are borrowed during the call, and may be NULL. `on_result` is called for each
   * result and each failure, but never during this call. After a failure the host tries again by
   * itself; after a result only when dns_reresolve() requests it. It works even while the program
   * makes no RPCs. This and the next two functions are called on the reactor; all three are NULL if
   * there is no DNS. */
  gxds_dns *(*dns_start)(gxds_str name, const void *args, gxds_dns_result_fn on_result, void *arg);
  /* Requests new addresses. The host limits how often it resolves a name (30 s). */
  void (*dns_reresolve)(gxds_dns *d);
  /* Ends the resolution. d is invalid afterwards, and `on_result` is no longer called. */
  void (*dns_stop)(gxds_dns *d);
} gxds_host;

#endif
