// A process with the production's client engine, driven as the production's transport drives it,
// and a model of what it should hold. Everything that the engine does is checked against the model
// (Entry and Conn).
#ifndef GRPC_XDS_TEST_SIM_CLIENT_H_
#define GRPC_XDS_TEST_SIM_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "test/sim/client_cache.h"
#include "test/sim/files.h"
#include "test/sim/server.h"
#include "test/sim/web.h"
#include "test/sim/world.h"

namespace gxds_sim {

class Channel;

// The model's value of a resource: a content's number, or one of these.
enum { kNothing = -1, kSomeSocket = -2 };
enum { kUnknownAlias = -2 };                  // or no alias
int NumberOf(const gxds_resource *resource);  // NULL: kNothing

// What the client should hold of one resource.
struct Entry {
  int watchers = 0;
  int held = kNothing;
  gxds_resource_state state = GXDS_RESOURCE_REQUESTED;
  int source = -1;         // the server that sent it
  bool unsure = true;      // the model does not know it, and takes it from the engine once
  bool may_renew = false;  // watchers may get another notification with the same resource
  bool restored = false;   // it came from the resource cache
  // Delta.
  std::string version;
  int alias_of = -1;                   // the name in the response, if it is another
  gxds_time ttl_at = GXDS_TIME_NEVER;  // when it ends
  bool ttl_unsure = false;             // the resource may end at any time
  // It was requested and did not arrive in time (A57; A88's transient errors).
  bool may_not_exist = false;
  bool may_be_late = false;
  bool was_missing = false;  // one of these two was true since the last drain
};

enum Usage { kNotUsed, kMaybeUsed, kUsed };

// What the client should know about one server, and the state of the channel to it.
struct Conn {
  gxds_server_id id = 0;  // 0: the engine does not use this server
  bool ready = false;
  bool maybe_given_up = false;  // since the last drain
  bool connecting = false;
  int stream = -1;
  bool failed = false;                     // since the last response
  bool failed_unsure = false;              // perhaps it works
  bool failed_lately = false;              // failed at some time since the last drain
  bool no_delta = false;                   // it responded UNIMPLEMENTED, which is final
  bool delta_unsure = false;               // perhaps it did
  Mask requested_before[kTypeCount] = {};  // names that an earlier subscription requested
  std::string version[kTypeCount];
  bool version_unsure[kTypeCount] = {};
  Mask requested[kTypeCount] = {};                 // names requested on this stream
  gxds_time sent_at[kTypeCount][kNameCount] = {};  // when the request that is on its way was sent
  // Faults of the link.
  gxds_time down_until = 0;
  gxds_time silent_until = 0;
  gxds_time stalled_until = 0;
};

// A watch, and the last notification of its watcher.
struct Watch {
  bool used = false;
  uint32_t generation = 0;
  gxds_watch_id id = 0;
  int type = 0;
  int name = -1;     // -1: a name that is refused
  int channel = -1;  // whose watch it is; -1: no channel's
  uint64_t token = 0;
  int held = kNothing;
  bool notified = false;  // whether there was any notification
  int error_code = 0;     // instead of a resource
  int ambient_code = 0;   // beside it
  uint64_t ambient_hash = 0;
  bool ambient_outage = false;  // the ambient error is an outage of a server
};

class Client {
 public:
  Client(World *world, int index, uint64_t serial);
  ~Client();
  Client(const Client &) = delete;

  // What the program uses the client for.
  struct Use {
    std::vector<int> channels;                 // their listeners
    std::vector<std::pair<int, int>> watches;  // of no channel: types and names
  };
  Use use() const;
  void Begin(const Use &use);
  // Makes all servers unreachable for a while.
  void CutOff(gxds_duration how_long);

  int index() const { return index_; }
  uint64_t serial() const { return serial_; }
  ClientCache *cache() { return cache_.get(); }  // nullptr: no resource cache
  FileSource *files() { return files_.get(); }   // nullptr: no file source
  WebSource *web() { return web_.get(); }        // likewise
  // The source of the watched resource; nullptr: there is no resource.
  const gxds_bootstrap_server *SourceOf(int type, int name) const;
  gxds_client *engine() { return engine_; }
  Conn &conn(int server) { return conns_[server]; }
  Entry &entry(int type, int name) { return entries_[type][name]; }
  const Entry &entry(int type, int name) const { return entries_[type][name]; }
  const std::string &node_id() const { return node_id_; }
  // The names of that type that have a watch.
  Mask Watched(int type) const { return watched_[type]; }
  // Whether the client requests names of that authority from that server.
  Usage Uses(int server, int authority) const;
  bool IsPrimary(int server, int authority) const;
  // Whether another server is used in its place (A71). Then the model expects nothing of this
  // server.
  Usage HasFallback(int server) const;

