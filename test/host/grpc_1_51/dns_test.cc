// The DNS part of gxds_host, with the host's own resolver and a DNS server on loopback.
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "host/host_get.h"
#include "resources/endpoints.h"
#include "src/core/ext/filters/client_channel/lb_policy/xds/xds_channel_args.h"
#include "src/core/ext/filters/client_channel/resolver/fake/fake_resolver.h"
#include "src/core/lib/address_utils/parse_address.h"
#include "src/core/lib/channel/channel_args.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/uri/uri_parser.h"
#include "test/host/grpc_common/dns_server.h"
#include "test/transport/on_reactor.h"

// c-ares 1.18 itself leaks a copy of the name "localhost".
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcares.so";
}

namespace grpc_xds {
namespace {

using grpc_core::ChannelArgs;
using grpc_core::ExecCtx;
using grpc_core::FakeResolverResponseGenerator;
using grpc_core::RefCountedPtr;
using testing::HasSubstr;

using Strings = std::vector<std::string>;

struct Answer {
  std::string error;  // empty: none
  Strings addresses;
};

// A name that is being resolved.
class Name {
 public:
  explicit Name(const std::string& name, const ChannelArgs& args = ChannelArgs()) {
    OnReactor([&] {
      dns_ = host_->dns_start(gxds_str_of(name.data(), name.size()), &args, OnResult, this);
      EXPECT_TRUE(answers_.Empty()) << "never during the call";
    });
  }
  ~Name() { Stop(); }
  void Stop() {
    OnReactor([&] {
      if (dns_ != nullptr) host_->dns_stop(dns_);
      dns_ = nullptr;
    });
  }
  void Reresolve() {
    OnReactor([&] { host_->dns_reresolve(dns_); });
  }
  Answer Take() { return answers_.Take().value_or(Answer{"no answer", {}}); }
  bool Empty() { return answers_.Empty(); }

 private:
  static void OnResult(void* arg, const gxds_address* addresses, size_t count,
                       const gxds_status* status) {
    EXPECT_TRUE(gxds_reactor_is_current());
    auto* self = static_cast<Name*>(arg);
    EXPECT_NE(self->dns_, nullptr) << "stopped";
    Answer answer;
    if (!gxds_status_is_ok(status)) {
      EXPECT_EQ(status->code, GXDS_UNAVAILABLE);
      EXPECT_EQ(count, 0u);
      answer.error = status->message.data;
    }
    for (size_t i = 0; i < count; i++) {
      gxds_text text = {nullptr, 0, 0};
      gxds_address_render(&addresses[i], &text);
      answer.addresses.emplace_back(text.data, text.size);
      gxds_text_fini(&text);
    }
    self->answers_.Put(std::move(answer));
  }

  const gxds_host* host_ = gxds_host_get();
  gxds_dns* dns_ = nullptr;
  Inbox<Answer> answers_;
};

class Dns : public testing::Test {
 protected:
  Dns() { grpc_init(); }
  ~Dns() override {
    use_.reset();
    grpc_shutdown();
  }

  // Without a minimum time between resolutions.
  static ChannelArgs Eager() {
    return ChannelArgs().Set(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 0);
  }
  static Strings Sorted(Strings in) {
    std::sort(in.begin(), in.end());
    return in;
  }

