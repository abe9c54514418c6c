// A program that makes RPCs and forks as gRPC's fork support requires: it waits for each RPC on the
// thread that made it, and forks only on that thread. Built without the plugin, it shows the
// behaviour of the host's own xDS.
//
// usage: fork_client SCENARIO TARGET
//
// Each process prints its result: "NAME: all served", or "NAME: CODE: MESSAGE" for the first RPC
// that failed. "NAME: signal N" is printed for a child that a signal killed, and ": hangs" by a
// child that does not end in time. The exit status is 0 if all RPCs succeeded. FORK_CLIENT_SECONDS
// limits an RPC, and four times that a process.
#include <grpc/fork.h>
#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#ifndef WITHOUT_PLUGIN
#include "grpc_xds/grpc_xds.h"
#endif

namespace {

constexpr int kCalls = 10;
constexpr int kForks = 5;
// The limit of an RPC. A slow sanitizer build needs a part of it.
unsigned g_seconds = 20;
// The host's fork handlers may hang (seen in a few of a hundred forks, without the plugin too).
// SIGALRM then kills the process.
constexpr unsigned kForkSeconds = 30;
// Shorter than the time for which an exit would wait for an event that never comes.
constexpr unsigned kExitSeconds = 4;

constexpr char kMethod[] = "/test.Echo/Name";
constexpr char kNobody[] = "ipv4:127.0.0.1:1";

std::string g_target;
std::string g_name = "parent";

bool Print(const std::string& what) {
  std::cout << g_name + ": " + what + "\n" << std::flush;
  return what == "all served";
}

grpc::ByteBuffer Request() {
  grpc::Slice slice("request");
  return grpc::ByteBuffer(&slice, 1);
}

class Client {
 public:
  explicit Client(const std::string& target = g_target)
      : channel_(grpc::CreateChannel(target, grpc::InsecureChannelCredentials())) {}

  bool Calls() {
    for (int i = 0; i < kCalls; ++i) {
      std::string by;
      const grpc::Status status = Call(&by);
      if (!status.ok()) {
        return Print(std::to_string(status.error_code()) + ": " + status.error_message());
      }
    }
    return Print("all served");
  }

  // Makes calls until that backend answers. No call may fail.
  bool CallsUntilAnsweredBy(const std::string& backend) {
    const auto end = std::chrono::system_clock::now() + std::chrono::seconds(g_seconds);
    for (std::string by; by != backend;) {
      by.clear();
      const grpc::Status status = Call(&by);
      if (!status.ok()) {
        return Print(std::to_string(status.error_code()) + ": " + status.error_message());
      }
      if (std::chrono::system_clock::now() > end) return Print("no response from " + backend);
    }
    return Print("all served");
  }

  // An RPC that has started, but whose request is not sent yet.
  class Begun {
   public:
    explicit Begun(const Client& client) : stub_(client.channel_) {
      context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(g_seconds));
      rpc_ = stub_.PrepareCall(&context_, kMethod, &queue_);
      rpc_->StartCall(this);
      begun_ = Done();
    }
    ~Begun() {
      context_.TryCancel();
      if (!finished_) Finish();
    }

    bool Ends() {
      grpc::ByteBuffer response;
      rpc_->WriteLast(Request(), grpc::WriteOptions(), this);
      bool ok = Done() && begun_;
      rpc_->Read(&response, this);
      ok = Done() && ok;
      const grpc::Status status = Finish();
      return (ok && status.ok()) || Print("the RPC in progress: " + status.error_message());
    }

   private:
    bool Done() {
      void* tag = nullptr;
      bool ok = false;
      return queue_.Next(&tag, &ok) && ok;
    }
    grpc::Status Finish() {
      finished_ = true;
      grpc::Status status;
      rpc_->Finish(&status, this);
      (void)Done();
      return status;
    }

    grpc::GenericStub stub_;
    grpc::ClientContext context_;
    grpc::CompletionQueue queue_;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> rpc_;
    bool begun_ = false;
    bool finished_ = false;
  };

  bool MissesADeadline() {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
    std::string by;
    const grpc::Status status = Call(&context, &by);
    return status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
           Print("no deadline: " + status.error_message());
  }

