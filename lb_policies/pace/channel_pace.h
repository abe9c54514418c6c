// The pace (pace.h) of one channel, found by its serializer, and carried out: it tells leaf
// policies when to begin to connect. Few at a time, so that what the channel hears meanwhile comes
// between.
#ifndef GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_
#define GRPC_XDS_LB_POLICIES_PACE_CHANNEL_PACE_H_

#include <grpc/event_engine/event_engine.h>
#include <grpc/support/port_platform.h>
#include <stdint.h>

#include <memory>
#include <vector>

#include "absl/types/optional.h"
#include "lb_policies/pace/pace.h"
#include "src/core/lib/gprpp/ref_counted.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/work_serializer.h"

namespace grpc_xds {

// All but Of() under the serializer.
class ChannelPace : public grpc_core::RefCounted<ChannelPace> {
 public:
  class User {
   public:
    // May begin one attempt now, and says by Settle(start) when it needs its place no longer: at
    // once, if there is nothing to begin.
    virtual void Start(uint64_t start) = 0;

   protected:
    ~User() = default;
  };

  // The one of that serializer. Any thread.
  static grpc_core::RefCountedPtr<ChannelPace> Of(
      std::shared_ptr<grpc_core::WorkSerializer> serializer);
  ~ChannelPace() override;

  // The user's number. The engine outlives the user, who is told nothing after Leave().
  uint32_t Join(User* user, grpc_event_engine::experimental::EventEngine* engine);
  void Leave(uint32_t user);
  // Start() is called when it is the user's turn, never from here.
  void Want(uint32_t user, uint32_t count, bool hurries);
  void Settle(uint64_t start);

 private:
  explicit ChannelPace(std::shared_ptr<grpc_core::WorkSerializer> serializer);

  // Looks again, after what the serializer has in its queue.
  void Schedule();
  void GiveStarts();
  // Looks again at that time; GXDS_TIME_NEVER: does not.
  void SetTimer(gxds_time when);
  void OnTimer(uint64_t timer);

  struct MachineDelete {
    void operator()(gxds_pace* p) const { gxds_pace_destroy(p); }
  };

  const std::shared_ptr<grpc_core::WorkSerializer> serializer_;
  const std::unique_ptr<gxds_pace, MachineDelete> machine_;
  std::vector<User*> users_;  // by number; null: has left
  uint32_t user_count_ = 0;
  bool scheduled_ = false;
  grpc_event_engine::experimental::EventEngine* engine_ = nullptr;  // while there are users
  gxds_time timer_at_ = GXDS_TIME_NEVER;
  uint64_t timer_ = 0;  // number of the timer that counts
  absl::optional<grpc_event_engine::experimental::EventEngine::TaskHandle> timer_handle_;
};

}  // namespace grpc_xds

#endif
