#include "test/support/agent.h"

#include <atomic>
#include <chrono>

namespace gxds_test {

// A client's stream and the matching stream to the control plane. Each message is passed on before
// the next is read. Deletes itself when both streams have ended.
class Agent::Relay : public grpc::ServerGenericBidiReactor {
 public:
  Relay(Agent* agent, const std::string& method) : agent_(agent), up_(this) {
    agent->control_plane_.PrepareBidiStreamingCall(&context_, method, {}, &up_);
    up_.AddHold();  // its operations are started from the other stream's reactions
    up_.StartCall();
    up_.StartRead(&from_up_);
    StartRead(&from_down_);
  }

  // Ends the stream because a later one replaces it.
  void End() {
    std::lock_guard<std::mutex> lock(mu_);
    FinishLocked(grpc::Status::OK);
    LeaveUpLocked();
  }

  void OnReadDone(bool ok) override {
    std::lock_guard<std::mutex> lock(mu_);
    if (!ok) {
      LeaveUpLocked();
    } else if (!up_left_) {
      up_.StartWrite(&from_down_);
    }
  }
  void OnWriteDone(bool ok) override {
    std::lock_guard<std::mutex> lock(mu_);
    if (!ok) {
      LeaveUpLocked();
    } else if (!up_left_) {
      up_.StartRead(&from_up_);
    }
  }
  void OnCancel() override {
    std::lock_guard<std::mutex> lock(mu_);
    LeaveUpLocked();
  }
  void OnDone() override {
    {
      std::lock_guard<std::mutex> lock(agent_->mu_);
      if (agent_->ads_ == this) agent_->ads_ = nullptr;
    }
    Unref();
  }

 private:
  class Up : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    explicit Up(Relay* relay) : relay_(relay) {}
    void OnReadDone(bool ok) override { relay_->OnUpRead(ok); }
    void OnWriteDone(bool ok) override { relay_->OnUpWritten(ok); }
    void OnDone(const grpc::Status& status) override { relay_->OnUpDone(status); }

   private:
    Relay* relay_;
  };

  void OnUpRead(bool ok) {
    std::lock_guard<std::mutex> lock(mu_);
    if (!ok) {
      ReleaseUpLocked();
    } else if (!finished_) {
      StartWrite(&from_up_);
    }
  }
  void OnUpWritten(bool ok) {
    std::lock_guard<std::mutex> lock(mu_);
    if (!ok) {
      ReleaseUpLocked();
    } else if (!finished_) {
      StartRead(&from_down_);
    }
  }
  void OnUpDone(const grpc::Status& status) {
    {
      std::lock_guard<std::mutex> lock(mu_);
      FinishLocked(status);
    }
    Unref();
  }

  void FinishLocked(const grpc::Status& status) {
    if (finished_) return;
    finished_ = true;
    Finish(status);
  }
  void LeaveUpLocked() {
    context_.TryCancel();
    ReleaseUpLocked();
  }
  void ReleaseUpLocked() {
    if (up_left_) return;
    up_left_ = true;
    up_.RemoveHold();
  }
  void Unref() {
    if (--uses_ == 0) delete this;
  }

  Agent* agent_;
  std::atomic<int> uses_{2};
  std::mutex mu_;
  bool finished_ = false;
  bool up_left_ = false;
  grpc::ClientContext context_;
  grpc::ByteBuffer from_up_;
  grpc::ByteBuffer from_down_;
  Up up_;
};

class Agent::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(Agent* agent) : agent_(agent) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto* relay = new Relay(agent_, context->method());
    std::lock_guard<std::mutex> lock(agent_->mu_);
    const auto header = context->client_metadata().find("authorization");
    agent_->headers_.emplace_back(context->method(),
                                  header == context->client_metadata().end()
                                      ? ""
                                      : std::string(header->second.data(), header->second.size()));
    if (context->method().find("AggregatedDiscoveryService") == std::string::npos) return relay;
    ++agent_->opened_;
    if (agent_->ads_ != nullptr) {
      ++agent_->ended_;
      agent_->ads_->End();
    }
    agent_->ads_ = relay;
    return relay;
  }

 private:
  Agent* agent_;
};

Agent::Agent(const std::string& control_plane,
             const std::shared_ptr<grpc::ServerCredentials>& credentials)
    : control_plane_(grpc::CreateChannel(control_plane, grpc::InsecureChannelCredentials())),
      service_(std::make_unique<Service>(this)) {
  grpc::ServerBuilder builder;
  builder.RegisterCallbackGenericService(service_.get());
  builder.AddListeningPort("127.0.0.1:0",
                           credentials ? credentials : grpc::InsecureServerCredentials(), &port_);
  server_ = builder.BuildAndStart();
}

Agent::~Agent() {
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

long Agent::opened() const {
  std::lock_guard<std::mutex> lock(mu_);
  return opened_;
}

long Agent::ended() const {
  std::lock_guard<std::mutex> lock(mu_);
  return ended_;
}

std::vector<std::string> Agent::Authorizations(const std::string& service) const {
  std::lock_guard<std::mutex> lock(mu_);
  std::vector<std::string> all;
  for (const auto& [method, header] : headers_) {
    if (method.find(service) != std::string::npos) all.push_back(header);
  }
  return all;
}

void Agent::EndStream() {
  std::lock_guard<std::mutex> lock(mu_);
  if (ads_ != nullptr) ads_->End();
}

}  // namespace gxds_test
