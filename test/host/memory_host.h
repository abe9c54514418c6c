// A host in memory: one channel with one policy in C on top, and every function that a policy needs
// from a host (host/channel.h). The test controls connections, time and picks. Nothing happens by
// itself or on another thread, and the same seed gives the same run: each host seeds the thread's
// random numbers (gxds_random_of_thread()) anew. At the end LeftOver() lists what was not released.
//
// Serializer: work that policies put off (run_later, post) is done when the outermost call on the
// host returns. One thread; several hosts may take turns on it.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_HOST_H_
#define GRPC_XDS_TEST_HOST_MEMORY_HOST_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "host/channel.h"
#include "lb_policies/pace/limits.h"
#include "test/host/memory_call.h"
#include "test/host/memory_subchannel.h"
#include "test/host/memory_values.h"

namespace memory {

class Host;
class HostsPolicy;  // memory_policies.h
struct Leaf;        // as above

// An update from the resolver.
struct Update {
  Config config;
  Args args;
  Addresses addresses;
  std::string note;
  const gxds_config* snapshot = nullptr;
  gxds_mailbox* mailbox = nullptr;
};

// The security of a cluster's connections. It records its updates.
struct Security : gxds_cluster_security {
  Host* host;
  std::string cluster;
  std::vector<const gxds_tls*> updates;  // borrowed, to compare pointers only
};

// For the scripted policies of memory_policies.h.
struct LeafScript {
  int created = 0;
  int updated = 0;
  int started = 0;  // trackers of picking_leaf
  int finished = 0;
  size_t trackers = 0;                   // the trackers that exist
  std::function<void(Leaf*)> on_update;  // at the end of each update
  Status update_status;                  // their status for an update
};

class Host {
 public:
  explicit Host(uint64_t seed = 1);
  // Objects that are left over lose their host, and may be released later.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // --- From above ---

  // Adds a policy that JSON may name. type must stay valid.
  void Register(const gxds_policy_type* type) { types_.push_back(type); }
  // Parses a list of policies, as in a service config. Empty: *why holds the error.
  Config ParseConfig(const std::string& json, Status* why);

  void Create(const gxds_policy_type& type, const Args& args = Args());
  bool has_policy() const { return policy_ != nullptr; }
  Status Apply(const Update& update);
  void ExitIdle();
  void ResetBackoff();
  // Ends the policy. Its last published state and picker stay.
  void End();

  // Runs work under the serializer.
  template <typename Work>
  void In(Work&& work) {
    Entered entered(this);
    work();
  }

  // --- Time ---

  gxds_time now() const { return now_; }
  // Advances the time and runs the timers that are due. Timers of the same time run in the order
  // they were set.
  void Pass(gxds_duration time);
  // NEVER: no timer is set.
  gxds_time next_timer() const;
  size_t timer_count() const { return timers_.size(); }
  // Whether to lose a timer of that length: a planted fault, which checks must find. Empty: none is
  // lost.
  std::function<bool(gxds_duration delay)> loses_timer;
  // The same for work that is posted.
  std::function<bool()> loses_post;
  // The limits of connections. Set them before Create().
  void Limit(const gxds_connect_limits& limits);

  // --- Connections ---

  // The existing subchannels, in the order they were made.
  std::vector<Subchannel*> subchannels() const;
  // The newest subchannel at that address with a watch; null: none.
  Subchannel* Watched(const std::string& address) const;
  // Sets the state of every subchannel at that address.
  void SetState(const std::string& address, grpc_connectivity_state state,
                const Status& status = Status());
  void SetState(Subchannel* subchannel, grpc_connectivity_state state,
                const Status& status = Status());
  size_t subchannels_made = 0;
  bool refuses_subchannels = false;
  // The state that a new subchannel of an address has, as if another channel had connected it or
  // tried to. Other new subchannels are IDLE.
  std::map<std::string, std::pair<grpc_connectivity_state, Status>> shared;
  // Called under the serializer when an IDLE subchannel begins to connect. May be empty.
  std::function<void(Subchannel*)> on_connect;

  // --- RPCs ---

