#include "test/bench/plane.h"

#include <grpcpp/generic/async_generic_service.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <vector>

#include "base/wire.h"
#include "test/bench/resources.h"

namespace gxds_bench {
namespace {

std::string FromBuffer(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& s : slices) {
    bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  return bytes;
}

// A stream that sends messages in order. Guarded by the lock that it is given.
class Stream : public grpc::ServerGenericBidiReactor {
 public:
  explicit Stream(std::mutex* mu) : mu_(mu) {}

  void SendLocked(const std::string& message) {
    grpc::Slice slice(message);
    outgoing_.push_back(grpc::ByteBuffer(&slice, 1));
    if (outgoing_.size() == 1 && !finished_) StartWrite(&outgoing_.front());
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End();
    std::string bytes = FromBuffer(incoming_);
    incoming_.Clear();
    OnMessage(bytes);
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    std::lock_guard<std::mutex> lock(*mu_);
    outgoing_.pop_front();
    if (ok && !outgoing_.empty() && !finished_) StartWrite(&outgoing_.front());
  }
  void OnCancel() override { End(); }
  void OnDone() override { delete this; }

 protected:
  virtual void OnMessage(const std::string& bytes) = 0;
  void Begin() { StartRead(&incoming_); }

 private:
  void End() {
    {
      std::lock_guard<std::mutex> lock(*mu_);
      if (finished_) return;
      finished_ = true;
    }
    Finish(grpc::Status::CANCELLED);
  }

  std::mutex* const mu_;
  grpc::ByteBuffer incoming_;
  std::deque<grpc::ByteBuffer> outgoing_;
  bool finished_ = false;
};

std::string ToString(gxds_str s) { return std::string(s.data, s.size); }

}  // namespace

class Plane::AdsStream : public Stream {
 public:
  explicit AdsStream(Plane* plane) : Stream(&plane->mu_), plane_(plane) {
    {
      std::lock_guard<std::mutex> lock(plane->mu_);
      plane->streams_.insert(this);
    }
    Begin();
  }
  ~AdsStream() override {
    std::lock_guard<std::mutex> lock(plane_->mu_);
    plane_->streams_.erase(this);
    plane_->changed_.notify_all();
  }

  std::map<std::string, Subscription> subscriptions;  // by type

 private:
  void OnMessage(const std::string& bytes) override { plane_->OnRequest(this, bytes); }
  Plane* const plane_;
};

// Asks for the loads of all clusters once a minute, so that no report falls into a measurement, and
// reads the reports.
class Plane::LrsStream : public Stream {
 public:
  explicit LrsStream(Plane* plane) : Stream(&plane->mu_), plane_(plane) { Begin(); }

 private:
  void OnMessage(const std::string&) override {
    std::lock_guard<std::mutex> lock(plane_->mu_);
    if (answered_) return;
    answered_ = true;
    // LoadStatsResponse: load_reporting_interval, send_all_clusters.
    SendLocked(Message().Bytes(2, Message().Number(1, 60)).Number(4, 1).bytes());
  }
  Plane* const plane_;
  bool answered_ = false;
};

class Plane::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(Plane* plane) : plane_(plane) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (context->method().find("LoadReporting") != std::string::npos) return new LrsStream(plane_);
    return new AdsStream(plane_);
  }

 private:
  Plane* const plane_;
};

Plane::Plane() : service_(std::make_unique<Service>(this)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterCallbackGenericService(service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
}

Plane::~Plane() {
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

std::string Plane::Bootstrap(const std::string& feature) const {
  return R"({"xds_servers":[{"server_uri":"127.0.0.1:)" + std::to_string(port_) +
         R"(","channel_creds":[{"type":"insecure"}],"server_features":["xds_v3")" +
         (feature.empty() ? "" : ",\"" + feature + "\"") + R"(]}],"node":{"id":"bench"}})";
}

void Plane::Clear() {
  std::lock_guard<std::mutex> lock(mu_);
  resources_.clear();
}

void Plane::Set(const std::string& type, const std::string& name, std::string bytes) {
  std::lock_guard<std::mutex> lock(mu_);
  resources_[type][name] = std::move(bytes);
}

// Version and nonce are the number of the response. The version comes first, on which client.cc
// relies.
std::string Plane::Response(const std::string& type, const std::set<std::string>& names) {
  const std::string version = std::to_string(++version_);
  Message response = Message().Bytes(1, version).Bytes(4, type).Bytes(5, version);
  const auto& resources = resources_[type];
  for (const std::string& name : names) {
    auto it = resources.find(name);
    if (it != resources.end()) {
      response.Bytes(2, Message().Bytes(1, type).Bytes(2, it->second));
    }
  }
  return response.bytes();
}

void Plane::OnRequest(AdsStream* stream, const std::string& bytes) {
  std::set<std::string> names;
  std::string type, nonce, error;
  gxds_str rest = {bytes.data(), bytes.size()};
  for (gxds_wire_field f; gxds_wire_next(&rest, &f);) {
    if (f.number == 3) names.insert(ToString(f.value));
    if (f.number == 4) type = ToString(f.value);
    if (f.number == 5) nonce = ToString(f.value);
    if (f.number == 6) error = ToString(f.value);
  }
  std::lock_guard<std::mutex> lock(mu_);
  const auto [place, is_first] = stream->subscriptions.try_emplace(type);
  Subscription& s = place->second;
  // A response for listeners or clusters deletes resources that are not in it.
  const bool whole = type == kListener || type == kCluster;
  if (is_first && whole && names.empty()) s.is_of_all = true;
  if (s.is_of_all) {
    for (const auto& [name, resource] : resources_[type]) names.insert(name);
  }
  std::set<std::string> added;
  for (const std::string& name : names) {
    if (s.names.count(name) == 0) added.insert(name);
  }
  s.names = std::move(names);
  if (!nonce.empty() && std::stoull(nonce) == s.sent) {
    if (error.empty()) {
      s.accepted = s.sent;
    } else {
      s.refusal = error;
    }
    changed_.notify_all();
  }
  if (added.empty()) return;
  std::string response = Response(type, whole ? s.names : added);
  s.sent = version_;
  stream->SendLocked(response);
}

bool Plane::Push(const std::string& type, const std::string& name, std::string bytes) {
  std::unique_lock<std::mutex> lock(mu_);
  resources_[type][name] = std::move(bytes);
  const bool whole = type == kListener || type == kCluster;
  for (AdsStream* stream : streams_) {
    Subscription& s = stream->subscriptions[type];
    if (s.names.count(name) == 0) continue;
    std::string response = Response(type, whole ? s.names : std::set<std::string>{name});
    s.sent = version_;
    stream->SendLocked(response);
  }
  std::string refusal;
  auto settled = [&] {
    for (AdsStream* stream : streams_) {
      const Subscription& s = stream->subscriptions[type];
      if (!s.refusal.empty()) refusal = s.refusal;
      if (s.accepted != s.sent && s.refusal.empty()) return false;
    }
    return true;
  };
  const bool answered = changed_.wait_for(lock, std::chrono::minutes(1), settled);
  if (!refusal.empty()) fprintf(stderr, "refused: %s\n", refusal.c_str());
  return answered && refusal.empty();
}

}  // namespace gxds_bench
