/* gxds_reader: one parse of a bootstrap: the errors found so far, and the arena that the result
 * lives in. The functions below read one field of a JSON object each, in the host's words when it
 * is wrong. Confined to one thread; lives in the caller's struct. */
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
  gxds_str json;           /* borrow: the text, while it is parsed */
  const gxds_host *host;   /* borrow */
  struct upb_Arena *arena; /* not owned */
  gxds_errors errors;
  gxds_text lines; /* "a.b line 3, c line 7": where the errors are */
} gxds_reader;

/* A bootstrap names a handful of servers; a list beyond this is a generator gone wrong. */
#define GXDS_BOOTSTRAP_SERVERS_MAX ((size_t)100)
#define GXDS_BOOTSTRAP_CREDS_MAX ((size_t)100)
/* Maps of authorities and of certificate providers are made per tenant or per certificate. */
#define GXDS_BOOTSTRAP_MAP_MAX ((size_t)10000)

/* Frees what the reader holds, not the arena. */
void gxds_reader_fini(gxds_reader *r);
/* Zeroed memory in the arena. */
void *gxds_reader_alloc(gxds_reader *r, size_t count, size_t size);
/* A zero-terminated copy in the arena. */
gxds_str gxds_reader_copy(gxds_reader *r, gxds_str s);
/* The value as canonical JSON text (compact, sorted) in the arena. */
gxds_str gxds_reader_dump(gxds_reader *r, const json_t *value);

/* Adds an error and remembers its line. */
__attribute__((format(printf, 3, 4))) void gxds_reader_error(gxds_reader *r, const gxds_path *at,
                                                             const char *format, ...);
/* Remembers the line of errors that somebody else added at that path. */
void gxds_reader_note_line(gxds_reader *r, const gxds_path *at);

/* The string (a copy in the arena), object or array of that name in object; empty or NULL when it
 * is absent or wrong. Objects and arrays are borrowed: as long as the parsed JSON. */
gxds_str gxds_reader_string(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const char *name, gxds_json_presence presence);
/* False when it is absent or wrong. */
bool gxds_reader_bool(gxds_reader *r, const json_t *object, const gxds_path *at, const char *name);
json_t *gxds_reader_object(gxds_reader *r, const json_t *object, const gxds_path *at,
                           const char *name, gxds_json_presence presence);
json_t *gxds_reader_array(gxds_reader *r, const json_t *object, const gxds_path *at,
                          const char *name, gxds_json_presence presence, size_t max);
/* The same of a map: an object that holds at most GXDS_BOOTSTRAP_MAP_MAX members. */
json_t *gxds_reader_map(gxds_reader *r, const json_t *object, const gxds_path *at,
                        const char *name);
/* False, and an error, when value (at that path) is no object. */
bool gxds_reader_is_object(gxds_reader *r, const json_t *value, const gxds_path *at);

/* The parts of a bootstrap. Each returns what it made in the arena, and adds what is wrong. */

/* The list of servers in object's member "xds_servers". */
const gxds_bootstrap_server *const *gxds_reader_servers(gxds_reader *r, const json_t *object,
                                                        const gxds_path *at,
                                                        gxds_json_presence presence, size_t *count);
/* The server_features that say what a web server is asked for. */
typedef struct gxds_web_features {
  bool rest;
  bool files;
} gxds_web_features;
/* What else a server has whose URI is http: or https:; the rest of *server was read before. */
void gxds_reader_web_server(gxds_reader *r, const json_t *object, const gxds_path *at,
                            const gxds_web_features *features, gxds_bootstrap_server *server);
/* Object's member "node": sets node, node_id and node_without_id of *out. */
void gxds_reader_node(gxds_reader *r, const json_t *object, gxds_bootstrap *out);

/* Adds s with every byte percent-encoded that may not be in an authority, or in a path (RFC 3986;
 * "/" may). */
void gxds_percent_encode_authority(gxds_str s, gxds_text *out);
void gxds_percent_encode_path(gxds_str s, gxds_text *out);

#ifdef __cplusplus
}
#endif

#endif
