// What both variants of ADS have in common. Dispatches to the variant of a stream.
#ifndef GRPC_XDS_TEST_SIM_ADS_H_
#define GRPC_XDS_TEST_SIM_ADS_H_

#include "test/sim/world.h"

namespace gxds_sim {

// How a response is made.
enum Serving {
  kServeChanges,  // if there are any
  kServeAgain,
  kServeOddNonce,
  kServeHostile,
  kServeMangled,
};

// The client sends this request: checks every rule at the moment of sending.
void CheckSend(World *world, Stream *stream, gxds_str bytes);
// The client is about to receive this response: updates what it should hold and send from then on.
void Predict(World *world, Stream *stream, const Message &message);

// The server has received this request.
void OnRequest(World *world, int stream, gxds_str bytes);
// The server's response of this type, as a new message; -1: none. random: for the faults of the
// response.
int Serve(World *world, int stream, int type, Serving how, Random *random);

// Sends a heartbeat for the resources that were sent, and schedules the next one.
void OnHeartbeat(World *world, int stream, int type);
// The server's resources get no TTL any more: they are sent once more, without one.
void EndTtls(World *world, int server);

// Whether the client requested that type from the server, and for which names.
bool HasRequested(const Stream &stream, int type);
Mask RequestedNames(const Stream &stream, int type);

// ---- the effect of a response, in both variants ----

// The state during the prediction of one response.
struct Prediction {
  World *world;
  Client *client;
  int server;
  const Message *message;
  bool delta;
  Mask seen = 0;
  int errors = 0;
  bool maybe_errors = false;
  bool any_valid = false;
  bool maybe_valid = false;
};
void PredictItem(Prediction *p, const Item &item);
// Any response that is understood shows that the server works.
void PredictWell(World *world, Stream *stream);
// The client's reaction to the response is not predictable.
void PredictAnything(World *world, Stream *stream);

// ---- faults of servers of both variants ----

// A new content of that name with that fault. With kValid it is a content that the truth does not
// have.
int MakeOdd(World *world, int type, int name, ContentFault fault, Random *random);
void MakeHostile(World *world, bool delta, int type, Random *random, Message *m);
// Cuts the message, or changes some of its bytes, but never so that it contains a resource that the
// model does not know.
void Mangle(World *world, bool delta, Random *random, Message *m);

// Parses a response that the production code made from files or from a web server's response, as a
// new message.
int ReadResponse(World *world, gxds_str bytes);

// Checks that the node is in the first request of a stream, and only there.
void CheckNode(const Client &client, Stream *s, bool has_node, gxds_str node_id);

}  // namespace gxds_sim

#endif