  // ---- actions of its owner ----
  int AddWatch(int type, int name, const std::string &text, int channel, uint64_t token);
  void EndWatch(int watch);
  int DrawWatch(Random *random) const;  // a watch of no channel; -1: there is none
  int raw_watch_count() const;          // the number of these watches
  Watch &watch(int i) { return watches_[static_cast<size_t>(i)]; }
  // Ends some watches and starts others for the same names, at once or later.
  void WatchAgain(Random *random);
  int StartChannel(int listener);
  void StopChannel(int channel);
  int channel_count() const { return static_cast<int>(channels_.size()); }
  Channel *channel(int i) { return channels_[static_cast<size_t>(i)].get(); }
  void Touch(int channel);  // the channel must settle
  // Draws an event of the backends and RPCs of its channels.
  void StepPolicies(Random *random);

  // ---- events of the network ----
  void OnSent(int stream);
  void OnMessage(int stream, const Message &message);
  void OnStreamClosed(int server, gxds_stream_id id, int code);
  void OnChannelFailed(int server);
  void OnDeadline();
  void OnDeadlineEvent(gxds_time at);
  void CarryDeadline(gxds_time now);
  void ResetBackoff();
  void LateEvents(Random *random);
  // Carries out the engine's actions, unless the drain is put off after this event.
  void AfterEvent();
  void Drain();

  // The effects of a response on the model: see ads.cc.
  void Accept(int type, int name, int server, const Item &item, gxds_duration ttl, int alias_of);
  void Renew(int type, int name, gxds_duration ttl);
  // The model's value of a resource with that content.
  static int ModelNumber(World *world, int content);
  void Remove(int type, int name, int server);  // delta: a response removes it
  void Reject(int type, int name, int server);
  void Delete(int type, int name, int server);
  void Miss(int type, int name, int server);  // a response says that it does not exist
  void BeUnsure(int type, int name);
  void GiveUpAfter(int server);  // A71: the server works, so later servers are not used any more
  void BeUnsure();               // about everything

  // ---- the end ----
  void Repair();
  void CheckConverged();
  void Finish();  // ends everything; nothing may be left
  uint64_t Digest();

 private:
  void MakeBootstrap();
  void Carry(const gxds_action &action);
  void CarryServer(const gxds_action &action);
  void CarrySend(const gxds_action &action);
  std::string PlantInRequest(Stream *stream, gxds_str bytes);
  std::string PlantInDelta(Stream *stream, gxds_str bytes);
  void EndTtls(gxds_time now);
  void Drop(Entry *e);
  bool ReportsDeletions(const Watch &watch) const;
  int ServerOf(gxds_server_id id) const;
  int StreamOf(gxds_stream_id id) const;
  Watch *WatchOf(const gxds_action &action);
  void Notify(const gxds_action &action);
  void NotifyResource(Watch *watch, const gxds_action &action);
  void NotifyAmbient(Watch *watch, const gxds_action &action);
  void CheckTimeout(const Watch &watch, const gxds_error &error);
  void CheckUnreachable(const Watch &watch, const gxds_error &error);
  bool SettleChannels();
  void Observe();
  void CompareWithEngine();
  void CompareResource(const gxds_resource_info &info);
  void CheckWatch(const Watch &watch);
  void CheckSubscriptions();
  void ScheduleDeadline();

  World *world_;
  int index_;
  uint64_t serial_;  // distinguishes successive clients at one index
  std::string node_id_;
  std::string node_;
  const gxds_bootstrap_server *lists_[kAuthorityCount][kServerMax] = {};
  gxds_bootstrap_authority authority_ = {};
  gxds_bootstrap bootstrap_ = {};
  std::unique_ptr<ClientCache> cache_;
  std::unique_ptr<FileSource> files_;
  std::unique_ptr<WebSource> web_;
  gxds_client *engine_ = nullptr;
  Conn conns_[kServerMax];
  Entry entries_[kTypeCount][kNameCount];
  Mask watched_[kTypeCount] = {};
  std::vector<Watch> watches_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<int> touched_;
  gxds_stream_id last_stream_id_ = 0;
  gxds_server_id last_server_id_ = 0;
  gxds_time deadline_event_ = GXDS_TIME_NEVER;
  gxds_time carried_ = 0;  // when deadlines were last carried out
  bool any_unsure_ = true;
  bool draining_ = false;
  uint32_t observations_ = 0;
  std::vector<gxds_resource_info> seen_;  // used during a comparison
  bool planted_ = false;                  // a fault that is planted once has been
};

}  // namespace gxds_sim

#endif
