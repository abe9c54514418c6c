// State of the world, as both ends of a stream should use it: see ads.h.
#ifndef GRPC_XDS_TEST_SIM_SOTW_H_
#define GRPC_XDS_TEST_SIM_SOTW_H_

#include "test/sim/ads.h"

namespace gxds_sim {

void SotwCheckSend(World *world, Stream *stream, gxds_str bytes);
void SotwPredict(World *world, Stream *stream, const Message &message);
void SotwOnRequest(World *world, int stream, gxds_str bytes);
int SotwServe(World *world, int stream, int type, Serving how, Random *random);

void SotwOnHeartbeat(World *world, int stream, int type);

}  // namespace gxds_sim

#endif
