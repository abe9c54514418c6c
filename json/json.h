/* gxds_json: reads the fields of a JSON object, and collects all errors, with paths, in the words
 * of the host's own loader. For JSON that people and control planes write: the bootstrap, LB
 * configs. Pure functions: any thread.
 *
 * Each function reads one member of `object`, which must be an object, and returns whether the
 * member was there and valid. Otherwise it leaves *out unchanged. at is the path of `object`. An
 * absent member is an error if it is required. Members that no caller reads are ignored. */
#ifndef GRPC_XDS_JSON_JSON_H_
#define GRPC_XDS_JSON_JSON_H_

#include <jansson.h>

#include "base/errors.h"
#include "base/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gxds_json_presence { GXDS_JSON_OPTIONAL, GXDS_JSON_REQUIRED } gxds_json_presence;

/* Adds an error, and returns false, if value (at that path) is not an object. */
bool gxds_json_is_object(const json_t *value, const gxds_path *at, gxds_errors *errors);

/* The text of a string; empty if value is NULL or not a string. Borrowed: valid as long as the
 * JSON. */
static inline gxds_str gxds_json_text(const json_t *value) {
  return gxds_str_of(json_string_value(value), json_string_length(value));
}

/* Borrowed: valid as long as the JSON. */
bool gxds_json_str(const json_t *object, const char *name, gxds_json_presence presence,
                   const gxds_path *at, gxds_errors *errors, gxds_str *out);
/* Numbers may be written as strings, as protobuf's JSON has it. */
bool gxds_json_uint64(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, uint64_t *out);
bool gxds_json_uint32(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, uint32_t *out);
bool gxds_json_double(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, double *out);
bool gxds_json_bool(const json_t *object, const char *name, gxds_json_presence presence,
                    const gxds_path *at, gxds_errors *errors, bool *out);
/* A duration as protobuf's JSON writes it: "1.5s". More than 292 years become 292 years. */
bool gxds_json_duration(const json_t *object, const char *name, gxds_json_presence presence,
                        const gxds_path *at, gxds_errors *errors, gxds_duration *out);
/* Borrowed: valid as long as the JSON. */
bool gxds_json_object(const json_t *object, const char *name, gxds_json_presence presence,
                      const gxds_path *at, gxds_errors *errors, const json_t **out);
bool gxds_json_array(const json_t *object, const char *name, gxds_json_presence presence,
                     const gxds_path *at, gxds_errors *errors, const json_t **out);

#ifdef __cplusplus
}
#endif

#endif
