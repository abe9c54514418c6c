// RPCs of the host in memory.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_CALL_H_
#define GRPC_XDS_TEST_HOST_MEMORY_CALL_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/pick.h"
#include "test/host/memory_values.h"

namespace memory {

class Host;
struct Subchannel;

// The properties of an RPC that pickers may read.
struct Request {
  std::map<std::string, std::string> headers;
  std::string cluster;  // empty: no xDS route
  gxds_routed_call route = {};
  std::string path = "/package.Service/Method";
};

// One pick and its result. It must end before its host does.
class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  gxds_picked_kind kind() const { return picked_.kind; }
  // Whether the pick failed with a message that has the resolution note.
  bool has_note() const { return kind() == GXDS_PICKED_FAIL && picked_.has_note; }
  Subchannel* subchannel() const;  // null: none was picked
  bool is_tracked() const { return tracker_ != nullptr; }
  // The :authority that the picked endpoint sets for the RPC; empty: the subchannel's default. Call
  // it before Start().
  std::string authority() const;
  // The address that was picked, "queue", "fail: STATUS: …" or "drop: STATUS: …".
  std::string Text() const;

  // For the picked subchannel's tracker. Call each at most once, in this order. Both may be left
  // out, but Finish() needs Start().
  void Start();
  bool has_started() const { return started_; }
  void Finish(const Status& status = Status(),
              const std::map<std::string, std::string>& trailers = {});
  // Ends the attempt.
  void Drop();

 private:
  friend class Host;
  struct InC : gxds_pick {
    Call* call;
  };
  static const gxds_pick_ops kOps;

  Call(Host* host, gxds_picker* picker, const Request& request);

  Host* const host_;
  Request request_;
  InC in_c_ = {};
  std::vector<std::unique_ptr<std::max_align_t[]>> memory_;
  gxds_picked picked_ = {};
  gxds_tracker* tracker_ = nullptr;  // owned
  bool started_ = false;
  bool finished_ = false;
  Status status_;
};

}  // namespace memory

#endif
