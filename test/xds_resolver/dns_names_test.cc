#include "xds_resolver/dns_names.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "test/xds_resolver/fake_dns.h"

namespace made_up {
namespace {

using Strings = std::vector<std::string>;

class DnsNames : public ::testing::Test {
 protected:
  DnsNames() {
    FakeDns::Fill(&host_);
    names_ = gxds_dns_names_create(&host_, &args_, OnResult, this);
  }
  ~DnsNames() override {
    gxds_dns_names_destroy(names_);
    EXPECT_TRUE(fake_.active.empty());
    fake_.TakeLog();
    Forget();
  }

  static void OnResult(void *arg, uint64_t token, const gxds_endpoints *endpoints,
                       const gxds_status *status) {
    auto *self = static_cast<DnsNames *>(arg);
    self->notified_.push_back(token);
    self->Forget();
    if (endpoints) {
      EXPECT_TRUE(gxds_status_is_ok(status));
      gxds_resource_ref(&endpoints->base);
    }
    self->endpoints_ = endpoints;
    self->error_ = endpoints ? "" : status->message.data;
    if (self->when_notified_) self->when_notified_();
  }
  void Forget() {
    if (endpoints_) gxds_resource_unref(&endpoints_->base);
    endpoints_ = nullptr;
  }
  void Start(uint64_t token, const std::string &name) {
    gxds_status status = gxds_dns_names_start(names_, token, gxds_str_of(name.data(), name.size()));
    EXPECT_TRUE(gxds_status_is_ok(&status));
    gxds_status_fini(&status);
  }
  std::vector<uint64_t> TakeNotified() { return std::exchange(notified_, {}); }
  const gxds_locality *Locality() const { return endpoints_->priorities[0].localities[0]; }
  // The addresses of the only endpoint; none without an endpoint.
  Strings Addresses() const {
    Strings out;
    const gxds_locality *l = Locality();
    if (l->endpoint_count == 0) return out;
    EXPECT_EQ(l->endpoint_count, 1u);
    uint32_t count;
    const gxds_endpoint e = gxds_locality_endpoint(l, 0);
    const gxds_address *more = gxds_locality_more(l, 0, &count);
    for (uint32_t i = 0; i <= count; i++) {
      gxds_text text = {nullptr, 0, 0};
      gxds_address_render(i == 0 ? &e.address : &more[i - 1], &text);
      out.emplace_back(text.data, text.size);
      gxds_text_fini(&text);
    }
    return out;
  }

