// Responses: their validation, NACKs and their texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"
#include "test/xds_client/serial_probe.h"
#include "xds_client/resource_name.h"

namespace gxds_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A scenario in which foo1 and foo2 of Foo are requested.
struct TwoFoos : Scenario {
  TwoFoos() : foo1(*WatchTogether({{&kFoo, "foo1"}})[0]), foo2(Watch(kFoo, "foo2")) {
    EXPECT_EQ(NextRequest(), "Foo [foo1] node");
    EXPECT_EQ(NextRequest(), "Foo [foo1 foo2]");
    ForgiveTimers();
  }
  Watcher &foo1;
  Watcher &foo2;
};

const char kBadFoo1[] =
    "INVALID_ARGUMENT: errors validating Foo resource: [field:value error:bad1]";

TEST(Response, NackCarriesTheErrorAndNoVersionWhenNoneWasAccepted) {  // A46.3
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1"});
  EXPECT_EQ(s.NextRequest(),
            "Foo [foo1 foo2] nonce=n1 NACK 3: xDS response validation errors: "
            "[resource index 0: foo1: " +
                std::string(kBadFoo1) + "]");
  EXPECT_EQ(s.foo1.Next(), "error UNAVAILABLE: invalid resource: " + std::string(kBadFoo1) +
                               " (xDS server server1) (node ID:xds_client_test)");
}

TEST(Response, NackCarriesTheLastAcceptedVersion) {  // A46.3
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  s.Respond(kFoo, "v2", {"foo1=bad1", "foo2=bad2"});
  EXPECT_THAT(s.NextRequest(), StartsWith("Foo [foo1 foo2] version=v1 nonce=n2 NACK 3: "));
  s.Forgive();
}

// Otherwise a server that compares versions would send v2 again at once, get a NACK, and so on.
TEST(Response, NackOfWhatIsPartlyUsedCarriesItsVersion) {  // A46.3
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  s.Respond(kFoo, "v2", {"foo1=bad1", "foo2=3"});
  EXPECT_THAT(s.NextRequest(), StartsWith("Foo [foo1 foo2] version=v2 nonce=n2 NACK 3: "));
  s.Respond(kFoo, "v3", {"foo1=bad1", "foo2=bad2"});
  EXPECT_THAT(s.NextRequest(), StartsWith("Foo [foo1 foo2] version=v2 nonce=n3 NACK 3: "));
  // The version also counts if foo2 is already in use.
  s.Respond(kFoo, "v4", {"foo1=bad1", "foo2=3"});
  EXPECT_THAT(s.NextRequest(), StartsWith("Foo [foo1 foo2] version=v4 nonce=n4 NACK 3: "));
  s.Forgive();
}

TEST(Response, NackCarriesEveryErrorInTheOrderOfTheResponse) {  // A46.4
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1", "nonsense", "foo2=2", "foo3=bad3"});
  EXPECT_THAT(
      s.NextRequest(),
      EndsWith("NACK 3: xDS response validation errors: ["
               "resource index 0: foo1: " +
               std::string(kBadFoo1) +
               "; resource index 1: INVALID_ARGUMENT: Can't parse Foo resource."
               "; resource index 3: foo3: INVALID_ARGUMENT: errors validating Foo resource: "
               "[field:value error:bad3]]"));
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
  EXPECT_THAT(s.foo1.Next(), StartsWith("error"));
}

TEST(Response, GoodResourcesBesideBadOnesAreUsed) {  // A46.1
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1", "foo2=2"});
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
  EXPECT_THAT(s.foo1.Next(), StartsWith("error"));
  // As in the host, the version of such a response counts as accepted.
  EXPECT_THAT(s.NextRequest(), StartsWith("Foo [foo1 foo2] version=v1 nonce=n1 NACK 3: "));
  EXPECT_EQ(s.Dump(),
            "Foo foo1 NACKED failed v1 UNAVAILABLE: invalid resource: " + std::string(kBadFoo1) +
                " (xDS server server1) (node ID:xds_client_test) watchers=1\n"
                "Foo foo2 ACKED v1 foo2=2 watchers=1\n");
}

TEST(Response, ErrorIsReportedOnce) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("NACK"));
  s.Watch(kFoo, "foo3");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2 foo3] nonce=n1");
  EXPECT_THAT(s.foo1.Next(), StartsWith("error"));
}

