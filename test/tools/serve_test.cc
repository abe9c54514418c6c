// The real `xds serve`, in a process of its own, and small clients that speak ADS and LRS to it.
#include <fcntl.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/support/child.h"
#include "test/tools/messages.h"

namespace {

namespace fs = std::filesystem;

using gxds_test::Child;
using gxds_test::kPatience;
using gxds_test::Runfile;
using gxds_test::TempDir;
using xds_test::CDS;
using xds_test::EDS;
using xds_test::FileJson;
using xds_test::LDS;
using xds_test::RDS;
using xds_test::Report;
using xds_test::Request;
using xds_test::Response;
using xds_test::TypeUrl;

const char kAds[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
const char kLrs[] = "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats";

// A call of raw bytes in both directions. Waits, but never longer than kPatience.
class Call {
 public:
  Call(const std::shared_ptr<grpc::Channel> &channel, const char *method) : stub_(channel) {
    call_ = stub_.PrepareCall(&context_, method, &cq_);
    call_->StartCall(Tag(kStart));
    Await(kStart);
    call_->Read(&received_, Tag(kRead));
  }
  ~Call() {
    context_.TryCancel();
    cq_.Shutdown();
    void *tag;
    bool ok;
    while (cq_.Next(&tag, &ok)) {
    }
  }

  void Send(const std::string &bytes) {
    grpc::Slice slice(bytes);
    call_->Write(grpc::ByteBuffer(&slice, 1), Tag(kWrite));
    Await(kWrite);
  }
  void Send(const Request &request) { Send(Encode(request)); }
  void Send(const xds_test::DeltaRequest &request) { Send(Encode(request)); }
  void Send(const Report &report) { Send(Encode(report)); }
  void HalfClose() {
    call_->WritesDone(Tag(kWrite));
    Await(kWrite);
  }

  // The next message; "" when the call ended.
  std::string Receive() {
    while (messages_.empty() && !ended_) {
      if (!Step()) return "";
    }
    if (messages_.empty()) return "";
    std::string message = messages_.front();
    messages_.pop_front();
    return message;
  }
  // "CDS a=1".
  std::string Get() {
    last_ = xds_test::Decode(Receive());
    return last_.Text();
  }
  const Response &last() const { return last_; }
  void Ack(xds_test::Type type, const std::vector<std::string> &names) {
    Send(Request{TypeUrl(type), names, last_.nonce, last_.version, "", ""});
  }

  grpc::Status Finish() {
    grpc::Status status;
    call_->Finish(&status, Tag(kFinish));
    Await(kFinish);
    return status;
  }

 private:
  enum { kStart = 1, kRead, kWrite, kFinish };
  static void *Tag(intptr_t i) { return reinterpret_cast<void *>(i); }

  void Await(intptr_t tag) {
    done_ = 0;
    while (done_ != tag && Step()) {
    }
    EXPECT_EQ(done_, tag);
  }
  bool Step() {
    void *tag;
    bool ok;
    auto deadline = std::chrono::system_clock::now() + kPatience;
    if (cq_.AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) {
      ADD_FAILURE() << "nothing came";
      return false;
    }
    done_ = reinterpret_cast<intptr_t>(tag);
    if (done_ != kRead) return true;
    if (!ok) {
      ended_ = true;
      return true;
    }
    grpc::Slice slice;
    EXPECT_TRUE(received_.DumpToSingleSlice(&slice).ok());
    messages_.emplace_back(reinterpret_cast<const char *>(slice.begin()), slice.size());
    call_->Read(&received_, Tag(kRead));
    return true;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue cq_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer received_;
  std::deque<std::string> messages_;
  intptr_t done_ = 0;
  bool ended_ = false;
  Response last_;
};

class Serve : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> more = {"--json"}, const std::string &dir = "") {
    more.push_back(dir.empty() ? files_.path() : dir);
    StartWith(more);
  }
  void StartWith(const std::vector<std::string> &more) {
    std::vector<std::string> args = {Runfile("tools/xds"), "serve", "--listen", "127.0.0.1:0"};
    args.insert(args.end(), more.begin(), more.end());
    server_ = std::make_unique<Child>(args);
    std::string line = server_->WaitForLine(
        [](const std::string &s) { return s.find("listening") != std::string::npos; });
    ASSERT_NE(line, "") << server_->Output();
    Connect(std::atoi(line.c_str() + line.rfind(':') + 1));
  }
  void Connect(int port) {
    port_ = port;
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                   grpc::InsecureChannelCredentials());
  }
  void Write(const std::string &name, const std::vector<std::string> &resources) {
    files_.Write(name, FileJson(resources));
  }
  // The first line that contains all of parts.
  std::string Wait(const std::vector<std::string> &parts) {
    std::string line = server_->WaitForLine([&](const std::string &s) {
      for (const auto &part : parts) {
        if (s.find(part) == std::string::npos) return false;
      }
      return true;
    });
    EXPECT_NE(line, "") << server_->Output();
    return line;
  }
  Request RequestFor(xds_test::Type type, const std::vector<std::string> &names) {
    return {TypeUrl(type), names, "", "", "", "test-node"};
  }