 private:
  grpc::Status Call(std::string* by) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(g_seconds));
    return Call(&context, by);
  }

  // Makes the call on this thread, which polls for itself. No thread of grpc++ takes part.
  grpc::Status Call(grpc::ClientContext* context, std::string* by) {
    const grpc::internal::RpcMethod method(kMethod, grpc::internal::RpcMethod::NORMAL_RPC);
    const grpc::ByteBuffer request = Request();
    grpc::ByteBuffer response;
    grpc::Status status = grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
        channel_.get(), method, context, request, &response);
    std::vector<grpc::Slice> slices;
    if (!status.ok() || !response.Dump(&slices).ok()) return status;
    for (const grpc::Slice& s : slices) by->append(s.begin(), s.end());
    return status;
  }

  const std::shared_ptr<grpc::Channel> channel_;
};

// Limits the time of a child, which is longer than its RPCs may take. So a child that reaches it
// waits for a lock that another thread of its parent held.
void LimitChild() {
  signal(SIGALRM, [](int) {
    constexpr char kHangs[] = ": hangs\n";
    (void)!write(STDOUT_FILENO, kHangs, sizeof kHangs - 1);
    _exit(3);
  });
  alarm(4 * g_seconds);
}

void LimitFork() {
  signal(SIGALRM, SIG_DFL);
  alarm(kForkSeconds);
}

// The child exits after `child` has run.
pid_t Fork(const std::string& name, const std::function<bool()>& child) {
  LimitFork();
  const pid_t pid = fork();
  if (pid == 0) {
    g_name = name;
    LimitChild();
    _exit(child() ? 0 : 1);
  }
  alarm(0);
  if (g_name != "parent") LimitChild();
  return pid;
}

bool Ended(pid_t pid, const std::string& name) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return false;
  if (WIFSIGNALED(status)) Print(name + ": signal " + std::to_string(WTERMSIG(status)));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool ForkAndWait(const std::string& name, const std::function<bool()>& child) {
  return Ended(Fork(name, child), name);
}

bool CallsOfItsOwn() { return Client().Calls(); }

bool CloseThenFork() {
  return CallsOfItsOwn() && ForkAndWait("child", CallsOfItsOwn) && CallsOfItsOwn();
}

bool ForkWithAChannel() {
  Client client;
  return client.Calls() && ForkAndWait("child", CallsOfItsOwn) && client.Calls();
}

bool ForkInTurn() {
  Client client;
  bool ok = client.Calls();
  for (int i = 1; ok && i <= kForks; ++i) {
    ok = ForkAndWait("child " + std::to_string(i), CallsOfItsOwn) && client.Calls();
  }
  return ok;
}

// The child uses the channel of its parent.
bool ForkAndShare() {
  Client client;
  return client.Calls() && ForkAndWait("child", [&client] { return client.Calls(); }) &&
         client.Calls();
}

// Neither has used the channel before the fork. Several children use it, then the parent.
bool ForkUnused() {
  Client client;
  bool ok = true;
  for (int i = 1; ok && i <= kForks; ++i) {
    ok = ForkAndWait("child " + std::to_string(i), [&client] { return client.Calls(); });
  }
  return ok && client.Calls();
}

// The child uses the channel that its parent used, and the control plane sends another backend
// after the child's calls.
bool ForkAndUpdate() {
  Client client;
  return client.Calls() &&
         ForkAndWait("child",
                     [&client] { return client.Calls() && client.CallsUntilAnsweredBy("b"); }) &&
         client.CallsUntilAnsweredBy("b");
}

// The same, and the parent has an RPC in progress on the channel.
bool ForkInAnRpc() {
  Client client;
  if (!client.Calls()) return false;
  Client::Begun rpc(client);
  return ForkAndWait("child",
                     [&client] { return client.Calls() && client.CallsUntilAnsweredBy("b"); }) &&
         client.CallsUntilAnsweredBy("b") && rpc.Ends();
}

// The child starts another program.
bool ForkAndExec() {
  Client client;
  const auto in_child = [] {
    execl("/bin/true", "true", nullptr);
    return false;
  };
  return client.Calls() && ForkAndWait("child", in_child) && client.Calls();
}

// The child does not use gRPC, and ends with exit().
bool ForkAndOnlyExit() {
  Client client;
  const auto in_child = [] {
    alarm(kExitSeconds);
    exit(0);
    return true;
  };
  return client.Calls() && ForkAndWait("child", in_child) && client.Calls();
}