TEST(Response, RejectedBytesSentAgainAreNackedAgainButReportedOnce) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1"});
  s.Respond(kFoo, "v2", {"foo1=bad1"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("nonce=n1 NACK"));
  EXPECT_THAT(s.NextRequest(), HasSubstr("nonce=n2 NACK"));
  EXPECT_THAT(s.foo1.Next(), StartsWith("error"));
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 NACKED failed v2 "));
}

TEST(Response, GoodResourceAfterABadOneIsNotifiedAndAcked) {  // A40.5
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("NACK"));
  EXPECT_THAT(s.foo1.Next(), StartsWith("error"));
  s.Respond(kFoo, "v2", {"foo1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v2 nonce=n2");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
}

TEST(Response, LaterWatchGetsTheRejection) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=bad1"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("NACK"));
  std::string error = s.foo1.Next();
  EXPECT_THAT(error, HasSubstr("invalid resource"));
  EXPECT_EQ(s.Watch(kFoo, "foo1").Next(), error);
}

TEST(Response, WrapperNamesAResourceThatCanNotNameItself) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1", {Wrapped(kFoo, "foo1", "nonsense")});
  EXPECT_THAT(s.NextRequest(),
              HasSubstr("[resource index 0: foo1: INVALID_ARGUMENT: Can't parse Foo resource.]"));
  EXPECT_EQ(s.foo1.Next(),
            "error UNAVAILABLE: invalid resource: INVALID_ARGUMENT: Can't parse Foo resource. "
            "(xDS server server1) (node ID:xds_client_test)");
}

TEST(Response, WrappedResourcesAreUsed) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1",
                  {Wrapped(kFoo, "foo1", "foo1=1"), Wrapped(kFoo, "", "foo2=2")});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
}

TEST(Response, BrokenWrapperIsNacked) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1",
                  {{"type.googleapis.com/envoy.service.discovery.v3.Resource", "\x0a\xff"}});
  EXPECT_THAT(s.NextRequest(), EndsWith("[resource index 0: Can't decode Resource proto wrapper]"));
}

TEST(Response, EmptyWrapperIsNacked) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1",
                  {{"type.googleapis.com/envoy.service.discovery.v3.Resource", ""}});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("[resource index 0: incorrect resource type  (should be test.v3.Foo)]"));
}

TEST(Response, ResourceOfAnotherTypeIsNacked) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1", {Bare(kBar, "foo1=1"), Wrapped(kBar, "foo2", "foo2=1")});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("[resource index 0: incorrect resource type test.v3.Bar (should be "
                       "test.v3.Foo); resource index 1: foo2: incorrect resource type test.v3.Bar "
                       "(should be test.v3.Foo)]"));
  s.Forgive();
}

// A named resource exists, even if it is invalid: it is not deleted, and not waited for.
TEST(Response, NamedResourceThatCanNotBeUnwrappedIsInvalidAndNotAbsent) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1"});
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  s.server().Send(kFoo.type_url, "v2",
                  {Wrapped(kFoo, Item{"foo1", "", "foo1=2", -2}), Wrapped(kBar, "foo2", "foo2=1")});
  EXPECT_EQ(s.foo1.Next(),
            "ambient UNAVAILABLE: invalid resource: ttl: must be a positive duration (xDS server "
            "server1) (node ID:xds_client_test)");
  EXPECT_EQ(s.foo2.Next(),
            "error UNAVAILABLE: invalid resource: incorrect resource type test.v3.Bar (should be "
            "test.v3.Foo) (xDS server server1) (node ID:xds_client_test)");
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 NACKED v1 foo1=1 failed v2 "));
  s.Forgive();
}

TEST(Response, NamedResourceOfTooLongAVersionIsInvalid) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1",
                  {Wrapped(kFoo, Item{"foo1", std::string(20000, 'x'), "foo1=1"})});
  EXPECT_THAT(s.NextRequest(), EndsWith("[resource index 0: foo1: version too long]"));
  EXPECT_THAT(s.foo1.Next(), HasSubstr("invalid resource: version too long"));
}

TEST(Response, ResourceOfTheRetiredApiIsNackedAsOne) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1", {{"type.googleapis.com/test.v2.Foo", "foo1=1"}});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("incorrect resource type test.v2.Foo (should be test.v3.Foo): the xDS v2 "
                       "API is not supported]"));
}