  TempDir files_;
  std::unique_ptr<Child> server_;
  std::shared_ptr<grpc::Channel> channel_;
  int port_ = 0;
};

TEST_F(Serve, SendsWhatIsRequested) {
  Write("a.json", {"LDS l=1", "RDS r=1", "CDS a=1", "CDS b=1", "EDS a=1"});
  Start();
  Call ads(channel_, kAds);
  ads.Send(RequestFor(LDS, {"l"}));
  EXPECT_EQ(ads.Get(), "LDS l=1");
  ads.Send(RequestFor(RDS, {"r"}));
  EXPECT_EQ(ads.Get(), "RDS r=1");
  ads.Send(RequestFor(CDS, {}));
  EXPECT_EQ(ads.Get(), "CDS a=1 b=1");
  ads.Send(RequestFor(EDS, {"a", "missing"}));
  EXPECT_EQ(ads.Get(), "EDS a=1");
  ads.Ack(EDS, {"a", "missing"});
  EXPECT_NE(Wait({"\"event\":\"ack\"", "\"node\":\"test-node\"", "ClusterLoadAssignment",
                  "\"nonce\":\"4\""}),
            "");
}

TEST_F(Serve, PushesWhatChangedWhenAFileChanges) {
  Write("a.json", {"EDS a=1", "EDS b=1", "CDS a=1"});
  Start();
  Call first(channel_, kAds);
  Call second(channel_, kAds);
  first.Send(RequestFor(EDS, {"a", "b"}));
  second.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(first.Get(), "EDS a=1 b=1");
  EXPECT_EQ(second.Get(), "CDS a=1");
  first.Ack(EDS, {"a", "b"});
  second.Ack(CDS, {"a"});
  Write("a.json", {"EDS a=2", "EDS b=1", "CDS a=1"});
  EXPECT_EQ(first.Get(), "EDS a=2");
  Write("b.json", {"EDS c=1"});
  Write("a.json", {"EDS a=2", "EDS b=1", "CDS a=2"});
  EXPECT_EQ(second.Get(), "CDS a=2");  // and nothing in between
}

TEST_F(Serve, ASwappedSymlinkIsOneStep) {
  const fs::path root = files_.path();
  for (const char *version : {"1", "2"}) {
    fs::create_directory(root / version);
    std::ofstream(root / version / "cds.json") << FileJson({std::string("CDS a=") + version});
    std::ofstream(root / version / "lds.json") << FileJson({std::string("LDS l=") + version});
  }
  fs::create_directory_symlink("1", root / "current");
  Start({"--json"}, (root / "current").string());
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  ads.Ack(CDS, {"a"});
  ads.Send(RequestFor(LDS, {"l"}));
  EXPECT_EQ(ads.Get(), "LDS l=1");
  ads.Ack(LDS, {"l"});
  fs::create_directory_symlink("2", root / "next");
  fs::rename(root / "next", root / "current");
  EXPECT_EQ(ads.Get(), "CDS a=2");
  EXPECT_EQ(ads.Get(), "LDS l=2");
}

