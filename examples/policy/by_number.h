/* The policy "example.by_number": see by_number.c. */
#ifndef BY_NUMBER_H_
#define BY_NUMBER_H_

#include <grpc_xds/grpc_xds.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call it before the first grpc_init(). */
grpc_xds_result by_number_register(void);

#ifdef __cplusplus
}
#endif

#endif
