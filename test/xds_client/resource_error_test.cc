// Errors of single resources that a server reports (xRFC TP3, A88), in state of the world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;

const int kOk = 0, kNotFound = 5, kPermissionDenied = 7, kUnavailable = 14;

std::string Reported(const std::string &code, const std::string &what) {
  return code + ": xDS server server1 reports: " + what + " (node ID:xds_client_test)";
}

ScenarioOptions FailOnDataErrors() {
  ScenarioOptions options;
  options.servers[0].fail_on_data_errors = true;
  return options;
}

struct Cached : Scenario {
  explicit Cached(ScenarioOptions options = {})
      : Scenario(std::move(options)), foo1(Watch(kFoo, "foo1")) {
    Forgive();
    Respond(kFoo, "1", {"foo1=1"});
    EXPECT_EQ(foo1.Next(), "foo1=1");
  }
  void Report(int code, const std::string &message) {
    server().RespondWithErrors(kFoo, "2", {}, {{"foo1", code, message}});
  }
  Watcher &foo1;
};

TEST(ResourceError, EndsTheWaitForTheResource) {  // A88.9, A88.14
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] node");
  s.server().RespondWithErrors(kFoo, "1", {}, {{"foo1", kPermissionDenied, "not yours"}});
  EXPECT_EQ(s.UntilDeadline(), GXDS_TIME_NEVER);
  EXPECT_EQ(foo1.Next(), "error " + Reported("PERMISSION_DENIED", "not yours"));
  EXPECT_EQ(s.Dump(), "Foo foo1 RECEIVED_ERROR failed 1 " +
                          Reported("PERMISSION_DENIED", "not yours") + " watchers=1\n");
  EXPECT_EQ(s.NextRequest(), "Foo [foo1] version=1 nonce=n1");
}

TEST(ResourceError, IsAmbientForWhatIsCached) {  // A88.10
  Cached s;
  s.Report(kNotFound, "gone");
  EXPECT_EQ(s.foo1.Next(), "ambient " + Reported("NOT_FOUND", "gone"));
  EXPECT_EQ(s.Dump(), "Foo foo1 RECEIVED_ERROR 1 foo1=1 failed 2 " + Reported("NOT_FOUND", "gone") +
                          " watchers=1\n");
  Watcher &later = s.Watch(kFoo, "foo1");
  EXPECT_EQ(later.Next(), "foo1=1");
  EXPECT_EQ(later.Next(), "ambient " + Reported("NOT_FOUND", "gone"));
}

TEST(ResourceError, OfTheDataDropsWhatIsCachedWhereDataErrorsFail) {  // A88.11
  for (int code : {kNotFound, kPermissionDenied}) {
    Cached s(FailOnDataErrors());
    s.Report(code, "no");
    EXPECT_THAT(s.foo1.Next(), HasSubstr("error "));
    EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 RECEIVED_ERROR failed 2 "));
  }
}

TEST(ResourceError, OfTheServerDropsNothingAnywhere) {  // A88.12
  for (int code : {1, 2, 3, 4, 8, 13, kUnavailable, 16}) {
    Cached s(FailOnDataErrors());
    s.Report(code, "wait");
    EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient "));
    EXPECT_THAT(s.Dump(), HasSubstr("RECEIVED_ERROR 1 foo1=1"));
  }
}

TEST(ResourceError, IsOverWhenTheResourceComes) {  // A88.13
  Cached s;
  s.Report(kUnavailable, "wait");
  s.foo1.Next();
  s.Respond(kFoo, "3", {"foo1=1"});
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  EXPECT_EQ(s.Dump(), "Foo foo1 ACKED 3 foo1=1 watchers=1\n");
  s.Report(kUnavailable, "wait");
  s.foo1.Next();
  s.Respond(kFoo, "4", {"foo1=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
  EXPECT_EQ(s.foo1.Next(), "nothing");
}

TEST(ResourceError, IsReportedOnceAndHoldsUntilThen) {
  Cached s;
  s.Report(kUnavailable, "wait");
  s.foo1.Next();
  s.Respond(kFoo, "3", {});  // otherwise the absence would be a deletion
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_THAT(s.Dump(), HasSubstr("RECEIVED_ERROR 1 foo1=1"));
  s.Report(kNotFound, "gone");
  EXPECT_EQ(s.foo1.Next(), "ambient " + Reported("NOT_FOUND", "gone"));
}

TEST(ResourceError, IsNoDeletionOfTheResource) {
  Cached s(FailOnDataErrors());
  s.Report(kUnavailable, "wait");
  EXPECT_THAT(s.foo1.Next(), HasSubstr("ambient UNAVAILABLE"));
  EXPECT_EQ(s.foo1.Next(), "nothing");
}

TEST(ResourceError, OfWhatNobodyRequestedIsIgnored) {
  Cached s;
  s.server().RespondWithErrors(kFoo, "2", {"foo1=1"}, {{"foo2", kNotFound, "gone"}});
  EXPECT_EQ(s.foo1.Next(), "nothing");
}

TEST(ResourceError, ResourceAndErrorInOneResponseAreADuplicate) {
  Cached s;
  s.NextRequest();
  s.NextRequest();
  s.server().RespondWithErrors(kFoo, "2", {"foo1=2"}, {{"foo1", kNotFound, "gone"}});
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_THAT(s.NextRequest(), HasSubstr("duplicate resource name \"foo1\""));
}

TEST(ResourceError, ThatIsNoneIsRejected) {
  Cached s;
  s.NextRequest();
  s.NextRequest();
  s.Report(kOk, "");
  EXPECT_THAT(s.NextRequest(), HasSubstr("foo1: resource_errors[0]: error_detail.code must not be "
                                         "OK"));
  EXPECT_EQ(s.foo1.Next(), "nothing");  // it is not deleted
  s.server().RespondWithErrors(kFoo, "3", {"foo1=1"}, {{"", kNotFound, "x"}});
  EXPECT_THAT(s.NextRequest(),
              HasSubstr("resource_errors[0]: resource_name.name is no name of this type"));
}

TEST(ResourceError, ThatCanNotBeDecodedIsRejectedAlone) {
  Cached s;
  s.NextRequest();
  s.NextRequest();
  std::string message = Response(kFoo.type_url, "2", "x", {Bare(kFoo, "foo1=2")});
  s.server().SendRaw(message + Field(7, Field(1, "\xff")) + Field(7, "\x0a"));
  EXPECT_EQ(s.foo1.Next(), "foo1=2");
  EXPECT_EQ(s.NextRequest(),
            "Foo [foo1] version=2 nonce=x NACK 3: xDS response validation errors: "
            "[resource index 0: resource_errors[0]: can't be decoded; "
            "resource index 1: resource_errors[1]: can't be decoded]");
}

TEST(ResourceError, OfAnUnknownCodeIsUnknown) {
  Cached s(FailOnDataErrors());
  s.Report(99, "odd\x01");
  EXPECT_EQ(s.foo1.Next(), "ambient " + Reported("UNKNOWN", "odd\\x01"));
}

TEST(ResourceError, ThatAResourceDoesNotExistCountsAsCached) {  // A71.4
  for (int code : {kNotFound, kPermissionDenied}) {
    ScenarioOptions options;
    options.servers.push_back({"server2"});
    Scenario s(options);
    s.Forgive();
    s.Watch(kFoo, "foo1");
    s.server().RespondWithErrors(kFoo, "1", {}, {{"foo1", code, "no"}});
    s.server().FailChannel("down");
    EXPECT_EQ(s.server("server2").connected(), code != kNotFound);
  }
}

}  // namespace
}  // namespace gxds_test
