/* gxds_host: what the C side asks of the host library's C++. Filled by host/grpc_common/host.cc in
 * a program, by fakes in tests. Immutable once made; every function may be called from any thread
 * and does not block, unless it says otherwise. */
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

/* A DNS name was resolved: to these addresses (IPv4 and IPv6, in the order in which they are to be
 * tried; borrowed: valid during the call; there may be none), or not: status is not OK and says
 * why. On the reactor. */
typedef void (*gxds_dns_answered)(void *arg, const struct gxds_address *addresses, size_t count,
                                  const gxds_status *status);

/* The host's trace flags (GRPC_TRACE) that our C side has something to say for. */
typedef enum gxds_trace { GXDS_TRACE_XDS_CLIENT } gxds_trace;

typedef struct gxds_host {
  /* Whether that trace is on. NULL: none is. */
  bool (*traces)(gxds_trace trace);
  /* By how much too soon the host ends an RPC whose method config has a timeout: it counts that
   * from the RPC's start on one clock, and ends it by another, whose zero is that much earlier.
   * Negative: too late. In whole milliseconds; 0: the clocks agree. It changes when the machine's
   * wall clock is set, so it is asked for when it is needed, and measured. NULL: the host has but
   * one clock. */
  gxds_duration (*clock_distance)(void);
  /* The host may never make a retry whose backoff is shorter. So the base and the longest backoff
   * of a retry policy are at least this. 0: there is no such limit. */
  gxds_duration shortest_retry_backoff;
  /* Whether the host's ChannelCredsRegistry knows this type ("insecure", "google_default", …). */
  bool (*creds_supported)(gxds_str type);
  /* Adds to errors, at path, what is wrong with the config of a type (JSON text; empty: none). */
  void (*creds_check)(gxds_str type, gxds_str config_json, const gxds_path *at,
                      gxds_errors *errors);
  /* New credentials, owned by the caller (grpc_channel_credentials_release). May block for a
   * second (google_default looks for a metadata server): never on the reactor. */
  struct grpc_channel_credentials *(*creds_create)(gxds_str type, gxds_str config_json);
  /* Adds to errors, at path, what is wrong with a list of LB policies in JSON
   * ("[{"round_robin":{}}]"), as the host's registry sees it. */
  void (*lb_config_check)(gxds_str json, const gxds_path *at, gxds_errors *errors);
  /* Whether the host's registry has an LB policy of that name, the program's own among them. NULL:
   * none. */
  bool (*lb_policy_exists)(gxds_str name);
  /* Whether a regular expression compiles as RE2 with the host's options. NULL: any does. */
  bool (*regex_check)(gxds_str regex);
  /* The same expression, compiled, owned by the caller (regex_destroy); NULL: it does not compile.
   * These five are NULL together: then no expression matches anything. */
  void *(*regex_create)(gxds_str regex);
  /* Whether all of text matches. */
  bool (*regex_full_match)(const void *regex, gxds_str text);
  /* Two texts between which every text that matches is, in the order of bytes; both may be cut
   * after that many bytes. The caller frees both with gxds_str_free(). False: nothing is known. */
  bool (*regex_range)(const void *regex, int longest, gxds_str *least, gxds_str *most);
  /* Text with every match replaced by rewrite, which may name groups of the expression ("\\1"). The
   * caller frees it with gxds_str_free(). */
  gxds_str (*regex_replace)(const void *regex, gxds_str text, gxds_str rewrite);
  void (*regex_destroy)(void *regex);
  /* Adds to errors, at path, what is wrong with a certificate provider (config: JSON text; empty:
   * none), as the host's CertificateProviderRegistry sees it. NULL: nothing ever is. */
  void (*certificate_provider_check)(gxds_str plugin_name, gxds_str config_json,
                                     const gxds_path *at, gxds_errors *errors);
  /* The certificate provider of that plugin and config: the same one for all who ask for the same
   * as long as anybody has it. One reference, the caller's
   * (grpc_tls_certificate_provider_release). May read files: never on the reactor. NULL: the host
   * made none. */
  struct grpc_tls_certificate_provider *(*certificate_provider_get)(gxds_str plugin_name,
                                                                    gxds_str config_json);
  /* The bootstrap that the host made for channels to that target, in canonical form (in 1.83, its
   * google-c2p resolver does so), as JSON text, whatever the environment has. The caller frees *out
   * with gxds_str_free(). False, or NULL: none. Not on the reactor. */
  bool (*target_bootstrap)(gxds_str target, gxds_str *out);
  /* The same for all targets, for when the environment has none (in 1.51, its google-c2p resolver
   * leaves it). */
  bool (*fallback_bootstrap)(gxds_str *out);
  /* Resolves "host:port" (a literal: "[::1]:port") with the host's DNS resolver, told how by the
   * channel's args (as the host has them: a grpc_core::ChannelArgs; borrowed: valid during the
   * call; may be NULL). Each answer and each failure goes to answered, never during the call; after
   * a failure the host tries again by itself, after an answer when it is asked to. It works though
   * the program makes no calls. The three, on the reactor, are NULL together: then there is no DNS.
   */
  gxds_dns *(*dns_start)(gxds_str name, const void *args, gxds_dns_answered answered, void *arg);
  /* Asks for new addresses; soon, for the host bounds how often (30 s). */
  void (*dns_reresolve)(gxds_dns *d);
  /* Ends it: d is not to be used any more, and answered is not called any more. */
  void (*dns_stop)(gxds_dns *d);
} gxds_host;

#endif
