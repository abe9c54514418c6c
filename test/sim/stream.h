// One ADS stream: what is on its way on it, and what each of its ends knows. The ends' knowledge
// depends on the encoding: see sotw.h and delta.h.
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
  kWrongType,      // its type is not that of the response; bare unless named
  kBrokenWrapper,  // a Resource that can't be decoded, or, if named, not be used
};

// One resource of a response.
struct Item {
  int content = 0;
  uint8_t name = 0;  // the wrapper's, when wrapped
  ItemForm form = kBare;
  bool named = false;  // of the latter two: by a wrapper that can be read
  // Delta.
  int8_t alias = -1;  // it is what is asked for by that name too
  // Of the wrapper.
  bool heartbeat = false;  // it lives on: the content is not sent
  std::string version;     // SotW: not all servers say one
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
  Mask missing = 0;       // told to be so, as errors (xRFC TP3)
  gxds_duration ttl = 0;  // of its items
  // Delta.
  Mask removed = 0;
};

// What the client's end should know of one type, by what it was given and what it said.
struct SotwHeard {
  bool requested = false;
  bool unanswered = false;       // a response waits for its ACK or NACK
  bool had_errors = false;       // and it is to be a NACK
  bool may_have_errors = false;  // or perhaps
  bool unsure = false;           // who knows
  Mask ever = 0;                 // asked for on this stream
  std::string nonce;
  std::string nonce_before;  // these two are for planted faults
  std::string received_version;
};

// What a server said last to live on.
struct Heartbeats {
  bool scheduled = false;
  std::string nonce;
  Mask names = 0;
};

// What the server's end knows of one type.
struct SotwServed {
  bool asked = false;
  bool answered = false;
  bool odd = false;  // what was acknowledged is not to be relied on
  Mask names = 0;
  int given[kNameCount] = {};  // what it believes that the client has; -1: nothing; -2: who knows
  std::string nonce;
  std::string version;  // the last that it said, or that the client said and was believed
  Heartbeats heartbeats;
  std::vector<std::string> unacknowledged;  // nonces, the oldest first
  bool owes = false;                        // a response, even if it says nothing new
  bool repeats = false;                     // and that is to have everything
};

struct SotwStream {
  SotwHeard heard[kTypeCount];
  SotwServed served[kTypeCount];
};

// The same in delta. What the client's end should know.
struct DeltaAnswer {
  std::string nonce;
  bool nack = false;
  bool unsure = false;  // which of both
};
struct DeltaHeard {
  bool requested = false;
  std::vector<DeltaAnswer> unanswered;  // responses, the oldest first
};

// What the server's end knows.
enum { kUntold = -1, kWhoKnows = -2, kToldAbsent = -3 };
struct DeltaServed {
  bool asked = false;
  Mask names = 0;
  Mask left = 0;                     // given up lately
  int given[kNameCount] = {};        // of names: a content, or one of these
  int8_t alias_of[kNameCount] = {};  // it was told under that name; -1: under its own
  std::string nonce;                 // of the last response
  Heartbeats heartbeats;
};

struct DeltaStream {
  bool unsure = false;  // what the client has to answer is not known
  DeltaHeard heard[kTypeCount];
  DeltaServed served[kTypeCount];
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
  bool claimed = false;                  // the client said what it has, of some type
  gxds_time quiet_at = GXDS_TIME_NEVER;  // from then on silence means that there is nothing new
  bool kept_quiet = false;
  bool delta = false;
  bool node_said = false;
  bool push_scheduled[kTypeCount] = {};
  int unsent = -1;        // message: the outstanding SEND, while not established
  gxds_time last_up = 0;  // when the last message on its way arrives
  gxds_time last_down = 0;
  std::vector<int> going_up;  // messages on their way, in order
  std::vector<int> going_down;
  std::vector<int> inbox;  // messages that arrived and were not read
  SotwStream sotw;
  DeltaStream delta_state;
};

}  // namespace gxds_sim

#endif
