/* gxds_reader: the state of the parsing of a bootstrap: the errors found so far, and the arena for
 * the result. Each of the functions below reads one field of a JSON object; errors are in the
 * host's words. Confined to one thread; lives in the caller's struct. */
#ifndef GRPC_XDS_BOOTSTRAP_READER_INTERNAL_H_
#define GRPC_XDS_BOOTSTRAP_READER_INTERNAL_H_

#include <jansson.h>

#include "base/errors.h"
#include "base/text.h"
#include "bootstrap/bootstrap.h"
#include "json/json.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_reader {
  gxds_str json;           /* borrowed: the text, valid while it is parsed */
  const gxds_host *host;   /* borrowed: valid while the text is parsed */
  struct upb_Arena *arena; /* not owned */
  gxds_errors errors;
  gxds_text lines; /* the lines of the errors: "a.b line 3, c line 7" */
} gxds_reader;

/* The most servers in a list. Real bootstraps have a handful; a longer list comes from a broken
 * generator. */
#define GXDS_BOOTSTRAP_SERVERS_MAX ((size_t)100)
#define GXDS_BOOTSTRAP_CREDS_MAX ((size_t)100)
/* The most authorities, and the most certificate providers. There may be one per tenant or per
 * certificate. */
#define GXDS_BOOTSTRAP_MAP_MAX ((size_t)10000)

/* Frees the contents of the reader, except the arena. */
void gxds_reader_fini(gxds_reader *r);
/* Allocates zeroed memory in the arena. */
void *gxds_reader_alloc(gxds_reader *r, size_t count, size_t size);
/* Makes a zero-terminated copy in the arena. */
gxds_str gxds_reader_copy(gxds_reader *r, gxds_str s);
/* The value as canonical JSON text (compact, sorted) in the arena. */
gxds_str gxds_reader_dump(gxds_reader *r, const json_t *value);

/* Adds an error and remembers its line. */
__attribute__((format(printf, 3, 4))) void gxds_reader_error(gxds_reader *r, const gxds_path *at,
                                                             const char *format, ...);
/* Remembers the line of errors that other code added at that path. */
void gxds_reader_note_line(gxds_reader *r, const gxds_path *at);

/* Each of these reads the member `name` of object: a string (copied into the arena), bool, object
 * or array. If it is absent or wrong, the result is empty, false or NULL. Objects and arrays are
 * borrowed: valid as long as the parsed JSON. */
gxds_str gxds_reader_string(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const char *name, gxds_json_presence presence);
/* False if the member is absent, or is not a bool. */
bool gxds_reader_bool(gxds_reader *r, const json_t *object, const gxds_path *at, const char *name);
json_t *gxds_reader_object(gxds_reader *r, const json_t *object, const gxds_path *at,
                           const char *name);
json_t *gxds_reader_array(gxds_reader *r, const json_t *object, const gxds_path *at,
                          const char *name, gxds_json_presence presence, size_t max);
/* Reads a map of the bootstrap: an object with at most GXDS_BOOTSTRAP_MAP_MAX members. Otherwise
 * like gxds_reader_object(). */
json_t *gxds_reader_map(gxds_reader *r, const json_t *bootstrap, const char *name);
/* Whether value, which is at that path, is an object; if not, adds an error. */
bool gxds_reader_is_object(gxds_reader *r, const json_t *value, const gxds_path *at);

/* The parts of a bootstrap. Each function makes its result in the arena, and adds all errors. */

/* Reads the list of servers in object's member "xds_servers". */
const gxds_bootstrap_server *const *gxds_reader_servers(gxds_reader *r, const json_t *object,
                                                        const gxds_path *at,
                                                        gxds_json_presence presence, size_t *count);
/* The server_features that decide the gxds_web_form of a web server. */
typedef struct gxds_web_features {
#define X(name, note) bool name;
  GXDS_WEB_FEATURES(X)
#undef X
} gxds_web_features;
/* Checks and reads the fields that only a server with an http: or https: URI has. The rest of
 * *server must be read already. */
void gxds_reader_web_server(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const gxds_web_features *features, gxds_bootstrap_server *server);
/* Reads object's member "node": sets node, node_id and node_without_id of *out. */
void gxds_reader_node(gxds_reader *r, const json_t *object, gxds_bootstrap *out);

/* Adds s. Percent-encodes every byte that is not allowed in an authority (RFC 3986). */
void gxds_percent_encode_authority(gxds_str s, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
