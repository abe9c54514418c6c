/* gxds_cache_record: the bytes of a resource cache file: a header, then records, each with its size
 * and checksums. Pure functions: any thread. Only the encoded bytes are allocated.
 *
 *     header   magic (16 bytes, with the version of the format), target, origin
 *     record   kind, time, type, name, version, bytes
 *
 * Numbers are little-endian. A later record replaces an earlier one of the same type and name; a
 * record of kind REMOVED removes it. A writer appends whole records. If the writer is killed, the
 * file may end in a part of a record. This does not count as damage: the records before it are
 * used. Any other change to the written bytes is damage: then no record of the file is used. */
#ifndef GRPC_XDS_TRANSPORT_CACHE_RECORD_H_
#define GRPC_XDS_TRANSPORT_CACHE_RECORD_H_

#include <stdint.h>

#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_CACHE_MAGIC_SIZE 16
#define GXDS_CACHE_VERSION 2 /* version 1 was for a server and a target only, without the node */

/* The most bytes of a record's type, name and version together. Names and versions from the network
 * are limited to less (GXDS_RESOURCE_NAME_BYTES_MAX, GXDS_VERSION_BYTES_MAX). */
#define GXDS_CACHE_FIELDS_MAX ((size_t)64 << 10)
/* The most bytes of a resource: no received message is longer (GXDS_RECEIVE_SIZE_MAX). */
#define GXDS_CACHE_RECORD_MAX ((size_t)256 << 20)
/* The most bytes of the target and the origin together. */
#define GXDS_CACHE_HEADER_MAX ((size_t)64 << 10)

typedef struct gxds_cache_record {
  bool removed;     /* the resource was removed: no version, no bytes */
  int64_t accepted; /* ns since 1970 */
  gxds_str type;
  gxds_str name;
  gxds_str version;
  gxds_str bytes;
} gxds_cache_record;

typedef enum gxds_cache_part {
  GXDS_CACHE_PART_OK,
  GXDS_CACHE_PART_END,     /* there are no more bytes */
  GXDS_CACHE_PART_CUT,     /* the part is cut off */
  GXDS_CACHE_PART_DAMAGED, /* the bytes differ from those that were written */
  GXDS_CACHE_PART_FOREIGN, /* this is not a cache file, or the file belongs to another target or
                              origin */
  GXDS_CACHE_PART_VERSION, /* the header has another version of the format */
} gxds_cache_part;

/* Adds the header. origin is any text that identifies the server whose resources are kept, and the
 * node that they were sent to. */
void gxds_cache_header_encode(gxds_str target, gxds_str origin, gxds_text *out);
/* Takes the header off the front of *rest if it is OK. Returns FOREIGN also if the target or the
 * origin differs. */
gxds_cache_part gxds_cache_header_decode(gxds_str *rest, gxds_str target, gxds_str origin);
/* The version of the format of a file that begins with these bytes; GXDS_CACHE_MAGIC_SIZE bytes are
 * enough. 0 if they do not begin a cache file. */
int gxds_cache_version(gxds_str head);
/* Adds a record. */
void gxds_cache_record_encode(const gxds_cache_record *r, gxds_text *out);
/* Takes a record off the front of *rest if it is OK. *out is borrowed: valid as long as the bytes.
 */
gxds_cache_part gxds_cache_record_decode(gxds_str *rest, gxds_cache_record *out);

#ifdef __cplusplus
}
#endif

#endif
