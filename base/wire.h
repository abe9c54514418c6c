/* Help for the host's protobuf decoder with bytes from the network.
 *
 * The upb of libgrpc 1.51.1 has a fault: if a map entry with unknown fields reaches into the last
 * 16 bytes of the input, upb aborts, or copies memory outside of the input. So a message from the
 * network gets padding at its end: one more field, which no message has and every decoder skips.
 * Pure functions, any thread. */
#ifndef GRPC_XDS_BASE_WIRE_H_
#define GRPC_XDS_BASE_WIRE_H_

#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GXDS_WIRE_PADDING_SIZE 32
/* The greatest field number that protobuf allows. */
#define GXDS_WIRE_PADDING_FIELD 0x1fffffff

/* Whether bytes consist of whole fields only, so that another field may follow. If not, they are
 * not a message: padding them could complete a field that was cut off. */
bool gxds_wire_is_whole(gxds_str bytes);

/* A field of a message; a whole group counts as one field. Borrowed: valid as long as the message.
 */
typedef struct gxds_wire_field {
  uint64_t number;
  bool has_size;  /* the field is a string or a message */
  gxds_str value; /* the contents, if has_size */
  gxds_str whole; /* the whole field, with its tag */
} gxds_wire_field;

/* Takes the next field off the front of *rest. Returns false if no whole field is left. */
bool gxds_wire_next(gxds_str *rest, gxds_wire_field *out);

/* Takes fields off the front of *rest, up to the next string or message with that number, and sets
 * *value to its contents. False if there is none. Borrowed: valid as long as the message. */
bool gxds_wire_next_value(gxds_str *rest, uint64_t number, gxds_str *value);

/* The value of the string, bytes or message field with that number; its data is NULL if there is
 * none. If the field occurs several times, the last one counts. Borrowed. */
gxds_str gxds_wire_bytes_at(gxds_str message, uint64_t number);

/* The same for a varint field, such as an integer, a bool or an enum; 0 if there is none. */
uint64_t gxds_wire_number_at(gxds_str message, uint64_t number);

/* The value of a double; 0 if the field is not a double. */
double gxds_wire_double(const gxds_wire_field *f);

/* Copies bytes to out, and the padding after them. out has room for bytes.size +
 * GXDS_WIRE_PADDING_SIZE. */
void gxds_wire_pad(gxds_str bytes, char *out);

/* Removes the padding, in place, from a message that was decoded and encoded again. The message
 * still has the padding, because encoding keeps unknown fields. Returns the new size. bytes must be
 * whole fields. */
size_t gxds_wire_unpad(char *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
