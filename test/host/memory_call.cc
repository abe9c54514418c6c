#include "test/host/memory_call.h"

#include <utility>

#include "test/host/memory_host.h"

namespace memory {

namespace {

struct Finished : gxds_finish {
  const std::map<std::string, std::string>* trailers;
};

bool Find(const std::map<std::string, std::string>& in, gxds_str name, gxds_str* value) {
  auto found = in.find(Text(name));
  if (found == in.end()) return false;
  *value = View(found->second);
  return true;
}

}  // namespace

const gxds_pick_ops Call::kOps = {
    [](const gxds_pick* pick) { return View(static_cast<const InC*>(pick)->call->request_.path); },
    [](const gxds_pick* pick, gxds_str name, gxds_str* value) {
      return Find(static_cast<const InC*>(pick)->call->request_.headers, name, value);
    },
    [](const gxds_pick* pick, gxds_str* cluster) -> gxds_routed_call* {
      Request& request = static_cast<const InC*>(pick)->call->request_;
      if (request.cluster.empty()) return nullptr;
      *cluster = View(request.cluster);
      return &request.route;
    },
    [](const gxds_pick* pick, size_t size) -> void* {
      auto& memory = static_cast<const InC*>(pick)->call->memory_;
      memory.emplace_back(new std::max_align_t[size / sizeof(std::max_align_t) + 1]);
      return memory.back().get();
    },
};

Call::Call(Host* host, gxds_picker* picker, const Request& request)
    : host_(host), request_(request) {
  in_c_.ops = &kOps;
  in_c_.call = this;
  gxds_picker_pick(picker, &in_c_, &picked_);
  if (picked_.kind == GXDS_PICKED_COMPLETE) {
    tracker_ = picked_.tracker;
    host_->call_count_++;
  } else if (picked_.kind != GXDS_PICKED_QUEUE) {
    status_ = Status::Take(picked_.status);
  }
}

Call::~Call() { Drop(); }

Subchannel* Call::subchannel() const {
  if (picked_.kind != GXDS_PICKED_COMPLETE || picked_.subchannel == nullptr) return nullptr;
  return static_cast<Subchannel*>(gxds_subchannel_innermost(picked_.subchannel));
}

std::string Call::authority() const {
  GXDS_CHECK(!started_ && picked_.kind == GXDS_PICKED_COMPLETE);
  return memory::Text(picked_.authority);
}

std::string Call::Text() const {
  switch (picked_.kind) {
    case GXDS_PICKED_COMPLETE:
      return subchannel() == nullptr ? "over" : subchannel()->address;
    case GXDS_PICKED_FAIL:
      return "fail: " + status_.ToString();
    case GXDS_PICKED_DROP:
      return "drop: " + status_.ToString();
    case GXDS_PICKED_QUEUE:
      break;
  }
  return "queue";
}

void Call::Start() {
  GXDS_CHECK(!std::exchange(started_, true));
  host_->In([this] {
    if (tracker_ != nullptr) gxds_tracker_started(tracker_);
  });
}

void Call::Finish(const Status& status, const std::map<std::string, std::string>& trailers) {
  GXDS_CHECK(started_ && !std::exchange(finished_, true));
  host_->In([&] {
    Finished finished = {};
    finished.code = status.code;
    finished.trailer = [](const gxds_finish* f, gxds_str name, gxds_str* value) {
      return Find(*static_cast<const Finished*>(f)->trailers, name, value);
    };
    finished.trailers = &trailers;
    if (tracker_ != nullptr) gxds_tracker_finished(tracker_, &finished);
  });
}

void Call::Drop() {
  if (picked_.kind != GXDS_PICKED_COMPLETE || picked_.subchannel == nullptr) return;
  host_->In([this] {
    gxds_tracker_destroy(tracker_);
    gxds_subchannel_unref(picked_.subchannel);
    tracker_ = nullptr;
    picked_.subchannel = nullptr;
    host_->call_count_--;
  });
}

}  // namespace memory
