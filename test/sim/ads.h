// What both encodings of ADS have in common, and which of them a stream speaks.
#ifndef GRPC_XDS_TEST_SIM_ADS_H_
#define GRPC_XDS_TEST_SIM_ADS_H_

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
void CheckSend(World *world, Stream *stream, gxds_str bytes);
// The client is about to be given this: what it should hold, and say, from then on.
void Predict(World *world, Stream *stream, const Message &message);

// The server has received this.
void OnRequest(World *world, int stream, gxds_str bytes);
// What the server sends of this type, as a new message; -1: nothing. random: for what it does to
// it.
int Serve(World *world, int stream, int type, Serving how, Random *random);

// Says that what it sent lives on, and when it will say so again.
void OnHeartbeat(World *world, int stream, int type);
// Resources of that server don't end any more: they are sent once more, without a ttl.
void EndTtls(World *world, int server);

// Whether the server was asked for that type, and for which names.
bool Asks(const Stream &stream, int type);
Mask AskedNames(const Stream &stream, int type);

// ---- what a response does, to both ----

// While one response is predicted.
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
// The server is well: so says any response that is understood.
void PredictWell(World *world, Stream *stream);
// Nobody knows what the client makes of it.
void PredictAnything(World *world, Stream *stream);

// ---- what both kinds of server do wrong ----

// Another content in the place of one: invalid, undecodable, or of nobody's.
int MakeOdd(World *world, int type, int name, ContentFault fault, Random *random);
void MakeHostile(World *world, bool delta, int type, Random *random, Message *m);
// Cuts the message, or changes some of its bytes, but never such that a resource comes of it that
// the model doesn't know.
void Mangle(World *world, bool delta, Random *random, Message *m);

// A response that the production made, of files or of a web server's answer, as a new message.
int ReadResponse(World *world, gxds_str bytes);

// The node is in the first request of a stream, and only there.
void CheckNode(const Client &client, Stream *s, bool has_node, gxds_str node_id);

}  // namespace gxds_sim

#endif
