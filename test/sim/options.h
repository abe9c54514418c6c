// The options of a run, drawn from its seed. Runs differ in character, not only in detail: some
// faults are off, and the weights of the others are far apart.
#ifndef GRPC_XDS_TEST_SIM_OPTIONS_H_
#define GRPC_XDS_TEST_SIM_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "lb_policies/pace/limits.h"
#include "test/sim/basics.h"

namespace gxds_sim {

// The ops: what the world does to clients and servers, with their labels in reports.
#define GXDS_SIM_OPS(X)                                                  \
  X(Watch, "watch")                                                      \
  X(Unwatch, "unwatch")                                                  \
  X(Rewatch, "unwatch, and watch again at once")                         \
  X(OddWatch, "watch of a name that is refused")                         \
  X(Set, "resource changes")                                             \
  X(SetBad, "resource becomes invalid")                                  \
  X(SetMany, "many resources change together")                           \
  X(Delete, "resource is deleted")                                       \
  X(Restore, "resource gets an earlier value again")                     \
  X(Twin, "resource gets the value of another")                          \
  X(StartChannel, "channel starts")                                      \
  X(StopChannel, "channel ends")                                         \
  X(Hold, "RPCs begin or end to hold a cluster")                         \
  X(Subscribe, "dynamic subscription begins or ends")                    \
  X(Dns, "DNS results change, or DNS fails")                             \
  X(LinkDown, "link is down")                                            \
  X(LinkSilent, "link is half-open")                                     \
  X(LinkUp, "link is repaired")                                          \
  X(StreamCloses, "server ends a stream")                                \
  X(ServerRestarts, "server restarts with its state")                    \
  X(ServerForgets, "server restarts without its state")                  \
  X(ServerMute, "server sends nothing for a while")                      \
  X(Garbage, "message of random bytes")                                  \
  X(Mangle, "message truncated or changed at some byte")                 \
  X(UnknownType, "response of an unknown type")                          \
  X(Hostile, "response with duplicates, wrong types, …")                 \
  X(Resend, "response without changes")                                  \
  X(OddNonce, "response with a nonce used before, or none")              \
  X(ClockJump, "clock jumps")                                            \
  X(ChannelFails, "channel failure without a cause")                     \
  X(ResetBackoff, "backoff is reset")                                    \
  X(StallSends, "sends are stalled")                                     \
  X(LateEvents, "events of objects that no longer exist")                \
  X(EarlyDeadline, "deadline fires too early")                           \
  X(ClientRestarts, "client restarts")                                   \
  X(ClientKilled, "client is killed during a write")                     \
  X(CacheCut, "client restarts with a truncated cache")                  \
  X(CacheDamaged, "client restarts with a damaged cache")                \
  X(FilesVanish, "file of resources disappears")                         \
  X(FilesDamaged, "file of resources is damaged")                        \
  X(FilesWritten, "file of resources is written again")                  \
  X(WebRefuses, "web server responds 503, or 500")                       \
  X(WebNonsense, "web server sends a body that is no DiscoveryResponse") \
  X(WebRepeats, "web server repeats an earlier response")

enum Op {
#define X(name, label) kOp##name,
  GXDS_SIM_OPS(X)
#undef X
      kOpCount
};
extern const char *const kOpNames[kOpCount];
extern const char *const kOpLabels[kOpCount];

// What happens in a run. Reports count these events.
#define GXDS_SIM_EVENTS(X)                                             \
  X(Request, "request arrives")                                        \
  X(StaleRequest, "request with a stale nonce arrives")                \
  X(Ack, "ACK")                                                        \
  X(Nack, "NACK")                                                      \
  X(Sent, "request is on its way")                                     \
  X(Message, "response is delivered")                                  \
  X(LostMessage, "response is lost with its stream")                   \
  X(Push, "server checks for changes to send")                         \
  X(StreamDies, "stream ends")                                         \
  X(Connect, "connection attempt")                                     \
  X(ConnectFails, "connection attempt fails")                          \
  X(Deadline, "deadline of a client")                                  \
  X(Replicate, "change reaches a server")                              \
  X(ServerUp, "server is up")                                          \
  X(Fallback, "client begins to use another server")                   \
  X(Return, "client stops using a server")                             \
  X(DoesNotExist, "notification: does not exist, or timeout")          \
  X(DataError, "notification: data error")                             \
  X(Ambient, "notification: ambient error, or its end")                \
  X(Resource, "notification: resource")                                \
  X(Publish, "snapshot is published")                                  \
  X(ChannelFail, "channel fails")                                      \
  X(Complete, "snapshot compared with the reference")                  \
  X(DnsResult, "DNS result")                                           \
  X(Release, "last RPC on a cluster is done")                          \
  X(OwedResponse, "SotW: response to a request, with changes or not")  \
  X(RepeatAll, "SotW: everything is sent again, after a change")       \
  X(HeldVersion, "delta: request has the version of a held resource")  \
  X(Silence, "no response to a version counts as one")                 \
  X(Trusted, "delta: server trusts it, and does not send it again")    \
  X(Removed, "delta: name is in removed_resources")                    \
  X(RemovedAndSent, "delta: name is removed and sent in one response") \
  X(Unsubscribed, "delta: response with an unsubscribed name")         \
  X(Alias, "delta: resource with an alias")                            \
  X(DeltaHeartbeat, "delta: heartbeat")                                \
  X(SotwHeartbeat, "SotW: heartbeat")                                  \
  X(TtlEnds, "ttl of a resource expires")                              \
  X(NoDelta, "delta: server responds UNIMPLEMENTED")                   \
  X(Ignored, "delta: server ignores a stale ACK, or a NACK")           \
  X(Persist, "cache: resource is kept")                                \
  X(Forget, "cache: resource is not kept any more")                    \
  X(CacheTorn, "cache: record is truncated by a kill")                 \
  X(CacheRewritten, "cache: log is rewritten")                         \
  X(CacheRead, "cache: log of another process is read")                \
  X(CacheIgnored, "cache: damaged log is ignored")                     \
  X(Restored, "cache: resource is used from it")                       \
  X(FilesApplied, "files: state is applied")                           \
  X(FilesRefused, "files: state is refused, the last one stays")       \
  X(FilesFailed, "files: there is no valid state")                     \
  X(FilesResponse, "files: response")                                  \
  X(WebRequest, "web: request")                                        \
  X(WebWhole, "web: whole response")                                   \
  X(WebSame, "web: 304")                                               \
  X(WebRefused, "web: 503, or 500")                                    \
  X(WebBroken, "web: body that is no DiscoveryResponse")               \
  X(WebFails, "web: no response")                                      \
  X(WebLate, "web: response that comes too late")                      \
  X(WebResponse, "web: response is passed to the engine")              \
  X(Route, "policies: RPC is routed")                                  \
  X(Pick, "policies: RPC goes to a backend")                           \
  X(Wait, "policies: RPC waits")                                       \
  X(PickFails, "policies: RPC fails")                                  \
  X(Drop, "policies: RPC is dropped")                                  \
  X(Serves, "policies: cluster serves after the repair")               \
  X(Shares, "policies: shares of localities are compared")             \
  X(Weights, "policies: shares of endpoints are compared")             \
  X(Session, "policies: RPC goes to its session's endpoint")           \
  X(Drained, "policies: a session has a draining endpoint")            \
  X(Subset, "policies: RPC goes to its version of endpoints")          \
  X(Subsets, "policies: subsets serve after the repair")               \
  X(TwoAddresses, "policies: endpoint is at its second address")       \
  X(Eject, "policies: endpoint is ejected, and used again")            \
  X(EjectAgain, "policies: endpoint is ejected three times")           \
  X(EjectByRate, "policies: endpoint's success rate is low")           \
  X(EjectByChance, "policies: outlier is spared by chance")            \
  X(Load, "policies: shares by reported load are compared")            \
  X(Ring, "policies: RPC goes where its hash leads")                   \
  X(RingOrder, "policies: the next two on the ring refuse")            \
  X(Eager, "policies: endpoints are left out")                         \
  X(Growth, "policies: RPCs make a policy connect to more")            \
  X(LastOne, "policies: only an endpoint that was left out is up")     \
  X(Counts, "policies: RPCs of a locality are reported")

enum Happening {
#define X(name, label) kDid##name,
  GXDS_SIM_EVENTS(X)
#undef X
      kHappeningCount
};
extern const char *const kHappeningLabels[kHappeningCount];

// Faults planted at the boundary between the production code and its owner. The checks must find
// them.
#define GXDS_SIM_PLANTS(X)                                                                        \
  X(None, "none", "no fault")                                                                     \
  X(NackVersion, "nack-version", "a NACK carries the received version, not the accepted one")     \
  X(StaleNonce, "stale-nonce", "an ACK carries the nonce before the last one")                    \
  X(ForgottenName, "forgotten-name", "after a reconnect one name is not requested")               \
  X(SecondNode, "second-node", "a later request carries the node too")                            \
  X(EmptyStart, "empty-start", "a type starts with an empty list")                                \
  X(LostAck, "lost-ack", "an ACK or NACK is never sent")                                          \
  X(LostUpdate, "lost-update", "a watcher is not notified of a resource")                         \
  X(DoubleUpdate, "double-update", "a watcher is notified of a resource twice")                   \
  X(EarlyTimer, "early-timer", "does-not-exist is reported before its time")                      \
  X(StrayAmbient, "stray-ambient", "an ambient error for a watcher without a resource")           \
  X(Undead, "undead", "a watch goes on after it was ended")                                       \
  X(EarlyPublish, "early-publish", "a snapshot is published before a cluster of it is there")     \
  X(TornSnapshot, "torn-snapshot", "a new root with the clusters of the snapshot before")         \
  X(LostSnapshot, "lost-snapshot", "a snapshot is not published")                                 \
  X(SpontaneousNonce, "spontaneous-nonce", "delta: a request that is no ACK or NACK has a nonce") \
  X(NamesInAck, "names-in-ack", "delta: a request that changes names has the last nonce")         \
  X(WrongVersion, "wrong-version", "delta: a request has another version than the held one")      \
  X(NoVersion, "no-version", "delta: a request lacks the version of a held resource")             \
  X(LostUnsubscribe, "lost-unsubscribe", "delta: an unsubscribe is not sent")                     \
  X(CacheUnchecked, "cache-unchecked", "cache: a checksum is not compared")                       \
  X(CacheLost, "cache-lost", "cache: a resource is not kept")                                     \
  X(Echo, "echo", "a request is sent twice, so that an exchange does not end")                    \
  X(FilesHalf, "files-half", "files: a damaged file is left out, and the rest applied")           \
  X(WebVersion, "web-version", "web: a version is sent though the names changed")                 \
  X(WebHalf, "web-half", "web: a file of the index is left out, and the rest applied")            \
  X(WebOldResponse, "web-old-response", "web: the response to other names counts for these")      \
  X(LbLostUpdate, "lb-lost-update", "policies: a snapshot does not reach them")                   \
  X(LbForgottenChild, "lb-forgotten-child", "policies: a removed cluster is kept")                \
  X(LbWeight, "lb-weight", "policies: the weight of a locality is off")                           \
  X(LbEndpointWeight, "lb-endpoint-weight", "policies: the weight of an endpoint is off")         \
  X(LbLostState, "lb-lost-state", "policies: a new connection is not reported")                   \
  X(LbLostTimer, "lb-lost-timer", "policies: the timer that deactivates a priority is lost")      \
  X(LbLostFailover, "lb-lost-failover", "policies: the timer of a failover is lost")              \
  X(LbStalePicker, "lb-stale-picker", "policies: the picker before the last one is used")         \
  X(LbUncounted, "lb-uncounted", "policies: an RPC that starts is not counted")                   \
  X(LbUnfinished, "lb-unfinished", "policies: the end of an RPC is not reported to its tracker")  \
  X(LbQueues, "lb-queues", "policies: a backend that is connected is left out")                   \
  X(LbFalseDrop, "lb-false-drop", "policies: an RPC is dropped below the limit")                  \
  X(LbAuthority, "lb-authority", "policies: an RPC does not get its endpoint's hostname")         \
  X(LbSession, "lb-session", "policies: the session of an RPC is ignored")                        \
  X(LbHash, "lb-hash", "policies: the hash of an RPC is ignored")                                 \
  X(LbRingOrder, "lb-ring-order", "policies: after two that fail, any endpoint follows")          \
  X(LbLoad, "lb-load", "policies: the load that an RPC reports is ignored")                       \
  X(LbFailure, "lb-failure", "policies: the failure of an RPC is ignored")                        \
  X(LbEjectionLimit, "lb-ejection-limit", "policies: more may be ejected than the limit")         \
  X(LbEjectionTime, "lb-ejection-time", "policies: no ejection is longer than the first")         \
  X(LbEnforcement, "lb-enforcement", "policies: no outlier is spared by chance")                  \
  X(LbDeviation, "lb-deviation", "policies: each endpoint below the mean is an outlier")          \
  X(LbMinimumHosts, "lb-minimum-hosts", "policies: success rates of too few count")               \
  X(LbRequestVolume, "lb-request-volume", "policies: success rates of few RPCs count")            \
  X(LbKeptSubchannel, "lb-kept-subchannel", "policies: a subchannel is not released")             \
  X(LbSubset, "lb-subset", "policies: the version that an RPC selects is ignored")                \
  X(LbDraining, "lb-draining", "policies: draining endpoints serve sessions, allowed or not")     \
  X(LbDrained, "lb-drained", "policies: draining endpoints do not serve their sessions")          \
  X(LbCountedTwice, "lb-counted-twice", "policies: each address of an endpoint counts")           \
  X(LbSecondAddress, "lb-second-address", "policies: a second connection is not ended")           \
  X(LbEager, "lb-eager", "policies: more connect before RPCs need them than the limit")           \
  X(LbNoGrowth, "lb-no-growth", "policies: RPCs do not make them connect to more")                \
  X(LbGrowsEarly, "lb-grows-early", "policies: a pick counts twice in what RPCs need")            \
  X(LbPatience, "lb-patience", "policies: attempts without a response block all others")

enum Plant {
#define X(name, flag, description) kPlant##name,
  GXDS_SIM_PLANTS(X)
#undef X
      kPlantCount
};
extern const char *const kPlantNames[kPlantCount];
extern const char *const kPlantDescriptions[kPlantCount];
// kPlantCount: no fault has that name.
Plant PlantOf(const std::string &name);
Op OpOf(const std::string &name);  // kOpCount: no op has that name

// Which requests a server in state of the world responds to, even without changes.
enum ExtraResponses : uint8_t {
  kNoExtraResponses,  // none
  kToChangedNames,    // those that changed the names, as Istio does
  kToRequests,        // those that are more than an ACK or NACK
};

struct ServerOptions {
  bool fail_on_data_errors = false;
  bool transient_timer = false;
  bool only_changes = false;      // RDS and EDS: sends only changed resources
  bool trusting = false;          // trusts the versions that clients send
  bool reads_stale = false;       // uses the names of a request with a stale nonce
  bool constant_version = false;  // all responses have the same version
  ExtraResponses extra_responses = kNoExtraResponses;
  bool repeats = false;     // SotW: any change causes all resources of all types to be sent again
  int wrap_one_in = 1;      // one in so many resources is wrapped; 0: none
  bool delta = false;       // the bootstrap has the feature "delta"
  bool knows_delta = true;  // otherwise it responds UNIMPLEMENTED
  bool removes_absent =
      false;  // delta: also removes names that never existed, not only deleted ones
  bool removes_changed = false;   // delta: a changed resource is also removed in the same response
  bool drops_names = false;       // delta: ignores the names in stale ACKs and NACKs, as Istio does
  gxds_duration ttl = 0;          // of all resources
  bool wrapper_versions = false;  // SotW: wrappers have versions of their own
  gxds_duration delay = 0;        // before a response
  gxds_duration replication = 0;  // before a change reaches it
};

struct Options {
  int clients = 1;
  int servers = 1;
  int authority_count[kAuthorityCount] = {};  // servers in the authority's list
  int authority_servers[kAuthorityCount][kServerMax] = {};
  Mask names = 0;  // the names in use
  int ops = 0;
  gxds_duration op_gap = 0;
  gxds_duration net_delay = 0;
  gxds_duration sent_delay = 0;
  gxds_duration lag = 0;        // by which deadlines are late
  int drain_late_one_in = 0;    // one in so many events does not drain the client; 0: none
  bool settle_at_once = false;  // dependency managers settle in the middle of a drain
  bool complete_truth = false;  // after the repair, everything exists
  bool any_ttl = false;
  bool cache = false;      // clients have a resource cache
  int files = -1;          // the server that is a directory, last in the lists; -1: none
  int web = -1;            // the server that is a web server, anywhere in the lists; -1: none
  bool web_files = false;  // it serves resource files and their index; else REST-JSON
  gxds_duration web_refresh = 0;
  gxds_duration web_max_age = 0;    // in its responses until the repair; 0: none
  bool web_versions_names = false;  // its version covers the requested names; else everything
  ServerOptions server[kServerMax];
  int endpoints_max = 2;  // of a locality
  // Of each channel's connections; with a window of 0 they are the usual ones. In this world these
  // are so great that no endpoint is ever left out.
  gxds_connect_limits limits = {0, 0};
  uint32_t weights[kOpCount] = {};
  uint32_t weight_sum = 0;
  bool LeavesOut() const { return limits.window > 0; }
};

Options DrawOptions(uint64_t seed);

// Everything that one run depends on.

struct RunSpec {
  uint64_t seed = 0;
  Plant plant = kPlantNone;
  int op_limit = -1;                      // only that many ops; -1: all
  std::vector<std::pair<int, int>> drop;  // ranges of ops that don't happen, both ends included
  uint64_t off = 0;                       // a bit for each Op that never happens
  bool trace = false;                     // to stdout
};
// The runner's arguments for this run.
std::string Arguments(const RunSpec &spec);

struct RunResult {
  bool failed = false;
  Failure failure;
  uint32_t events = 0;
  int ops = 0;
  uint64_t digest = 0;  // of what every client holds at the end, to compare two runs
  uint32_t op_counts[kOpCount] = {};
  uint32_t counts[kHappeningCount] = {};
};

}  // namespace gxds_sim

#endif
