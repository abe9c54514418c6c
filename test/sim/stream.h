// One ADS stream: what is on its way on it, and what each of its ends knows. The ends' knowledge
// depends on the encoding: sotw.h has that of state-of-the-world; an incremental one would stand
// beside it.
#ifndef GRPC_XDS_TEST_SIM_STREAM_H_
#define GRPC_XDS_TEST_SIM_STREAM_H_

#include <deque>
#include <string>
#include <vector>

#include "test/sim/basics.h"
#include "xds_client/client.h"

namespace gxds_sim {

enum ItemForm : uint8_t {
  kBare,
  kWrapped,
  kWrongType,      // bare, but its type is not that of the response
  kBrokenWrapper,  // a Resource that can't be decoded
};

// One resource of a response.
struct Item {
  int content = 0;
  uint8_t name = 0;  // the wrapper's, when wrapped
  ItemForm form = kBare;
};

enum MessageEffect : uint8_t {
  kUnderstood,
  kIgnored,  // of a type that nobody knows
  kUnsure,   // its bytes were tampered with: nobody knows what the client makes of it
};

// One message, in either direction. Lives in the world's pool.
struct Message {
  bool used = false;
  std::string bytes;
  // Of a response: what the server meant by it.
  int type = 0;
  MessageEffect effect = kUnderstood;
  std::string version;
  std::string nonce;
  std::vector<Item> items;
};

// What the client's end should know of one type, by what it was given and what it said.
struct SotwHeard {
  bool requested = false;
  bool unanswered = false;  // a response waits for its ACK or NACK
  bool had_errors = false;  // and it is to be a NACK
  bool unsure = false;      // who knows
  Mask ever = 0;            // asked for on this stream
  std::string nonce;
  std::string nonce_before;  // these two are for planted faults
  std::string received_version;
};

// What the server's end knows of one type.
struct SotwServed {
  bool asked = false;
  bool answered = false;
  bool push_scheduled = false;
  bool odd = false;  // what was acknowledged is not to be relied on
  Mask names = 0;
  int given[kNameCount] = {};  // what it believes that the client has; -1: nothing; -2: who knows
  std::string nonce;
};

struct SotwStream {
  bool node_said = false;
  SotwHeard heard[kTypeCount];
  SotwServed served[kTypeCount];
};

// Lives in the world's pool.
struct Stream {
  bool used = false;
  uint32_t generation = 0;  // tells late events of a former stream in this place
  gxds_stream_id id = 0;
  int client = 0;
  int server = 0;
  bool established = false;  // the channel was connected and the server knows of it
  bool dying = false;        // its end is on its way
  bool tainted = false;      // something happened on it that only a new stream cures
  bool read_wanted = false;
  bool sending = false;
  bool got_response = false;
  int unsent = -1;        // message: the outstanding SEND, while not established
  gxds_time last_up = 0;  // when the last message on its way arrives
  gxds_time last_down = 0;
  std::vector<int> going_up;  // messages on their way, in order
  std::vector<int> going_down;
  std::vector<int> inbox;  // messages that arrived and were not read
  SotwStream sotw;
};

}  // namespace gxds_sim

#endif