TEST_F(Serve, ABrokenFileKeepsTheLastGoodStateAndNamesFileLineAndField) {
  Write("good.json", {"EDS a=1"});
  files_.Write("other.yaml", "'@type': " + std::string(TypeUrl(CDS)) + "\nname: c\n");
  Start();
  Call ads(channel_, kAds);
  ads.Send(RequestFor(EDS, {"a"}));
  EXPECT_EQ(ads.Get(), "EDS a=1");
  ads.Ack(EDS, {"a"});
  Write("good.json", {"EDS a=2"});
  files_.Write("other.yaml", "'@type': " + std::string(TypeUrl(CDS)) + "\nname: c\ntypo: 1\n");
  EXPECT_NE(Wait({"\"event\":\"error\"", "\"file\":\"other.yaml\"", "\"line\":3",
                  "\"field\":\"typo\"", "no such field"}),
            "");
  ads.Send(RequestFor(CDS, {"c"}));  // of the last good state, and nothing came before it
  EXPECT_EQ(ads.Get(), "CDS c=");
  files_.Write("other.yaml", "'@type': " + std::string(TypeUrl(CDS)) + "\nname: c\n");
  EXPECT_EQ(ads.Get(), "EDS a=2");
}

TEST_F(Serve, ErrorsAtTheStartArePrintedAndMended) {
  files_.Write("a.yaml", "nonsense\n");
  Start();
  EXPECT_NE(Wait({"\"event\":\"error\"", "\"file\":\"a.yaml\"", "\"line\":1"}), "");
  Call ads(channel_, kAds);
  ads.Send(RequestFor(LDS, {}));
  EXPECT_NE(Wait({"\"event\":\"subscribed\"", "\"names\":[\"*\"]"}), "");
  files_.Write("a.yaml", FileJson({"LDS l=1"}));
  EXPECT_EQ(ads.Get(), "LDS l=1");
}

TEST_F(Serve, ANackIsPrintedWithTheClientsError) {
  Write("a.json", {"CDS a=1"});
  Start();
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  ads.Send(Request{TypeUrl(CDS), {"a"}, ads.last().nonce, "", "I don't like \"a\"", ""});
  std::string line = Wait({"\"event\":\"nack\""});
  EXPECT_NE(line.find("\"detail\":\"I don't like \\\"a\\\"\""), std::string::npos) << line;
  EXPECT_NE(line.find("\"node\":\"test-node\""), std::string::npos) << line;
  EXPECT_NE(line.find("\"nonce\":\"1\""), std::string::npos) << line;
  Write("a.json", {"CDS a=2"});
  EXPECT_EQ(ads.Get(), "CDS a=2");
}

TEST_F(Serve, LoadReportsAreCollected) {
  Start({"--json", "--load-interval", "0.25"});
  Call lrs(channel_, kLrs);
  Report hello;
  hello.node = "reporter";
  lrs.Send(hello);
  EXPECT_EQ(xds_test::DecodeLoadStatsResponse(lrs.Receive()), "interval 0.250000000 all");
  Report report;
  report.cluster = "green";
  report.localities = {{"z", 5, 1, 0, 6}};
  report.drops = {{"throttle", 2}};
  lrs.Send(report);
  lrs.Send(report);
  std::string line = Wait({"\"event\":\"load\"", "\"total\":{\"successful\":10,\"error\":2,"});
  EXPECT_NE(line.find("\"node\":\"reporter\""), std::string::npos) << line;
  EXPECT_NE(line.find("\"cluster\":\"green\""), std::string::npos) << line;
  EXPECT_NE(line.find("\"successful\":5,\"error\":1,\"in_progress\":0,\"issued\":6"),
            std::string::npos)
      << line;
  EXPECT_NE(line.find("\"dropped\":{\"throttle\":2}"), std::string::npos) << line;
}