// Children use their parent's channel while the parent uses it too.
bool ForkManyAndShare() {
  Client client;
  bool ok = client.Calls();
  std::map<std::string, pid_t> children;
  for (int i = 1; i <= kForks; ++i) {
    const std::string name = "child " + std::to_string(i);
    children[name] = Fork(name, [&client] { return client.Calls(); });
  }
  ok = client.Calls() && ok;
  for (const auto& [name, pid] : children) ok = Ended(pid, name) && ok;
  return client.Calls() && ok;
}

// The child first makes an RPC that misses its deadline.
bool ForkAndMissADeadline() {
  Client client;
  const auto in_child = [] { return Client(kNobody).MissesADeadline() && CallsOfItsOwn(); };
  return client.Calls() && ForkAndWait("child", in_child) && client.Calls();
}

// All children run at once, while the parent makes calls.
bool ForkMany() {
  Client client;
  bool ok = client.Calls();
  std::map<std::string, pid_t> children;
  for (int i = 1; i <= kForks; ++i) {
    const std::string name = "child " + std::to_string(i);
    children[name] = Fork(name, CallsOfItsOwn);
  }
  ok = client.Calls() && ok;
  for (const auto& [name, pid] : children) ok = Ended(pid, name) && ok;
  return client.Calls() && ok;
}

// The child destroys the channel and ends with exit(). Its parent keeps the channel.
bool ForkAndExit() {
  auto client = std::make_unique<Client>();
  const auto in_child = [&client] {
    client.reset();
    if (!CallsOfItsOwn()) return false;
    alarm(kExitSeconds);
    exit(0);
  };
  return client->Calls() && ForkAndWait("child", in_child) && client->Calls();
}

// Also with channels to other targets, whose listeners do not exist. The child frees all.
bool ForkAndFreeMany() {
  auto client = std::make_unique<Client>();
  if (!client->Calls()) return false;
  std::vector<std::unique_ptr<Client>> others;
  for (int i = 0; i < kForks; ++i) {
    others.push_back(std::make_unique<Client>(g_target + "." + std::to_string(i)));
    if (!others.back()->MissesADeadline()) return false;
  }
  const auto in_child = [&] {
    others.clear();
    client.reset();
    return CallsOfItsOwn();
  };
  return ForkAndWait("child", in_child) && client->Calls();
}

bool ForkBeforeAnything() { return ForkAndWait("child", CallsOfItsOwn) && CallsOfItsOwn(); }

bool ForkInAChild() {
  Client client;
  return client.Calls() &&
         ForkAndWait("child",
                     [] {
                       Client of_child;
                       return of_child.Calls() && ForkAndWait("grandchild", CallsOfItsOwn) &&
                              of_child.Calls();
                     }) &&
         client.Calls();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, bool (*)()> scenarios = {{"closed", CloseThenFork},
                                                       {"open", ForkWithAChannel},
                                                       {"share", ForkAndShare},
                                                       {"unused", ForkUnused},
                                                       {"in-turn", ForkInTurn},
                                                       {"many", ForkMany},
                                                       {"before", ForkBeforeAnything},
                                                       {"grandchild", ForkInAChild},
                                                       {"deadline", ForkAndMissADeadline},
                                                       {"exit", ForkAndExit},
                                                       {"update", ForkAndUpdate},
                                                       {"in-rpc", ForkInAnRpc},
                                                       {"exec", ForkAndExec},
                                                       {"only-exit", ForkAndOnlyExit},
                                                       {"free-many", ForkAndFreeMany},
                                                       {"share-many", ForkManyAndShare}};
  if (argc != 3 || scenarios.count(argv[1]) == 0) return 2;
#ifndef WITHOUT_PLUGIN
  if (grpc_xds_plugin_register() != GRPC_XDS_OK) return 2;
#endif
  g_target = argv[2];
  if (const char* seconds = getenv("FORK_CLIENT_SECONDS")) g_seconds = unsigned(atoi(seconds));
  // This sets up what the handlers of gRPC 1.83 call.
  (void)grpc_is_initialized();
  // With the distribution's gRPC the program registers the handlers itself.
  pthread_atfork(nullptr, nullptr, LimitFork);  // no child inherits an alarm
  pthread_atfork(grpc_prefork, grpc_postfork_parent, grpc_postfork_child);
  return scenarios.at(argv[1])() ? 0 : 1;
}