  std::optional<ReactorUse> use_{std::in_place};
};

TEST_F(Dns, AnAddressIsItself) {
  EXPECT_EQ(Name("127.0.0.1:80").Take().addresses, (Strings{"127.0.0.1:80"}));
  EXPECT_EQ(Name("[::1]:65535").Take().addresses, (Strings{"[::1]:65535"}));
}

TEST_F(Dns, ResolvesLocalhost) {
  // c-ares asks no server for this name.
  if (access("/etc/hosts", R_OK) != 0) GTEST_SKIP() << "a machine without /etc/hosts";
  Answer answer = Name("localhost:50051").Take();
  EXPECT_EQ(answer.error, "");
  EXPECT_THAT(answer.addresses, testing::Contains("127.0.0.1:50051"));
}

// Only the reactor polls in this process. If nobody polls, the host looks at its sockets once a
// second, which is too late here. A slow machine gets more than one chance.
TEST_F(Dns, ResolvesThoughTheProgramMakesNoCalls) {
  DnsServer server;
  server.Set("backend.test", {"127.0.0.2", "127.0.0.3"});
  Name name("backend.test:80", ChannelArgs().Set(GRPC_ARG_DNS_ARES_QUERY_TIMEOUT_MS, 900));
  Answer answer = name.Take();
  for (int chance = 1; chance < 3 && !answer.error.empty(); ++chance) answer = name.Take();
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(Sorted(answer.addresses), (Strings{"127.0.0.2:80", "127.0.0.3:80"}));
}

// The channel's own names come with service configs. All questions are asked at once, and a result
// waits for all answers.
TEST_F(Dns, ResolvesAddressesAndNoServiceConfig) {  // A37.16
  DnsServer server;
  server.Set("backend.test", {"127.0.0.2"});
  ChannelArgs args = Eager().Set(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 0);
  Name name("backend.test:80", args);
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.2:80"}));
  name.Reresolve();
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.2:80"}));
  EXPECT_GE(server.questions(), 2);
  EXPECT_EQ(server.text_questions(), 0);
}

TEST_F(Dns, ResolvesAgainAtAReresolution) {  // A74
  DnsServer server;
  server.Set("backend.test", {"127.0.0.2"});
  Name name("backend.test:80", Eager());
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.2:80"}));
  for (const char* address : {"127.0.0.4", "127.0.0.5"}) {
    server.Set("backend.test", {address});
    name.Reresolve();
    EXPECT_EQ(name.Take().addresses, (Strings{std::string(address) + ":80"}));
  }
}

TEST_F(Dns, TheChannelsArgsBoundHowOftenItResolves) {
  DnsServer server;
  server.Set("backend.test", {"127.0.0.2"});
  Name name("backend.test:80");
  name.Take();
  int asked = server.questions();
  name.Reresolve();
  Name other("backend.test:81");
  other.Take();
  EXPECT_EQ(server.questions(), asked + 1) << "30 s between two resolutions of one";
  EXPECT_TRUE(name.Empty());
}

TEST_F(Dns, AFailureHasAStatusAndIsTriedAgain) {
  DnsServer server;
  Name name("missing.test:80");
  Answer failed = name.Take();
  EXPECT_THAT(failed.error, HasSubstr("DNS resolution failed for missing.test:80"));
  EXPECT_THAT(failed.error, HasSubstr("Domain name not found"));
  server.Set("missing.test", {"127.0.0.6"});
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.6:80"}));
}

TEST_F(Dns, NamesThatAreNoneFail) {
  EXPECT_THAT(Name("").Take().error, HasSubstr("unparseable host:port"));
  EXPECT_THAT(Name("[::1").Take().error, HasSubstr("unparseable host:port"));
  EXPECT_THAT(Name("//authority/x:1").Take().error, HasSubstr("//authority/x:1"));
}

TEST_F(Dns, IsSilentOnceStopped) {
  DnsServer server;
  server.BeSilent();
  Name name("backend.test:80");
  ASSERT_TRUE(WaitUntil([&] { return server.questions() > 0; }));
  name.Stop();
  OnReactor([] {});
  EXPECT_TRUE(name.Empty());
}

TEST_F(Dns, AResultOnItsWayIsDroppedByStop) {
  int answers = 0;
  auto count = [](void* arg, const gxds_address*, size_t, const gxds_status*) {
    ++*static_cast<int*>(arg);
  };
  // An address needs no server, so its result comes at the end of this turn.
  OnReactor([&] {
    const gxds_host* host = gxds_host_get();
    host->dns_stop(host->dns_start(gxds_str_z("127.0.0.1:80"), nullptr, count, &answers));
  });
  OnReactor([] {});
  EXPECT_EQ(answers, 0);
}

// ---- the resolver that tests of programs use in its place ----

class FakeDns : public Dns {
 protected:
  ChannelArgs Args() {
    grpc_arg arg = FakeResolverResponseGenerator::MakeChannelArg(generator_.get());
    arg.key = const_cast<char*>(GRPC_ARG_XDS_LOGICAL_DNS_CLUSTER_FAKE_RESOLVER_RESPONSE_GENERATOR);
    return ChannelArgs().Set(arg);
  }
  // health_ gets the status that the resolver is given for the result.
  grpc_core::Resolver::Result Result(const Strings& uris) {
    grpc_core::Resolver::Result result;
    grpc_core::ServerAddressList addresses;
    for (const auto& text : uris) {
      grpc_resolved_address address;
      EXPECT_TRUE(grpc_parse_uri(*grpc_core::URI::Parse(text), &address)) << text;
      addresses.emplace_back(address, ChannelArgs());
    }
    result.addresses = std::move(addresses);
    result.result_health_callback = [this](absl::Status s) { health_.Put(std::move(s)); };
    return result;
  }
  void Respond(grpc_core::Resolver::Result result) {
    ExecCtx exec_ctx;
    generator_->SetResponse(std::move(result));
  }
  absl::Status TakeHealth() { return health_.Take().value_or(absl::UnknownError("none")); }

  RefCountedPtr<FakeResolverResponseGenerator> generator_ =
      grpc_core::MakeRefCounted<FakeResolverResponseGenerator>();
  Inbox<absl::Status> health_;
};

TEST_F(FakeDns, IsUsedWhenTheChannelNamesOne) {
  Respond(Result({"ipv4:127.0.0.7:80", "ipv6:%5B::1%5D:81"}));
  Name name("anything:1", Args());
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.7:80", "[::1]:81"}));
  EXPECT_EQ(TakeHealth(), absl::OkStatus());
  Respond(Result({"ipv4:127.0.0.8:80"}));
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.8:80"}));
}

TEST_F(FakeDns, ResolvesAgain) {
  Respond(Result({"ipv4:127.0.0.7:80"}));
  Name name("anything:1", Args());
  name.Take();
  {
    ExecCtx exec_ctx;
    generator_->SetReresolutionResponse(Result({"ipv4:127.0.0.8:80"}));
  }
  name.Reresolve();
  EXPECT_EQ(name.Take().addresses, (Strings{"127.0.0.8:80"}));
}

TEST_F(FakeDns, NoAddressIsAResultAfterWhichTheHostTriesAgain) {
  Respond(Result({}));
  Name name("anything:1", Args());
  Answer answer = name.Take();
  EXPECT_EQ(answer.error, "");
  EXPECT_TRUE(answer.addresses.empty());
  EXPECT_EQ(TakeHealth(), absl::UnavailableError("empty address list"));
}

TEST_F(FakeDns, WhatIsNoIpAddressIsLeftOut) {
  Respond(Result({"unix:/socket", "ipv4:127.0.0.7:80"}));
  EXPECT_EQ(Name("anything:1", Args()).Take().addresses, (Strings{"127.0.0.7:80"}));
}

TEST_F(FakeDns, AFailureReachesTheResolverToo) {
  auto failed = Result({});
  failed.addresses = absl::NotFoundError("no such host");
  Respond(std::move(failed));
  Name name("anything:1", Args());
  EXPECT_EQ(name.Take().error, "no such host");
  EXPECT_EQ(TakeHealth(), absl::NotFoundError("no such host"));
}

}  // namespace
}  // namespace grpc_xds