TEST_F(Serve, WhatClientsWillRefuseIsServedWithAWarning) {
  files_.Write("a.json", R"([{"@type":")" + std::string(TypeUrl(CDS)) +
                             R"(",)"
                             "\n"
                             R"("name":"bad","type":"STRICT_DNS"}])");
  Start();
  std::string line = Wait({"\"event\":\"warning\"", "\"file\":\"a.json\"", "\"names\":[\"bad\"]"});
  EXPECT_NE(line.find("\"line\":1"), std::string::npos) << line;
  EXPECT_NE(line.find("\"detail\":\"errors validating"), std::string::npos) << line;
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"bad"}));
  EXPECT_EQ(ads.Get(), "CDS bad=");
}

TEST_F(Serve, CertificateProvidersAreTheClientsAndNoReasonToWarn) {
  files_.Write("a.json", R"([{"@type":")" + std::string(TypeUrl(CDS)) + R"(",
    "name":"tls","type":"EDS","eds_cluster_config":{"eds_config":{"ads":{}}},
    "transport_socket":{"name":"tls","typed_config":{
      "@type":"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
      "common_tls_context":{"validation_context":{
        "ca_certificate_provider_instance":{"instance_name":"ours"}}}}}},
    {"@type":")" + std::string(TypeUrl(CDS)) +
                             R"(","name":"zzz","type":"STRICT_DNS"}])");
  Start();
  // Warnings come in the order of the names.
  EXPECT_NE(Wait({"\"event\":\"warning\"", "\"names\":[\"zzz\"]"}), "");
  for (const auto &l : server_->Lines()) {
    EXPECT_EQ(l.find("certificate provider"), std::string::npos) << l;
  }
}

TEST_F(Serve, EveryServiceIsServedInBothWays) {
  Write("a.json", {"LDS l=1", "RDS r=1", "CDS a=1", "EDS a=1"});
  Start();
  struct {
    const char *service;
    const char *what;
    xds_test::Type type;
    const char *sent;
  } services[] = {
      {"listener.v3.ListenerDiscoveryService", "Listeners", LDS, "LDS l=1"},
      {"route.v3.RouteDiscoveryService", "Routes", RDS, "RDS r=1"},
      {"cluster.v3.ClusterDiscoveryService", "Clusters", CDS, "CDS a=1"},
      {"endpoint.v3.EndpointDiscoveryService", "Endpoints", EDS, "EDS a=1"},
      {"discovery.v3.AggregatedDiscoveryService", "AggregatedResources", EDS, "EDS a=1"},
  };
  for (const auto &s : services) {
    std::string name = std::string(s.sent).substr(4, 1);
    std::string prefix = std::string("/envoy.service.") + s.service + "/";
    Call sotw(channel_, (prefix + "Stream" + s.what).c_str());
    sotw.Send(RequestFor(s.type, {name}));
    EXPECT_EQ(sotw.Get(), s.sent);
    Call delta(channel_, (prefix + "Delta" + s.what).c_str());
    delta.Send(xds_test::DeltaRequest{TypeUrl(s.type), {name, "x"}, {}, {}, "", "", "test-node"});
    EXPECT_EQ(xds_test::DecodeDelta(delta.Receive()).Text(), std::string(s.sent) + " -x");
  }
}

TEST_F(Serve, SyntheticResourcesNeedNoFiles) {
  StartWith({"--synthetic", "clusters=3,endpoints=2,localities=2,seed=7", "--json"});
  EXPECT_NE(Wait({"\"event\":\"resources\"", "1 LDS, 1 RDS, 3 CDS, 3 EDS"}), "");
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"cluster-000002", "cluster-000003"}));
  EXPECT_EQ(ads.Get(), "CDS cluster-000002=");
}

