// Held resources: unchanged bytes, deletions, and what CSDS shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/xds_client/scenario.h"

namespace gxds_test {
namespace {

using ::testing::HasSubstr;

// foo1 and foo2 are cached at version 1.
struct Cached : Scenario {
  explicit Cached(ScenarioOptions options = {})
      : Scenario(std::move(options)), foo1(*WatchTogether({{&kFoo, "foo1"}, {&kFoo, "foo2"}})[0]) {
    EXPECT_EQ(NextRequest(), "Foo [foo1 foo2] node");
    Respond(kFoo, "1", {"foo1=1", "foo2=2"});
    EXPECT_EQ(NextRequest(), "Foo [foo1 foo2] version=1 nonce=n1");
    EXPECT_EQ(foo1.Next(), "foo1=1");
    foo2 = &Watch(kFoo, "foo2");
    EXPECT_EQ(foo2->Next(), "foo2=2");
    Forgive();  // the first watcher of foo2 gets the same notifications as the second
  }
  Watcher &foo1;
  Watcher *foo2 = nullptr;
};

ScenarioOptions FailOnDataErrors() {
  ScenarioOptions options;
  options.servers[0].fail_on_data_errors = true;
  return options;
}

const char kDeleted[] =
    "NOT_FOUND: resource deleted (xDS server server1) (node ID:xds_client_test)";

TEST(Cache, SameBytesAreNoUpdate) {  // A28.36
  Cached s;
  s.Respond(kFoo, "2", {"foo1=1", "foo2=3"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=2 nonce=n2");
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_EQ(s.foo2->Next(), "foo2=3");
}

TEST(Cache, SameBytesAreNotDecodedAgain) {
  Cached s;
  size_t before = g_decode_count;
  s.Respond(kFoo, "2", {"foo1=1", "foo2=3"});
  EXPECT_EQ(g_decode_count, before + 1);
  s.server().Send(kFoo.type_url, "3",
                  {Wrapped(kFoo, "foo1", "foo1=1"), Wrapped(kFoo, "foo2", "foo2=3")});
  EXPECT_EQ(g_decode_count, before + 1);
}

// Their hash covers only the beginning and the end of large resources.
TEST(Cache, LargeResourcesAreAnUpdateIfTheyDifferInTheMiddle) {
  Cached s;
  const std::string part(2000, 'x');
  s.Respond(kFoo, "2", {"foo1=" + part + "a" + part, "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=" + part + "a" + part);
  const size_t before = g_decode_count;
  s.Respond(kFoo, "3", {"foo1=" + part + "b" + part, "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=" + part + "b" + part);
  EXPECT_EQ(g_decode_count, before + 1);
  s.Respond(kFoo, "4", {"foo1=" + part + "b" + part, "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_EQ(g_decode_count, before + 1);
}

TEST(Cache, SameBytesInAWrapperOfAnotherNameAreAnotherResource) {
  Cached s;
  s.server().Send(kFoo.type_url, "2",
                  {Wrapped(kFoo, "foo2", "foo1=1"), Wrapped(kFoo, "foo1", "foo2=2")});
  EXPECT_EQ(s.foo2->Next(), "foo1=1");
  EXPECT_EQ(s.foo1.Next(), "foo2=2");
  // These bytes do not decide the resource's name. Without a wrapper, the name is the one inside
  // them.
  s.Respond(kFoo, "3", {"foo2=2", "foo1=1"});
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_EQ(s.foo2->Next(), "foo2=2");
}

TEST(Cache, UnchangedResourceHasTheNewVersion) {
  Cached s;
  s.Respond(kFoo, "2", {"foo1=1", "foo2=3"});
  EXPECT_EQ(s.Dump(),
            "Foo foo1 ACKED 2 foo1=1 watchers=1\n"
            "Foo foo2 ACKED 2 foo2=3 watchers=2\n");
}

TEST(Cache, ResourcesAreListedByTypeAndName) {
  Scenario s;
  s.WatchTogether({{&kBar, "b"}, {&kFoo, "z"}, {&kBar, "a"}, {&kFoo, "y"}});
  EXPECT_EQ(s.Dump(),
            "Foo y REQUESTED watchers=1\nFoo z REQUESTED watchers=1\n"
            "Bar a REQUESTED watchers=1\nBar b REQUESTED watchers=1\n");
  s.Forgive();
}

TEST(Cache, AbsenceDeletesOnlyTypesThatRequireAllResources) {
  Scenario s;
  auto watchers = s.WatchTogether({{&kBar, "bar1"}, {&kBar, "bar2"}});
  s.Respond(kBar, "1", {"bar1=1", "bar2=2"});
  s.Respond(kBar, "2", {"bar2=3"});
  EXPECT_EQ(watchers[0]->Next(), "bar1=1");
  EXPECT_EQ(watchers[0]->Next(), "nothing");
  EXPECT_EQ(s.Dump(),
            "Bar bar1 ACKED 1 bar1=1 watchers=1\n"
            "Bar bar2 ACKED 2 bar2=3 watchers=1\n");
  s.Forgive();
}

TEST(Cache, DeletionIsAnAmbientErrorAndTheResourceStays) {  // A88.3
  Cached s;
  s.Respond(kFoo, "2", {"foo2=2"});
  EXPECT_EQ(s.NextRequest(), "Foo [foo1 foo2] version=2 nonce=n2");
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kDeleted));
  EXPECT_EQ(s.foo2->Next(), "nothing");
  EXPECT_EQ(s.Dump(), "Foo foo1 DOES_NOT_EXIST 1 foo1=1 failed 2 " + std::string(kDeleted) +
                          " watchers=1\nFoo foo2 ACKED 2 foo2=2 watchers=2\n");
  EXPECT_TRUE(s.Logged("deleted: Foo foo1"));
}

TEST(Cache, DeletionIsReportedOnce) {
  Cached s;
  s.Respond(kFoo, "2", {"foo2=2"});
  s.Respond(kFoo, "3", {"foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kDeleted));
  EXPECT_EQ(s.foo1.Next(), "nothing");
}

TEST(Cache, DeletedResourceThatComesBackUnchangedEndsTheError) {  // A88.2
  Cached s;
  s.Respond(kFoo, "2", {"foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kDeleted));
  s.Respond(kFoo, "3", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
  EXPECT_EQ(s.foo1.Next(), "nothing");
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 ACKED 3 foo1=1 watchers=1"));
}

TEST(Cache, DeletedResourceThatComesBackChangedIsNotifiedAlone) {  // which ends the error (A88)
  Cached s;
  s.Respond(kFoo, "2", {"foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "ambient " + std::string(kDeleted));
  s.Respond(kFoo, "3", {"foo1=8", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=8");
  EXPECT_EQ(s.foo1.Next(), "nothing");
}

TEST(Cache, LaterWatchGetsTheResourceThenTheAmbientError) {  // A88.8
  Cached s;
  s.Respond(kFoo, "2", {"foo2=2"});
  Watcher &later = s.Watch(kFoo, "foo1");
  EXPECT_EQ(later.Next(), "foo1=1");
  EXPECT_EQ(later.Next(), "ambient " + std::string(kDeleted));
}

TEST(Cache, DeletionDropsTheResourceWhereDataErrorsFail) {  // A88.1, A88.4
  Cached s(FailOnDataErrors());
  s.Respond(kFoo, "2", {"foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "error " + std::string(kDeleted));
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 DOES_NOT_EXIST failed 2 NOT_FOUND"));
  EXPECT_EQ(g_live_resources, 1u);
  Watcher &later = s.Watch(kFoo, "foo1");
  EXPECT_EQ(later.Next(), "error " + std::string(kDeleted));
  s.Respond(kFoo, "3", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "foo1=1");
  EXPECT_EQ(later.Next(), "foo1=1");
}

TEST(Cache, IgnoreResourceDeletionHasNoEffect) {  // A88.17
  ScenarioOptions options = FailOnDataErrors();
  options.servers[0].ignore_resource_deletion = true;
  Cached s(options);
  s.Respond(kFoo, "2", {"foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "error " + std::string(kDeleted));
}

TEST(Cache, ResourceThatNeverCameIsNotDeletedByAbsence) {
  Cached s;
  Watcher &foo3 = s.Watch(kFoo, "foo3");
  s.Respond(kFoo, "2", {"foo1=1", "foo2=2"});  // may be the response to a request without foo3
  EXPECT_EQ(foo3.Next(), "nothing");
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo3 REQUESTED"));
}

TEST(Cache, RejectedResourceIsNotDeleted) {
  Cached s;
  s.Respond(kFoo, "2", {"foo1=bad", "foo2=2"});
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 NACKED 1 foo1=1 failed 2 UNAVAILABLE"));
}

TEST(Cache, RejectionOfACachedResourceIsAnAmbientError) {  // A46.2, A88.3
  Cached s;
  s.Respond(kFoo, "2", {"foo1=bad", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(),
            "ambient UNAVAILABLE: invalid resource: INVALID_ARGUMENT: errors validating Foo "
            "resource: [field:value error:bad] (xDS server server1) (node ID:xds_client_test)");
  s.Respond(kFoo, "3", {"foo1=1", "foo2=2"});
  EXPECT_EQ(s.foo1.Next(), "ambient OK");
}

TEST(Cache, RejectionDropsTheResourceWhereDataErrorsFail) {  // A88.5
  Cached s(FailOnDataErrors());
  s.Respond(kFoo, "2", {"foo1=bad", "foo2=2"});
  EXPECT_THAT(s.foo1.Next(), HasSubstr("error UNAVAILABLE: invalid resource: "));
  EXPECT_THAT(s.Dump(), HasSubstr("Foo foo1 NACKED failed 2 UNAVAILABLE"));
}

TEST(Cache, ForgottenResourceIsReleased) {  // A28.40
  Scenario s;
  Watcher &foo1 = s.Watch(kFoo, "foo1");
  s.Respond(kFoo, "1", {"foo1=1"});
  EXPECT_EQ(foo1.Next(), "foo1=1");
  EXPECT_EQ(g_live_resources, 1u);
  s.Cancel(foo1);
  EXPECT_EQ(g_live_resources, 0u);
  s.Forgive();
}

TEST(Cache, OneOfManyCostsOneDecode) {
  Scenario s;
  std::vector<std::pair<const gxds_resource_type *, std::string>> wanted;
  std::vector<std::string> resources;
  for (int i = 0; i < 1000; i++) {
    wanted.emplace_back(&kFoo, "foo" + std::to_string(i));
    resources.push_back("foo" + std::to_string(i) + "=0");
  }
  auto watchers = s.WatchTogether(wanted);
  s.Respond(kFoo, "1", resources);
  for (Watcher *watcher : watchers) EXPECT_THAT(watcher->Next(), HasSubstr("=0"));
  resources[500] = "foo500=1";
  size_t before = g_decode_count;
  s.Respond(kFoo, "2", resources);
  EXPECT_EQ(g_decode_count, before + 1);
  for (int i = 0; i < 1000; i++) {
    EXPECT_EQ(watchers[i]->Next(), i == 500 ? "foo500=1" : "nothing");
  }
  s.Forgive();
}

}  // namespace
}  // namespace gxds_test