  // Picks with the newest picker, or with another.
  std::unique_ptr<Call> Pick(const Request& request = Request());
  std::unique_ptr<Call> PickWith(gxds_picker* picker, const Request& request);

  // --- What the policy said ---

  int published = 0;
  grpc_connectivity_state state = GRPC_CHANNEL_SHUTDOWN;
  Status status;
  gxds_picker* picker() const { return picker_; }  // borrow; null: none yet
  void DropPicker();
  int reresolutions = 0;
  std::vector<std::string> events;  // of the channel's trace
  std::string target;               // of the channel; a label of what policies count
  std::vector<std::string> log;
  std::set<std::string> trace_words;  // GRPC_TRACE's

  // --- Of the host ---

  LeafScript script;
  const std::vector<HostsPolicy*>& policies() const { return policies_; }  // existing ones
  std::vector<Security*> securities;                                       // as above
  Status security_status;  // their status for an update

  // What has not been released, a line for each; empty: nothing. Call it after End() and
  // DropPicker().
  std::string LeftOver() const;

 private:
  friend class Call;
  friend class HostsPolicy;
  friend struct Picker;
  friend struct Subchannel;

  struct Channel : gxds_lb_channel {
    Host* host;  // null: it is gone
    gxds_connect_limits own_limits;
  };
  struct Root : gxds_lb_root {
    Host* host;
  };
  struct Timer {
    void (*work)(void* arg);
    void* arg;
  };
  // Makes this the thread's current host. Queued work runs when the outermost Entered ends.
  class Entered {
   public:
    explicit Entered(Host* host);
    ~Entered();

   private:
    Host* const host_;
    Host* const before_;
  };

  static Host* Of(const gxds_lb_channel* channel) {
    return static_cast<const Channel*>(channel)->host;
  }
  static Host* Of(gxds_lb_root* root) { return static_cast<Root*>(root)->host; }
  static Host* Of(gxds_lb_parent* parent) {
    return Of(reinterpret_cast<gxds_lb_root*>(parent));  // its first member
  }
  static void RunLater(gxds_lb_channel* channel, void (*work)(void* arg), void* arg);
  static void Post(gxds_lb_channel* channel, void (*work)(void* arg), void* arg);
  static gxds_lb_timer StartTimer(gxds_lb_channel* channel, gxds_duration delay,
                                  void (*work)(void* arg), void* arg);
  static bool CancelTimer(gxds_lb_channel* channel, gxds_lb_timer timer);
  static void Log(gxds_lb_severity severity, gxds_str line);
  static gxds_lb_config* ParseList(gxds_str json, gxds_status* why);
  static void Publish(gxds_lb_parent* parent, grpc_connectivity_state state,
                      const gxds_status* status, gxds_picker* take_picker);
  static gxds_subchannel* MakeSubchannel(gxds_lb_parent* parent, const gxds_lb_address* address,
                                         const gxds_args* args);
  static gxds_cluster_security* MakeSecurity(gxds_lb_root* root, gxds_str cluster);
  static const gxds_args* ArgsOfCluster(const gxds_args* args, gxds_str cluster,
                                        const gxds_cluster_security* security);
  static const gxds_lb_channel_ops kChannelOps;
  static const gxds_lb_parent_ops kParentOps;
  static const gxds_lb_root_ops kRootOps;

  void TakeArgs(const Args& args);

  Channel* channel_;  // a reference
  Root root_ = {};
  gxds_random random_;
  int depth_ = 0;
  std::deque<std::function<void()>> queue_;

  gxds_time now_ = 1000 * GXDS_SECOND;
  std::map<std::pair<gxds_time, intptr_t>, Timer> timers_;
  std::set<std::pair<gxds_time, intptr_t>> lost_timers_;
  intptr_t last_timer_ = 0;

  std::vector<const gxds_policy_type*> types_;
  gxds_policy* policy_ = nullptr;
  const gxds_args* args_ = nullptr;
  gxds_picker* picker_ = nullptr;
  std::map<uint64_t, Subchannel*> subchannels_;  // by number
  std::vector<HostsPolicy*> policies_;
  size_t picker_count_ = 0;  // of the host's policies
  size_t call_count_ = 0;
};

}  // namespace memory

#endif
