// Incremental ADS, as both ends of a stream should use it: see ads.h.
#ifndef GRPC_XDS_TEST_SIM_DELTA_H_
#define GRPC_XDS_TEST_SIM_DELTA_H_

#include "test/sim/ads.h"

namespace gxds_sim {

void DeltaCheckSend(World *world, Stream *stream, gxds_str bytes);
void DeltaPredict(World *world, Stream *stream, const Message &message);
void DeltaOnRequest(World *world, int stream, gxds_str bytes);
int DeltaServe(World *world, int stream, int type, Serving how, Random *random);
// Sends a heartbeat for the resources that were sent, and schedules the next one.
void DeltaOnHeartbeat(World *world, int stream, int type);

}  // namespace gxds_sim

#endif