TEST(Response, TypeWithoutItsUsualPrefixIsKnown) {
  TwoFoos s;
  s.server().Send("test.v3.Foo", "v1", {{"test.v3.Foo", "foo1=1"}});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
}

TEST(Response, UnknownTypeIsIgnoredAndLogged) {
  TwoFoos s;
  s.server().Send("type.googleapis.com/test.v3.Baz", "v1", {});
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_TRUE(
      s.Logged("error parsing ADS response (INVALID_ARGUMENT: unknown resource type "
               "test.v3.Baz) -- ignoring"));
  EXPECT_TRUE(s.server().wants_message());
}

TEST(Response, RetiredTypeIsIgnoredAndLoggedAsOne) {
  TwoFoos s;
  s.server().Send("type.googleapis.com/test.v2.Foo", "v1", {});
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_TRUE(s.Logged("unknown resource type test.v2.Foo: the xDS v2 API is not supported"));
}

TEST(Response, UndecodableMessageIsIgnoredAndTheNextOneRead) {  // A40.7
  TwoFoos s;
  s.server().SendRaw("\x0a\xff garbage");
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_TRUE(s.Logged("Can't decode DiscoveryResponse. -- ignoring") ||
              s.Logged("(INVALID_ARGUMENT: Can't decode DiscoveryResponse.) -- ignoring"));
  s.Respond(kFoo, "v1", {"foo1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
}

TEST(Response, UndecodableMessageDoesNotCountAsAResponse) {  // A57
  TwoFoos s;
  s.server().SendRaw("\x0a\xff garbage");
  s.server().CloseStream();
  EXPECT_THAT(s.foo1.Next(), HasSubstr("xDS call failed with no responses received"));
  s.Forgive();
}

TEST(Response, EmptyMessageIsOfNoType) {
  TwoFoos s;
  s.server().SendRaw("");
  EXPECT_EQ(s.NextRequest(), "nothing");
  EXPECT_TRUE(s.Logged("unknown resource type "));
}

TEST(Response, DuplicateNameIsNackedAndTheFirstOneUsed) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1", "foo2=2", "foo1=3"});
  EXPECT_EQ(s.NextRequest(),
            "Foo [foo1 foo2] version=v1 nonce=n1 NACK 3: xDS response validation errors: "
            "[resource index 2: foo1: duplicate resource name \"foo1\"]");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
}

TEST(Response, DuplicateOfWhatIsInUseIsNackedToo) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  s.Respond(kFoo, "v2", {"foo1=1", "foo2=2", "foo1=1"});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("[resource index 2: foo1: duplicate resource name \"foo1\"]"));
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
}

TEST(Response, DuplicateOfWhatNobodyRequestedIsNackedToo) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"other=1", "other=2"});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("[resource index 1: other: duplicate resource name \"other\"]"));
}

TEST(Response, AfterTheLastSerialNoResourceSeemsToBeADuplicate) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=1"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  serial_probe_set(s.client(), UINT32_MAX);
  s.Respond(kFoo, "v2", {"foo1=2", "foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v2 nonce=n2");
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
  EXPECT_EQ(s.foo2.Next(), "foo2=2");
}

TEST(Response, ResourceNobodyRequestedIsIgnored) {  // A27.15
  TwoFoos s;
  s.Respond(kFoo, "v1", {"other=1", "foo1=1", "another=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=v1 nonce=n1");
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_THAT(s.Dump(), Not(HasSubstr("other")));
  EXPECT_EQ(g_live_resources, 1u);
}

TEST(Response, InvalidResourceNobodyRequestedIsNacked) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"other=bad1"});
  EXPECT_THAT(s.NextRequest(), HasSubstr("nonce=n1 NACK 3"));
  EXPECT_THAT(s.Dump(), Not(HasSubstr("other")));
}

TEST(Response, EmptyResponseIsAcked) {
  Scenario s;
  s.Watch(kBar, "bar1");
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] node");
  s.Respond(kBar, "v1", {});
  EXPECT_EQ(s.NextRequest(), "Bar [bar1] version=v1 nonce=n1");
  s.ForgiveTimers();
}

TEST(Response, NamelessResourceIsNacked) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"=1"});
  EXPECT_THAT(s.NextRequest(), EndsWith("[resource index 0: Cannot parse xDS resource name]"));
}