TEST_F(Serve, OtherMethodsAreUnimplemented) {
  Start();
  for (const char *method : {"/envoy.service.discovery.v3.AggregatedDiscoveryService/Other",
                             "/grpc.health.v1.Health/Check"}) {
    Call call(channel_, method);
    EXPECT_EQ(call.Receive(), "");
    EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
}

TEST_F(Serve, BytesThatAreNoRequestEndTheStream) {
  Start();
  Call ads(channel_, kAds);
  ads.Send("\xff\xff");
  EXPECT_EQ(ads.Receive(), "");
  grpc::Status status = ads.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "the message is no DiscoveryRequest");
  Call lrs(channel_, kLrs);
  lrs.Send("\xff\xff");
  EXPECT_EQ(lrs.Receive(), "");
  EXPECT_EQ(lrs.Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(Serve, AClientThatEndsItsStreamGetsStatusOk) {
  Start();
  Call ads(channel_, kAds);
  ads.Send(RequestFor(EDS, {"x"}));
  ads.HalfClose();
  EXPECT_EQ(ads.Receive(), "");
  EXPECT_TRUE(ads.Finish().ok());
}

TEST_F(Serve, ClientsThatGoAwayAreForgotten) {
  Write("a.json", {"CDS a=1"});
  Start();
  {
    Call ads(channel_, kAds);
    ads.Send(RequestFor(CDS, {"a"}));
    EXPECT_EQ(ads.Get(), "CDS a=1");
  }
  EXPECT_NE(Wait({"\"event\":\"stream_close\"", "\"service\":\"ads\"", "test-node"}), "");
  Write("a.json", {"CDS a=2"});
  Call again(channel_, kAds);
  EXPECT_NE(Wait({"\"event\":\"stream_open\""}), "");
  again.Send(RequestFor(CDS, {"a"}));
  std::string got = again.Get();
  if (got == "CDS a=1") {  // it asked before the file was taken
    again.Ack(CDS, {"a"});
    got = again.Get();
  }
  EXPECT_EQ(got, "CDS a=2");
}

TEST_F(Serve, ManyClientsAreServed) {
  Write("a.json", {"CDS a=1"});
  Start();
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 50; i++) {
    calls.push_back(std::make_unique<Call>(channel_, kAds));
    calls.back()->Send(RequestFor(CDS, {"a"}));
  }
  for (auto &call : calls) {
    EXPECT_EQ(call->Get(), "CDS a=1");
    call->Ack(CDS, {"a"});
  }
  Write("a.json", {"CDS a=2"});
  for (auto &call : calls) EXPECT_EQ(call->Get(), "CDS a=2");
}

TEST_F(Serve, ATermSignalEndsItCleanlyWithStreamsOpen) {
  for (int signal : {SIGTERM, SIGINT}) {
    Write("a.json", {"CDS a=1"});
    Start();
    Call ads(channel_, kAds);
    ads.Send(RequestFor(CDS, {"a"}));
    EXPECT_EQ(ads.Get(), "CDS a=1");
    Call lrs(channel_, kLrs);
    server_->Signal(signal);
    EXPECT_EQ(server_->Wait(), 0);
    EXPECT_EQ(ads.Receive(), "");
    EXPECT_NE(Wait({"\"event\":\"stream_close\"", "\"service\":\"ads\""}), "");  // was flushed
  }
}

// Reads whole lines, up to the first that contains the text. Empty: none came in time.
std::string ReadUntil(int fd, const std::string &text) {
  const auto patience = std::chrono::milliseconds(kPatience).count();
  pollfd ready = {fd, POLLIN, 0};
  std::string lines;
  while (lines.find(text) == std::string::npos || lines.back() != '\n') {
    char next = 0;
    if (poll(&ready, 1, static_cast<int>(patience)) != 1 || read(fd, &next, 1) != 1) return "";
    lines += next;
  }
  return lines;
}

TEST_F(Serve, AReaderThatStopsReadingDoesNotStopTheServer) {
  Write("a.json", {"CDS a=1"});
  const std::string fifo = files_.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int unread = open(fifo.c_str(), O_RDWR);
  server_ = std::make_unique<Child>(std::vector<std::string>{
      "/bin/sh", "-c", "exec \"$0\" serve \"$1\" --listen 127.0.0.1:0 --json > \"$2\"",
      Runfile("tools/xds"), files_.path(), fifo});
  const std::string lines = ReadUntil(unread, "\"listening\"");
  ASSERT_NE(lines, "");
  const std::string host = "127.0.0.1:";
  Connect(std::atoi(lines.c_str() + lines.rfind(host) + host.size()));
  Call ads(channel_, kAds);
  const int pipe_size = fcntl(unread, F_GETPIPE_SZ);
  ads.Send(RequestFor(EDS, {std::string(2 * pipe_size, 'x')}));
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 2) << "lines were lost";
  close(unread);
}

