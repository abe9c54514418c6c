// The world of one run: time, the scheduled events, the network between clients and servers, and
// faults. One object does many runs, one after the other, to reuse memory.
#ifndef GRPC_XDS_TEST_SIM_WORLD_H_
#define GRPC_XDS_TEST_SIM_WORLD_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.h"
#include "test/sim/options.h"
#include "test/sim/resources.h"
#include "test/sim/stream.h"

namespace gxds_sim {

class Client;
class Directory;
class Server;
class Shelf;
class Website;

enum EventKind : uint8_t {
  kEventOp,           // a: its number
  kEventConnect,      // client, server
  kEventRequest,      // stream
  kEventSent,         // stream
  kEventMessage,      // stream
  kEventPush,         // stream, type
  kEventDies,         // stream, code
  kEventKeepalive,    // stream
  kEventHeartbeat,    // stream, type
  kEventDeadline,     // client
  kEventReplicate,    // server, type, name, content
  kEventServerUp,     // server
  kEventResync,       // server
  kEventDns,          // client, channel, host
  kEventRelease,      // client, channel, cluster
  kEventKill,         // client
  kEventFiles,        // client; its file source may have work
  kEventFileClosed,   // type
  kEventWeb,          // client, source; it may have work
  kEventWebRequest,   // client, source, exchange
  kEventWebResponse,  // client, source, exchange
};

struct Event {
  gxds_time at = 0;
  uint64_t order = 0;
  EventKind kind = kEventOp;
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  uint64_t generation = 0;
};

class World {
 public:
  World();
  ~World();
  World(const World &) = delete;

  RunResult Run(const RunSpec &spec);

  // ---- for the parts ----
  const Options &options() const { return options_; }
  gxds_time now() const { return now_; }
  bool repaired() const { return repaired_; }
  gxds_time repaired_at() const { return repaired_at_; }
  Plant plant() const { return spec_.plant; }
  uint64_t seed() const { return spec_.seed; }
  bool tracing() const { return spec_.trace && !ended_; }
  __attribute__((format(printf, 2, 3))) void Trace(const char *format, ...);
  Contents &contents() { return contents_; }
  Random &net() { return net_; }
  Server &server(int i) { return *servers_[static_cast<size_t>(i)]; }
  // The index of this server of a bootstrap; -1: none.
  int ServerOf(const gxds_bootstrap_server *server) const;
  // The cached resources of a server for the clients at that index.
  Shelf &shelf(int client, int server);
  Directory *directory() { return directory_.get(); }  // nullptr: none
  bool IsFiles(int server) const { return server == options_.files; }
  Website *website() { return website_.get(); }  // nullptr: none
  bool IsWeb(int server) const { return server == options_.web; }
  // Whether it is no ADS server, so no ADS stream goes to it.
  bool IsNoServer(int server) const { return IsFiles(server) || IsWeb(server); }
  Client &client(int i) { return *clients_[static_cast<size_t>(i)]; }
  Stream &stream(int i) { return streams_[static_cast<size_t>(i)]; }
  int stream_count() const { return static_cast<int>(streams_.size()); }
  int truth(int type, int name) const { return truth_[type][name]; }
  void Did(Happening what) { result_.counts[what]++; }

  void Schedule(gxds_duration after, Event event) { ScheduleAt(now_ + after, event); }
  void ScheduleAt(gxds_time at, Event event);
  int NewMessage();
  Message &message(int i) { return messages_[static_cast<size_t>(i)]; }
  void FreeMessage(int i) { messages_[static_cast<size_t>(i)].used = false; }

  // ---- network (network.cc) ----
  int OpenStream(int client, int server, gxds_stream_id id, bool delta);
  // The client cancelled the stream, or the stream has ended.
  void ForgetStream(int stream);
  // Carries out the client's SEND.
  void SendRequest(int stream, std::string bytes);
  // A planted fault: sends the request a second time.
  void SendEcho(int stream, std::string bytes);
  // Sends a server's response. Takes ownership of the message.
  void SendResponse(int stream, int message);
  // Gives the client the arrived messages, as long as it reads.
  void DeliverNext(int stream);
  void SchedulePush(int stream, int type, gxds_duration after);
  void ScheduleHeartbeat(int stream, int type, gxds_duration after);
  // Ends the stream. after_messages: messages on their way to the client arrive before.
  void EndStream(int stream, int code, bool after_messages);
  void TryConnect(int client, int server, gxds_duration after);
  void ServerDown(int server, gxds_duration how_long, bool lose_state);
  // Makes the link half-open for that time: nothing gets through. A keepalive may detect it
  // earlier.
  void GoSilent(int client, int server, gxds_duration how_long);

  // ---- events for all parts ----
  void SetTruth(int type, int name, int content);
  void JumpClock(gxds_duration by) { now_ += by; }
  // again: the next process has the same uses as this one. between: called when the old process has
  // ended and the new one has not started.
  void RestartClient(int client, bool again, const std::function<void()> &between = nullptr);
  // Kills the client when its process has written that many bytes to its cache, or soon.
  void KillClient(int client, int64_t after_bytes);
  void CountDeadline();

 private:
  void Reset(const RunSpec &spec);
  void Clear();
  void RunOps();
  void StartParts();
  void ScheduleOp(int number);
  void CarryOp(int number);
  void Repair();
  void RepairResources();
  bool IsTainted(const Stream &s);
  void Converge(const char *when);
  uint32_t MessageCount() const {
    return result_.counts[kDidRequest] + result_.counts[kDidMessage] +
           result_.counts[kDidWebRequest];
  }
  void Finish();
  bool Step();  // false: no event is scheduled
  void Carry(const Event &event);
  void CarryStreamEvent(const Event &event);
  bool IsLate(const Event &event) const;
  void BuryKilled();

  void OnFiles(int client);
  void OnWebEvent(const Event &event);
  void OnWeb(int client);
  void OnConnect(int client, int server);
  void OnRequest(int stream);
  void OnSent(int stream);
  void OnMessage(int stream);
  void OnDies(int stream, int code);
  void Establish(int stream);
  void Launch(int stream, int message);
  void Depart(int stream, int message);
  gxds_time SilentUntil(const Stream &s, gxds_time at);  // 0: the link is not silent

  RunSpec spec_;
  Options options_;
  RunResult result_;
  gxds_time now_ = 0;
  bool repaired_ = false;
  gxds_time repaired_at_ = 0;
  uint64_t order_ = 0;
  uint64_t last_client_ = 0;
  int ops_done_ = 0;
  bool ended_ = false;  // only cleanup is left
  Random net_;
  Contents contents_;
  std::vector<Event> heap_;
  std::deque<Stream> streams_;
  std::deque<Message> messages_;
  int truth_[kTypeCount][kNameCount] = {};
  std::unique_ptr<Shelf> shelves_[kClientMax][kServerMax];  // declared before the clients, whose
                                                            // destructors close them
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Website> website_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace gxds_sim

#endif