TEST(Response, NameThatIsNoProperUriIsNacked) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"xdstp://auth/test.v3.Bar/foo1=1"});
  EXPECT_THAT(s.NextRequest(),
              EndsWith("[resource index 0: xdstp://auth/test.v3.Bar/foo1: Cannot parse xDS "
                       "resource name]"));
}

TEST(Response, OverlongNameIsNackedWithoutRepeatingIt) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {std::string(GXDS_RESOURCE_NAME_BYTES_MAX + 1, 'x') + "=1"});
  EXPECT_THAT(s.NextRequest(), EndsWith("[resource index 0: Cannot parse xDS resource name]"));
}

TEST(Response, ControlCharactersOfTheNetworkAreEscaped) {
  TwoFoos s;  // it checks every log line and every status
  s.server().Send(kFoo.type_url, "v\n1", {Bare(kFoo, "fo\x1b[31mo=bad\x07")});
  EXPECT_THAT(s.NextRequest(), HasSubstr("resource index 0: fo\\x1b[31mo: "));
  EXPECT_TRUE(s.Logged("version v\\x0a1, will NACK"));
}

TEST(Response, NackIsUtf8WhateverCame) {
  TwoFoos s;
  s.server().Send(kFoo.type_url, "v1", {Bare(kFoo, "f\xff=bad"), Bare(kFoo, "gr\xc3\xbcn=bad")});
  std::string nack = s.NextRequest();
  EXPECT_THAT(nack, HasSubstr("resource index 0: f\\xff: "));
  EXPECT_THAT(nack, HasSubstr("resource index 1: gr\xc3\xbcn: "));
}

TEST(Response, ErrorsBeyondALimitAreCounted) {
  TwoFoos s;
  s.Respond(kFoo, "v1", std::vector<std::string>(250, "nonsense"));
  std::string nack = s.NextRequest();
  EXPECT_THAT(nack, HasSubstr("resource index 99: "));
  EXPECT_THAT(nack, Not(HasSubstr("resource index 100: ")));
  EXPECT_THAT(nack, EndsWith("; and 150 more]"));
}

TEST(Response, OverlongVersionIsNackedAsOne) {
  TwoFoos s;
  s.Respond(kFoo, std::string(20000, 'v'), {"foo1=1"});
  EXPECT_EQ(s.NextRequest(),
            "Foo [foo1 foo2] nonce=n1 NACK 3: xDS response validation errors: "
            "[a version of more than 16384 bytes]");
  EXPECT_EQ(s.foo1.Next(), "nothing");
  s.Forgive();
}

TEST(Response, OverlongNonceIsIgnored) {  // a NACK would have to contain it
  TwoFoos s;
  s.server().SendRaw(Response(kFoo.type_url, "1", std::string(20000, 'n'), {}));
  EXPECT_TRUE(s.Logged("nonce of 20000 bytes: more than 16384"));
  EXPECT_EQ(s.NextRequest(), "nothing");
}

TEST(Response, ResponseOfTooManyResourcesIsNackedAsOne) {
  TwoFoos s;
  const char nack[] =
      " NACK 3: xDS response validation errors: "
      "[more than 1000000 resources or errors in one response]";
  std::string resources, errors;
  for (int i = 0; i <= 1000000; i++) resources.append("\x12\x00", 2);
  for (int i = 0; i <= 1000000; i++) errors.append("\x3a\x00", 2);
  s.server().SendRaw(Response(kFoo.type_url, "1", "a", {}) + resources);
  EXPECT_EQ(s.NextRequest(), std::string("Foo [foo1 foo2] nonce=a") + nack);
  s.server().SendRaw(Response(kFoo.type_url, "2", "b", {Bare(kFoo, "foo1=1")}) + errors);
  EXPECT_EQ(s.NextRequest(), std::string("Foo [foo1 foo2] nonce=b") + nack);
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_TRUE(s.server().wants_message());
}

TEST(Response, DecoderMayTakePartsOfThePreviousResource) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=previous1", "foo2=2"});
  s.Respond(kFoo, "v2", {"foo1=previous2", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=previous1 after nothing");
  EXPECT_EQ(s.foo1.Next(), "foo1=previous2 after foo1=previous1 after nothing");
  s.Forgive();
}

TEST(Response, DecoderKnowsTheServer) {
  TwoFoos s;
  s.Respond(kFoo, "v1", {"foo1=self"});
  EXPECT_EQ(s.foo1.Next(), "foo1=self@server1");
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