TEST_F(Serve, AClosedOutputIsNoOtherFile) {
  server_ = std::make_unique<Child>(
      std::vector<std::string>{"/bin/sh", "-c", "exec \"$0\" serve \"$1\" --listen 127.0.0.1:0 >&-",
                               Runfile("tools/xds"), files_.path()});
  EXPECT_EQ(Wait({"the output cannot be written"}),
            "xds serve: the output cannot be written: Bad file descriptor");
}

TEST_F(Serve, ClientsMayBeMoreThanTheSoftLimitOfDescriptors) {
  Write("a.json", {"CDS a=1"});
  server_ = std::make_unique<Child>(std::vector<std::string>{
      "/bin/sh", "-c", "ulimit -S -n 64; exec \"$0\" serve \"$1\" --listen 127.0.0.1:0",
      Runfile("tools/xds"), files_.path()});
  const std::string line = Wait({"listening"});
  Connect(std::atoi(line.c_str() + line.rfind(':') + 1));
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 100; ++i) {
    grpc::ChannelArguments own;  // its own connection
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    calls.push_back(
        std::make_unique<Call>(grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
                                                         grpc::InsecureChannelCredentials(), own),
                               kAds));
    calls.back()->Send(RequestFor(CDS, {"a"}));
    ASSERT_EQ(calls.back()->Get(), "CDS a=1");
  }
}

// A connection to a port of this machine.
int ConnectTo(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  return fd;
}

TEST_F(Serve, ThePageIsServedBesideAThousandClients) {
  constexpr int kClients = 1100;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 2 * kClients) GTEST_SKIP() << "too few descriptors are allowed";
  Write("a.json", {"CDS a=1"});
  Start({"--http", "127.0.0.1:0"});
  std::vector<int> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(ConnectTo(port_));
  Call ads(channel_, kAds);  // the server accepts this one after the others
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  const std::string line = Wait({"http listening"});
  const int page = ConnectTo(std::atoi(line.c_str() + line.rfind(':') + 1));
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(write(page, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  char head[16] = "";
  EXPECT_GT(read(page, head, sizeof head - 1), 0);
  EXPECT_EQ(std::string(head), "HTTP/1.1 200 OK");
  close(page);
  for (int client : clients) close(client);
}

TEST_F(Serve, TwoServersDoNotShareAPort) {
  Start();
  Child second({Runfile("tools/xds"), "serve", files_.path(), "--listen",
                "127.0.0.1:" + std::to_string(port_)});
  EXPECT_NE(second.WaitForLine([](const std::string &line) {
    return line.find("xds serve: cannot listen on 127.0.0.1:") != std::string::npos;
  }),
            "");
  EXPECT_EQ(second.Wait(), 1);
}

TEST_F(Serve, ASocketIsPrintedAsItWasGiven) {
  TempDir folder("/tmp");  // the path of a socket must be short
  const std::string address = "unix:" + folder.path() + "/socket";
  StartWith({files_.path(), "--listen", address});
  EXPECT_EQ(Wait({"listening"}), "listening on " + address);
}

TEST_F(Serve, ASocketIsReplacedOnlyIfItsServerIsDead) {
  TempDir folder("/tmp");
  for (const std::string scheme : {"unix:", "unix://"}) {
    const std::string address = scheme + folder.path() + "/socket";
    StartWith({files_.path(), "--listen", address});
    Child second({Runfile("tools/xds"), "serve", files_.path(), "--listen", address});
    EXPECT_EQ(second.Wait(), 1);
    EXPECT_NE(second.Output().find("xds serve: cannot listen on " + address +
                                   ": another process has this socket"),
              std::string::npos)
        << second.Output();
    channel_ = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
    Call ads(channel_, kAds);  // the first still serves
    server_->Signal(SIGKILL);
    EXPECT_EQ(server_->Wait(), -SIGKILL);
    StartWith({files_.path(), "--listen", address});
  }
}

TEST_F(Serve, ThePortFileIsThereOnceItPrintsThatItListens) {
  Start({"--port-file", files_.path() + "/port"});
  int port = 0;
  std::ifstream(files_.path() + "/port") >> port;
  EXPECT_EQ(port, port_);
}

TEST_F(Serve, QuietLeavesErrorsWarningsAndNacks) {
  Write("a.json", {"CDS a=1"});
  server_ = std::make_unique<Child>(
      std::vector<std::string>{Runfile("tools/xds"), "serve", files_.path(), "--listen=127.0.0.1:0",
                               "--quiet", "--port-file", files_.path() + "/port"});
  // It says nothing when it listens, but errors come after that.
  files_.Write("b.yaml", "x\n");
  EXPECT_NE(Wait({"error: b.yaml:1: expected a resource"}), "");
  files_.Write("b.yaml", "y\n");
  EXPECT_NE(Wait({"error: b.yaml:1: expected a resource", "\"y\""}), "");
  files_.Remove("b.yaml");
  int port = 0;
  std::ifstream(files_.path() + "/port") >> port;
  ASSERT_GT(port, 0);
  Connect(port);
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  ads.Send(Request{TypeUrl(CDS), {"a"}, ads.last().nonce, "", "no", ""});
  EXPECT_NE(Wait({"CDS NACK nonce 1: no"}), "");
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 0);
  for (const auto &line : server_->Lines()) {
    bool matters = line.substr(0, 7) == "error: " || line.substr(0, 9) == "warning: " ||
                   line.find("NACK") != std::string::npos;
    EXPECT_TRUE(matters) << line;
  }
}

