#include "test/support/backend.h"

#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <utility>

#include "test/support/child.h"
#include "test/support/kept_port.h"

namespace gxds_test {

class Backend::Reactor : public grpc::ServerGenericBidiReactor {
 public:
  explicit Reactor(Backend* backend) : backend_(backend) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "no request"));
      return;
    }
    {
      std::lock_guard<std::mutex> lock(backend_->mu_);
      if (backend_->hold_) {
        backend_->held_.push_back(this);
        backend_->changed_.notify_all();
        return;
      }
    }
    Respond();
  }

  void OnCancel() override {
    // A held call that its client cancelled is finished here, unless Release() has taken it.
    {
      std::lock_guard<std::mutex> lock(backend_->mu_);
      auto& held = backend_->held_;
      auto it = std::find(held.begin(), held.end(), this);
      if (it == held.end()) return;
      held.erase(it);
    }
    Finish(grpc::Status::CANCELLED);
  }

  void Respond() {
    const int status =
        backend_->failures_left_-- > 0 ? backend_->failure_.load() : backend_->status_.load();
    if (status != 0) {
      Finish(grpc::Status(static_cast<grpc::StatusCode>(status), "as the test asked"));
      return;
    }
    std::unique_lock<std::mutex> lock(backend_->mu_);
    grpc::Slice response(backend_->response_.empty() ? backend_->name_ : backend_->response_);
    lock.unlock();
    reply_ = grpc::ByteBuffer(&response, 1);
    StartWriteAndFinish(&reply_, grpc::WriteOptions(), grpc::Status::OK);
  }

  void OnDone() override { delete this; }

 private:
  Backend* backend_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer reply_;
};

// The stream of a client that receives load reports out of band. The backend's lock guards its
// fields.
class Backend::OobReactor : public grpc::ServerGenericBidiReactor {
 public:
  explicit OobReactor(Backend* backend) : backend_(backend) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    std::unique_lock<std::mutex> lock(backend_->mu_);
    if (!ok) return FinishLocked(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "no request"));
    grpc::Slice bytes;
    request_.DumpToSingleSlice(&bytes);
    backend_->oob_requests_.emplace_back(reinterpret_cast<const char*>(bytes.begin()),
                                         bytes.size());
    backend_->changed_.notify_all();
    if (!backend_->serves_oob_) {
      return FinishLocked(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such service"));
    }
    if (finished_) return;
    backend_->oob_streams_.insert(this);
    ReportLocked();
  }
  void OnWriteDone(bool ok) override {
    std::lock_guard<std::mutex> lock(backend_->mu_);
    writing_ = false;
    if (ok && behind_) ReportLocked();
  }
  void OnCancel() override {
    std::lock_guard<std::mutex> lock(backend_->mu_);
    FinishLocked(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

  // Sends the current report, now or when the write in progress is done.
  void ReportLocked() {
    behind_ = writing_;
    if (writing_ || finished_) return;
    writing_ = true;
    grpc::Slice bytes(backend_->oob_load_);
    report_ = grpc::ByteBuffer(&bytes, 1);
    StartWrite(&report_);
  }

 private:
  void FinishLocked(const grpc::Status& status) {
    if (finished_) return;
    finished_ = true;
    backend_->oob_streams_.erase(this);
    backend_->changed_.notify_all();
    Finish(status);
  }

  Backend* backend_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer report_;
  bool writing_ = false;
  bool behind_ = false;
  bool finished_ = false;
};

class Backend::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(Backend* backend) : backend_(backend) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (context->method() == "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics") {
      return new OobReactor(backend_);
    }
    ++backend_->calls_;
    {
      std::lock_guard<std::mutex> lock(backend_->mu_);
      backend_->peers_.insert(context->peer());
      backend_->authority_ = context->host();
      if (!backend_->load_.empty()) {
        context->AddTrailingMetadata("endpoint-load-metrics-bin", backend_->load_);
      }
    }
    return new Reactor(backend_);
  }

 private:
  Backend* backend_;
};

Backend::Backend(std::string name, int port, std::shared_ptr<grpc::ServerCredentials> credentials,
                 const std::string& address)
    : name_(std::move(name)), service_(std::make_unique<Service>(this)) {
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(service_.get());
  if (credentials == nullptr) credentials = grpc::InsecureServerCredentials();
  if (port == 0) port = KeptPort();
  builder.AddListeningPort(address + ":" + std::to_string(port), credentials, &port_);
  server_ = builder.BuildAndStart();
}

Backend::~Backend() { Stop(); }

void Backend::Stop() {
  if (server_ == nullptr) return;
  Release();
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

size_t Backend::connections() const {
  std::lock_guard<std::mutex> lock(mu_);
  return peers_.size();
}

std::string Backend::authority() const {
  std::lock_guard<std::mutex> lock(mu_);
  return authority_;
}

void Backend::Hold() {
  std::lock_guard<std::mutex> lock(mu_);
  hold_ = true;
}

void Backend::Release() {
  std::vector<Reactor*> held;
  {
    std::lock_guard<std::mutex> lock(mu_);
    hold_ = false;
    held.swap(held_);
  }
  for (Reactor* r : held) r->Respond();
}

bool Backend::WaitForHeld(size_t count) {
  std::unique_lock<std::mutex> lock(mu_);
  return changed_.wait_for(lock, kPatience, [&] { return held_.size() >= count; });
}

void Backend::RespondWith(std::string text) {
  std::lock_guard<std::mutex> lock(mu_);
  response_ = std::move(text);
}

void Backend::ReportLoad(std::string report) {
  std::lock_guard<std::mutex> lock(mu_);
  load_ = std::move(report);
}

void Backend::ReportLoadOutOfBand(std::string report) {
  std::lock_guard<std::mutex> lock(mu_);
  serves_oob_ = true;
  oob_load_ = std::move(report);
  for (OobReactor* r : oob_streams_) r->ReportLocked();
}

std::vector<std::string> Backend::oob_requests() const {
  std::lock_guard<std::mutex> lock(mu_);
  return oob_requests_;
}

bool Backend::WaitForOobRequests(size_t count) {
  std::unique_lock<std::mutex> lock(mu_);
  return changed_.wait_for(lock, kPatience, [&] { return oob_requests_.size() >= count; });
}

bool Backend::WaitForOobStreams(size_t count) {
  std::unique_lock<std::mutex> lock(mu_);
  return changed_.wait_for(lock, kPatience, [&] { return oob_streams_.size() == count; });
}

void Backend::FailWith(grpc::StatusCode code) { status_ = code; }

void Backend::FailTimes(int count, grpc::StatusCode code) {
  failure_ = code;
  failures_left_ = count;
}

}  // namespace gxds_test
