// One ADS stream: the messages on their way, and the state of both ends. That state depends on the
// variant of ADS: see sotw.h and delta.h.
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
  kBrokenWrapper,  // a Resource that cannot be decoded, or that is invalid if it has a name
};

// One resource of a response.
struct Item {
  int content = 0;
  uint8_t name = 0;  // the wrapper's, when wrapped
  ItemForm form = kBare;
  bool named = false;  // for the last two forms: in a wrapper whose name can be read
  // Delta.
  int8_t alias = -1;  // another name by which the resource is requested
  // Of the wrapper.
  bool heartbeat = false;  // renews the TTL, without the content
  std::string version;     // SotW: only some servers set it
};

enum MessageEffect : uint8_t {
  kUnderstood,
  kIgnored,  // of an unknown type
  kUnsure,   // its bytes were changed, so the client's reaction is not predictable
};

// One message, in either direction. Lives in the world's pool.
struct Message {
  bool used = false;
  std::string bytes;
  // For a response: its meaning, before any damage.
  int type = 0;
  MessageEffect effect = kUnderstood;
  std::string version;
  std::string nonce;
  std::vector<Item> items;
  Mask missing = 0;       // reported as missing, as errors (xRFC TP3)
  gxds_duration ttl = 0;  // of its items
  // Delta.
  Mask removed = 0;
};

// The state of the client's end for one type, from the responses it got and the requests it sent.
struct SotwClientEnd {
  bool requested = false;
  bool ack_due = false;          // a response waits for its ACK or NACK
  bool had_errors = false;       // it must be a NACK
  bool may_have_errors = false;  // perhaps a NACK
  bool unsure = false;           // not known
  Mask ever = 0;                 // names requested on this stream
  Mask first = 0;                // names in all requests, from the first one on
  std::string nonce;
  std::string nonce_before;  // this and the next are for planted faults
  std::string received_version;
};

// A server's last heartbeat.
struct Heartbeats {
  bool scheduled = false;
  std::string nonce;
  Mask names = 0;
};

// The state of the server's end for one type.
struct SotwServerEnd {
  bool requested = false;
  bool responded = false;
  bool odd = false;  // its acknowledgements are not reliable
  Mask names = 0;
  int given[kNameCount] = {};  // what the client should have; -1: nothing; -2: unknown
  std::string nonce;
  std::string version;  // the last one in a response, or the client's if the server trusted it
  Heartbeats heartbeats;
  std::vector<std::string> unacknowledged;  // nonces, the oldest first
  bool owes = false;                        // it must respond, even without changes
  bool repeats = false;                     // the response must contain everything
};

struct SotwStream {
  SotwClientEnd client_end[kTypeCount];
  SotwServerEnd server_end[kTypeCount];
};

// The same in delta. The state of the client's end.
struct DeltaAck {
  std::string nonce;
  bool nack = false;
  bool unsure = false;  // ACK or NACK is not known
};
struct DeltaClientEnd {
  bool requested = false;
  std::vector<DeltaAck> acks_due;  // of responses, the oldest first
};

// The state of the server's end.
enum { kNotSent = -1, kUnknownContent = -2, kSentRemoved = -3 };
struct DeltaServerEnd {
  bool requested = false;
  bool hostile_early = false;  // a hostile response came before the first request
  Mask names = 0;
  Mask unsubscribed = 0;             // lately
  int given[kNameCount] = {};        // by name: a content, or one of these
  int8_t alias_of[kNameCount] = {};  // the name under which it was sent; -1: its own
  std::string nonce;                 // of the last response
  Heartbeats heartbeats;
};

struct DeltaStream {
  bool unsure = false;  // the ACKs and NACKs that are due are not known
  DeltaClientEnd client_end[kTypeCount];
  DeltaServerEnd server_end[kTypeCount];
};

// Lives in the world's pool.
struct Stream {
  bool used = false;
  uint32_t generation = 0;  // identifies late events of an earlier stream at this index
  gxds_stream_id id = 0;
  int client = 0;
  int server = 0;
  bool established = false;  // the channel was connected and the server knows of it
  bool dying = false;        // its end is scheduled
  bool tainted = false;      // has a fault that only a new stream repairs
  bool read_wanted = false;
  bool sending = false;
  bool got_response = false;
  bool sent_version = false;             // the first request of some type had a version
  gxds_time quiet_at = GXDS_TIME_NEVER;  // after this time, no response means no change
  bool kept_quiet = false;
  bool delta = false;
  bool node_sent = false;
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