TEST_F(Serve, TextIsForPeople) {
  Write("a.json", {"CDS a=1"});
  Start({});
  Call ads(channel_, kAds);
  ads.Send(RequestFor(CDS, {"a"}));
  EXPECT_EQ(ads.Get(), "CDS a=1");
  std::string line = Wait({"CDS push a version "});
  EXPECT_EQ(line.substr(0, 25), "test-node@ipv4:127.0.0.1:") << line;
}

TEST_F(Serve, TheSampleOfTheDemoIsGood) {
  Start({"--json"}, Runfile("tools/demo/resources"));
  EXPECT_NE(Wait({"\"event\":\"resources\"", "1 LDS, 1 RDS, 2 CDS, 2 EDS"}), "");
  Call ads(channel_, kAds);
  ads.Send(RequestFor(LDS, {"greeter.example"}));
  EXPECT_EQ(ads.Get(), "LDS greeter.example=");
  for (const auto &l : server_->Lines()) EXPECT_EQ(l.find("warning"), std::string::npos) << l;
}

// Runs the program to its end; its output must have a line with that text.
int RunProgram(const std::vector<std::string> &args, const std::string &text) {
  std::vector<std::string> all = {Runfile("tools/xds")};
  all.insert(all.end(), args.begin(), args.end());
  Child child(all);
  EXPECT_NE(
      child.WaitForLine([&](const std::string &s) { return s.find(text) != std::string::npos; }),
      "")
      << child.Output();
  return child.Wait();
}

TEST(Program, ExplainsItself) {
  EXPECT_EQ(RunProgram({"version"}, "xds "), 0);
  EXPECT_EQ(RunProgram({"help"}, "  serve "), 0);
  EXPECT_EQ(RunProgram({"serve", "--help"}, "usage: xds serve DIR"), 0);
  EXPECT_EQ(RunProgram({"demo", "--help"}, "usage: xds demo"), 0);
  EXPECT_EQ(RunProgram({"demo", "now"}, "no arguments are taken, found now"), 2);
  EXPECT_EQ(RunProgram({"nonsense"}, "no such command: nonsense"), 2);
  EXPECT_EQ(RunProgram({"serve"}, "which directory?"), 2);
}

}  // namespace