  FakeDns &fake_ = FakeDns::Get();
  gxds_host host_ = {};
  int args_ = 0;
  gxds_dns_names *names_;
  std::vector<uint64_t> notified_;
  const gxds_endpoints *endpoints_ = nullptr;  // from the last notification
  std::string error_;
  std::function<void()> when_notified_;
};

TEST_F(DnsNames, AllAddressesAreOneEndpointInTheOrderOfTheResult) {  // A37.17, A61.17
  Start(7, "a:80");
  EXPECT_EQ(fake_.Find("a:80")->args, &args_);
  EXPECT_TRUE(notified_.empty());
  fake_.Answer("a:80", {"10.0.0.2", "::1", "10.0.0.1"});
  EXPECT_EQ(TakeNotified(), (std::vector<uint64_t>{7}));
  ASSERT_EQ(endpoints_->priority_count, 1u);
  ASSERT_EQ(endpoints_->priorities[0].locality_count, 1u);
  EXPECT_EQ(endpoints_->drop_count, 0u);
  const gxds_locality *l = Locality();
  EXPECT_EQ(l->region.size + l->zone.size + l->sub_zone.size, 0u);
  EXPECT_EQ(l->weight, 1u);
  EXPECT_EQ(l->endpoint_count, 1u);
  EXPECT_EQ(gxds_locality_endpoint(l, 0).weight, 1u);
  EXPECT_EQ(Addresses(), (Strings{"10.0.0.2:80", "[::1]:443", "10.0.0.1:80"}));
}

TEST_F(DnsNames, OneAddressIsAnEndpointWithoutFurtherOnes) {
  Start(7, "a:80");
  fake_.Answer("a:80", {"10.0.0.2"});
  EXPECT_EQ(Addresses(), (Strings{"10.0.0.2:80"}));
  EXPECT_EQ(Locality()->rare->more, nullptr);
}

TEST_F(DnsNames, TheHostnameIsTheNameThatIsResolved) {  // A81.6, A101.1
  Start(7, "a.example:80");
  fake_.Answer("a.example:80", {"10.0.0.2", "10.0.0.1"});
  const gxds_str hostname = gxds_locality_hostname(Locality(), 0);
  EXPECT_EQ(std::string(hostname.data, hostname.size), "a.example:80");
}

TEST_F(DnsNames, ANameThatIsNoAuthorityIsNoHostname) {  // E2.6
  Start(7, "a b:80");
  fake_.Answer("a b:80", {"10.0.0.2"});
  EXPECT_EQ(Locality()->rare, nullptr);
}

TEST_F(DnsNames, TheSameResultIsTheSameResource) {
  Start(1, "a:80");
  fake_.Answer("a:80", {"10.0.0.1", "10.0.0.2"});
  const gxds_endpoints *first = endpoints_;
  fake_.Answer("a:80", {"10.0.0.1", "10.0.0.2"});
  EXPECT_EQ(endpoints_, first);
  EXPECT_EQ(TakeNotified().size(), 2u) << "an error before it is over";
  fake_.Answer("a:80", {"10.0.0.2", "10.0.0.1"});
  EXPECT_NE(endpoints_, first);
  fake_.Answer("a:80", {});
  EXPECT_EQ(Addresses(), Strings{}) << "no address is an answer as well";
}

TEST_F(DnsNames, AFailureIsReportedWithItsStatus) {
  Start(1, "a:80");
  fake_.Answer("a:80", {"10.0.0.1"});
  const gxds_endpoints *first = endpoints_;
  fake_.Fail("a:80", "no such host");
  EXPECT_EQ(endpoints_, nullptr);
  EXPECT_EQ(error_, "no such host");
  fake_.Answer("a:80", {"10.0.0.1"});
  EXPECT_EQ(endpoints_, first) << "what was known before is the same still";
}

TEST_F(DnsNames, EachHasItsToken) {
  Start(1, "a:80");
  Start(2, "b:80");
  fake_.Answer("b:80", {"10.0.0.2"});
  fake_.Answer("a:80", {"10.0.0.1"});
  EXPECT_EQ(TakeNotified(), (std::vector<uint64_t>{2, 1}));
  fake_.TakeLog();
  gxds_dns_names_reresolve(names_, 2);
  gxds_dns_names_reresolve(names_, 3);
  EXPECT_EQ(fake_.TakeLog(), (Strings{"again b:80"}));
  gxds_dns_names_stop(names_, 1);
  gxds_dns_names_stop(names_, 1);
  EXPECT_EQ(fake_.TakeLog(), (Strings{"-a:80"}));
}

TEST_F(DnsNames, ANameMayBeStoppedByTheCallOfItsResult) {
  Start(1, "a:80");
  when_notified_ = [this] { gxds_dns_names_stop(names_, 1); };
  fake_.Answer("a:80", {"10.0.0.1"});
  EXPECT_TRUE(fake_.active.empty());
  EXPECT_EQ(Addresses(), (Strings{"10.0.0.1:80"}));
  Start(2, "a:80");
  when_notified_ = [this] { gxds_dns_names_stop(names_, 2); };
  fake_.Fail("a:80", "gone");
  EXPECT_TRUE(fake_.active.empty());
  EXPECT_EQ(error_, "gone");
}

TEST_F(DnsNames, ResettingTheBackoffResolvesAgainWhatFailed) {
  Start(1, "a:80");
  Start(2, "b:80");
  Start(3, "c:80");
  fake_.Answer("a:80", {"10.0.0.1"});
  fake_.Fail("b:80", "no such host");
  fake_.TakeLog();
  gxds_dns_names_reset_backoff(names_);
  EXPECT_EQ(fake_.TakeLog(), (Strings{"-b:80", "+b:80"}));
  gxds_dns_names_reset_backoff(names_);
  EXPECT_EQ(fake_.TakeLog(), Strings{}) << "it is being resolved";
  TakeNotified();
  fake_.Answer("b:80", {"10.0.0.2"});
  EXPECT_EQ(TakeNotified(), (std::vector<uint64_t>{2}));
}

TEST_F(DnsNames, TheEndStopsThemAll) {
  Start(1, "a:80");
  Start(2, "b:80");
  fake_.Answer("a:80", {"10.0.0.1"});
  fake_.TakeLog();
  gxds_dns_names_destroy(names_);
  names_ = nullptr;
  EXPECT_EQ(fake_.TakeLog(), (Strings{"-a:80", "-b:80"}));
}

TEST_F(DnsNames, AHostWithoutDnsStartsNothing) {
  host_ = {};
  gxds_status status = gxds_dns_names_start(names_, 1, gxds_str_z("a:80"));
  EXPECT_EQ(status.code, GXDS_UNAVAILABLE);
  EXPECT_STREQ(status.message.data, "DNS resolution is not available");
  gxds_status_fini(&status);
  gxds_dns_names_stop(names_, 1);
  gxds_dns_names_reresolve(names_, 1);
}

}  // namespace
}  // namespace made_up
