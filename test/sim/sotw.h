// State of the world, as both ends of a stream should speak it: what a client may say and when,
// what a response does to what a client holds, and what a server sends.
#ifndef GRPC_XDS_TEST_SIM_SOTW_H_
#define GRPC_XDS_TEST_SIM_SOTW_H_

#include "test/sim/world.h"

namespace gxds_sim {

// How a response is made.
enum Serving {
  kServeNews,  // if there are any
  kServeAgain,
  kServeOddNonce,
  kServeHostile,
  kServeMangled,
};

// The client says this: checks every rule, at the moment at which it is said.
void SotwCheckSend(World *world, Stream *stream, gxds_str bytes);
// The client is about to be given this: what it should hold, and say, from then on.
void SotwPredict(World *world, Stream *stream, const Message &message);

// The server has received this.
void SotwOnRequest(World *world, int stream, gxds_str bytes);
// What the server sends of this type, as a new message; -1: nothing. random: for what it does to
// it.
int SotwServe(World *world, int stream, int type, Serving how, Random *random);

}  // namespace gxds_sim

#endif
