// Resource files and their index: which files are fetched, and when they form one state.
#include "test/web/fixture.h"
#include "web/index.h"

namespace gxds_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Cluster(const std::string &name, const std::string &service = "s") {
  return R"({"@type":")" + std::string(kCds) + R"(","name":")" + name +
         R"(","type":"EDS","eds_cluster_config":{"service_name":")" + service + R"("}})";
}
std::string Index(const Files &files) {
  std::vector<gxds_file_input> inputs;
  for (const auto &f : files) inputs.push_back({View(f.first), View(f.second)});
  const gxds_dir_files all = {inputs.data(), inputs.size(), 0, false, nullptr};
  gxds_text text = {};
  gxds_web_index_write(&all, &text);
  return Take(&text);
}

struct WebFiles : WebServerTest {
  WebFiles() : WebServerTest(GXDS_WEB_FILES) {}
  // Answers the index and all files that are then requested. Returns their paths.
  std::vector<std::string> Serve(const Files &files, const std::string &etag = "",
                                 gxds_duration max_age = 0) {
    Request index = Fetch();
    EXPECT_EQ(index.path, "/xds-index.json");
    Respond(index, {.body = Index(files), .etag = etag, .max_age = max_age});
    std::vector<std::string> asked;
    for (Request r = Fetch(); r.id; r = Fetch()) {
      asked.push_back(r.path);
      for (const auto &f : files) {
        if (r.path == "/" + f.first) Respond(r, {.body = f.second, .content_type = "any"});
      }
    }
    return asked;
  }
  std::string Log() {
    gxds_str line;
    if (!gxds_web_server_take_log(server_, &line)) return "";
    std::string out = String(line);
    gxds_str_free(&line);
    return out;
  }
};

TEST_F(WebFiles, AllFilesTogetherAreOneState) {
  Send(kCds, {"a", "b"});
  EXPECT_FALSE(WasSent());
  Request index = Fetch();
  EXPECT_TRUE(WasSent());
  const Files files = {{"a.json", Cluster("a")}, {"sub/b.json", Cluster("b")}};
  Respond(index, {.body = Index(files)});
  Request a = Fetch();
  Request b = Fetch();
  EXPECT_EQ(a.path, "/a.json");
  EXPECT_EQ(b.path, "/sub/b.json");
  Respond(b, {.body = files[1].second});
  EXPECT_EQ(Next(), "") << "one of two is nothing";
  Respond(a, {.body = files[0].second});
  EXPECT_THAT(Next(), AllOf(HasSubstr(R"("name":"a")"), HasSubstr(R"("name":"b")")));
  EXPECT_THAT(Log(), HasSubstr("web files http://h: 2 resources, version \""));
}
TEST_F(WebFiles, NothingNewCostsOne304) {
  Send(kCds, {"a"});
  Serve({{"a.json", Cluster("a")}}, "\"1\"");
  EXPECT_NE(Next(), "");
  EXPECT_GE(Wait(), 0);
  now_ += 12 * GXDS_SECOND;
  Request r = Fetch();
  EXPECT_EQ(r.etag, "\"1\"");
  Respond(r, {.code = 304});
  EXPECT_EQ(Fetch().path, "");
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(End(), "");
}
TEST_F(WebFiles, OnlyWhatChangedIsFetched) {
  Send(kCds, {"a", "b"});
  Serve({{"a.json", Cluster("a")}, {"b.json", Cluster("b")}});
  EXPECT_NE(Next(), "");
  now_ += 12 * GXDS_SECOND;
  EXPECT_THAT(Serve({{"a.json", Cluster("a")}, {"b.json", Cluster("b", "other")}}),
              testing::ElementsAre("/b.json"));
  EXPECT_THAT(Next(), HasSubstr("other"));
  now_ += 12 * GXDS_SECOND;
  EXPECT_THAT(
      Serve({{"c.json", "[]"}, {"a.json", Cluster("a")}, {"b.json", Cluster("b", "other")}}),
      testing::ElementsAre("/c.json"))
      << "wherever in the index the others are now";
  EXPECT_EQ(Next(), "");
  now_ += 12 * GXDS_SECOND;
  EXPECT_TRUE(Serve({{"a.json", Cluster("a")}, {"b.json", Cluster("b", "other")}}).empty());
}
TEST_F(WebFiles, SixAreOnTheirWayAtATime) {
  Files files;
  for (int i = 0; i < 9; i++)
    files.push_back({std::to_string(i) + ".json", Cluster(std::to_string(i))});
  Send(kCds, {"8"});
  Respond(Fetch(), {.body = Index(files)});
  std::vector<Request> on_way;
  for (Request r = Fetch(); r.id; r = Fetch()) on_way.push_back(r);
  ASSERT_EQ(on_way.size(), 6u);
  Respond(on_way[3], {.body = files[3].second});
  EXPECT_EQ(Fetch().path, "/6.json");
  EXPECT_EQ(Fetch().path, "");
}
TEST_F(WebFiles, AFileThatIsNotTheIndexsIsRequestedOnceMore) {
  const Files old = {{"a.json", Cluster("a")}};
  const Files fresh = {{"a.json", Cluster("a", "t")}};
  const struct {
    WebResponse response;
    std::string what;
  } wrong[] = {
      {{.body = fresh[0].second}, "SHA-256"},
      {{.body = ""}, "size"},
      {{.code = 0, .body = "the response has more than 1 bytes", .too_long = true}, "size"},
      {{.code = 404}, "expected the HTTP status 200, found 404"},
  };
  for (const auto &w : wrong) {
    Open();
    Send(kCds, {"a"});
    Respond(Fetch(), {.body = Index(old), .etag = "\"old\""});
    Respond(Fetch(), w.response);
    EXPECT_EQ(End(), "") << "whoever publishes may be between the files and the index";
    Request again = Fetch();
    EXPECT_EQ(again.path, "/xds-index.json");
    EXPECT_EQ(again.etag, "");
    Respond(again, {.body = Index(old)});
    Respond(Fetch(), w.response);
    EXPECT_THAT(End(), AllOf(HasSubstr("http://h/a.json: "), HasSubstr(w.what)));
  }
  Open();
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = Index(old)});
  Respond(Fetch(), {.body = fresh[0].second});
  Serve(fresh);
  EXPECT_THAT(Next(), HasSubstr(R"("service_name":"t")"));
}
TEST_F(WebFiles, RetryAfterOfWhatIsGivenUpHoldsBackFilesForThatLong) {
  const Files files = {{"a.json", Cluster("a")}, {"b.json", Cluster("b")}};
  Send(kCds, {"a", "b"});
  Respond(Fetch(), {.body = Index(files)});
  Request a = Fetch();
  Request b = Fetch();
  Respond(a, {.body = "of another version"});
  Request again = Fetch();
  Respond(b, {.code = 503, .retry_after = 7 * GXDS_SECOND});
  Respond(again, {.body = Index(files)});
  EXPECT_EQ(Fetch().path, "");
  EXPECT_EQ(Wait(), 7 * GXDS_SECOND) << "or they would never be fetched";
  now_ += Wait();
  EXPECT_EQ(Fetch().path, "/a.json");
  EXPECT_EQ(Fetch().path, "/b.json");
  EXPECT_EQ(Wait(), -1);
}
TEST_F(WebFiles, FilesWithErrorsReplaceNothing) {
  Send(kCds, {"a"});
  Serve({{"a.json", Cluster("a")}}, "\"1\"");
  EXPECT_NE(Next(), "");
  now_ += 12 * GXDS_SECOND;
  Serve({{"a.json", "{"}, {"b.yaml", ""}}, "\"2\"");
  EXPECT_THAT(End(), AllOf(HasSubstr("http://h/xds-index.json: its files are not taken: a.json:1"),
                           HasSubstr("b.yaml:1: holds no resource")))
      << "all of them";
  EXPECT_EQ(Next(), "");
  Open();
  Send(kCds, {"a"});
  EXPECT_EQ(Next(), "") << "nobody knows yet whether the last state is the newest";
  Request r = Fetch();
  EXPECT_EQ(r.etag, "\"1\"");
  Respond(r, {.code = 304});
  EXPECT_THAT(Next(), HasSubstr(R"("name":"a")")) << "it was taken back";
}
// Otherwise each of many clients would fetch all files again after each backoff.
TEST_F(WebFiles, FilesOfAStateThatWasRefusedAreNotFetchedAgain) {
  const Files bad = {{"a.json", Cluster("a", "t")}, {"b.json", "{"}};
  Send(kCds, {"a"});
  Serve({{"a.json", Cluster("a")}});
  EXPECT_NE(Next(), "");
  now_ += 12 * GXDS_SECOND;
  EXPECT_EQ(Serve(bad).size(), 2u);
  const std::string why = End();
  EXPECT_THAT(why, HasSubstr("b.json:1"));
  for (int i = 0; i < 2; i++) {
    Open();
    Send(kCds, {"a"});
    EXPECT_TRUE(Serve(bad).empty());
    EXPECT_EQ(End(), why);
  }
  Open();
  Send(kCds, {"a"});
  EXPECT_THAT(Serve({bad[0], {"b.json", Cluster("b")}}), testing::ElementsAre("/b.json"));
  EXPECT_THAT(Next(), HasSubstr(R"("service_name":"t")"));
}
// Otherwise a client with a bad network might never get all of many files.
TEST_F(WebFiles, AFileThatFailsDoesNotLoseTheOthers) {
  const Files files = {{"a.json", Cluster("a")}, {"b.json", Cluster("b")}};
  Send(kCds, {"b"});
  Respond(Fetch(), {.body = Index(files)});
  const Request a = Fetch();
  const Request b = Fetch();
  Respond(a, {.body = files[0].second});
  Respond(b, {.code = 503});
  EXPECT_NE(End(), "");
  Open();
  Send(kCds, {"b"});
  EXPECT_THAT(Serve(files), testing::ElementsAre("/b.json"));
  EXPECT_NE(Next(), "");
}
TEST_F(WebFiles, EveryErrorOfAnIndexIsReported) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.body = R"({"files":[{"path":"../a.json","size":1,"sha256":"00"}]})"});
  EXPECT_EQ(End(),
            "http://h/xds-index.json: is no index of resource files: "
            "[field:files[0].path error:may have no part that begins with a dot; "
            "field:files[0].sha256 error:must be 64 hexadecimal digits; "
            "field:version error:field not present]");
}
TEST_F(WebFiles, AnIndexThatIsNotThereEndsTheStream) {
  Send(kCds, {"a"});
  Respond(Fetch(), {.code = 404, .body = "no such file"});
  EXPECT_EQ(End(),
            "http://h/xds-index.json: expected the HTTP status 200, found 404: no such file");
}
TEST_F(WebFiles, MaxAgeOfTheIndexCounts) {
  Send(kCds, {"a"});
  Serve({{"a.json", Cluster("a")}}, "", 60 * GXDS_SECOND);
  while (Next() != "") {
  }
  now_ += 59 * GXDS_SECOND;
  EXPECT_EQ(Fetch().path, "");
  now_ += 14 * GXDS_SECOND;
  EXPECT_EQ(Fetch().path, "/xds-index.json");
}
TEST_F(WebFiles, ANameThatNoFileHasDoesNotExist) {
  Send(kCds, {"b"});
  Serve({{"a.json", Cluster("a")}});
  EXPECT_THAT(Next(), HasSubstr("no file in http://h has a Cluster of that name"));
}
TEST_F(WebFiles, UnknownFieldsAreErrorsAsInAnyFile) {
  Send(kCds, {"a"});
  Serve({{"a.json", R"({"@type":")" + std::string(kCds) + R"(","name":"a","naem":1})"}});
  EXPECT_THAT(End(), HasSubstr("no such field in envoy.config.cluster.v3.Cluster"));
}

// ---- the index ----

std::string Read(const std::string &json) {
  gxds_web_index index;
  gxds_errors errors = {};
  if (gxds_web_index_read(View(json), &index, &errors)) {
    std::string out = String(index.version);
    for (size_t i = 0; i < index.count; i++) out += " " + String(index.files[i].path);
    gxds_web_index_fini(&index);
    return out;
  }
  gxds_status status = gxds_errors_status(&errors, "wrong");
  std::string out = String(status.message);
  gxds_status_fini(&status);
  gxds_errors_fini(&errors);
  return out;
}
std::string File(const std::string &path, const std::string &size = "1") {
  return R"({"path":")" + path + R"(","size":)" + size + R"(,"sha256":")" + std::string(64, 'a') +
         R"("})";
}

TEST(WebIndex, WhatIsWrittenIsRead) {
  EXPECT_THAT(Read(Index({{"a.json", "1"}, {"b.yaml", ""}})), HasSubstr(" a.json b.yaml"));
  EXPECT_NE(Index({{"a.json", "1"}}), Index({{"a.json", "2"}}));
}
TEST(WebIndex, UnknownMembersAreIgnored) {
  EXPECT_EQ(Read(R"({"version":"v","x":1,"files":[]})"), "v");
}
TEST(WebIndex, PathsStayWhereTheIndexIs) {
  const struct {
    std::string path, why;
  } wrong[] = {
      {"/a.json", "must be relative, with single slashes"},
      {"a//b.json", "must be relative, with single slashes"},
      {"../a.json", "may have no part that begins with a dot"},
      {"a/../b.json", "may have no part that begins with a dot"},
      {".a.json", "may have no part that begins with a dot"},
      {"a%2e.json", "may have letters, digits, '.', '_', '-' and '/' only"},
      {"http:a.json", "may have letters, digits, '.', '_', '-' and '/' only"},
      {"a.json?b", "may have letters, digits, '.', '_', '-' and '/' only"},
      {"a.txt", "must end as the name of a resource file does (.json, .yaml, .yml, .pb, …)"},
      {"a/", "must end as the name of a resource file does (.json, .yaml, .yml, .pb, …)"},
      {"xds-index.json",
       "must end as the name of a resource file does (.json, .yaml, .yml, .pb, …)"},
      {"", "must have 1 to 1024 bytes"},
      {std::string(1025, 'a'), "must have 1 to 1024 bytes"},
  };
  for (const auto &w : wrong) {
    EXPECT_EQ(Read(R"({"version":"v","files":[)" + File(w.path) + "]}"),
              "wrong: [field:files[0].path error:" + w.why + "]");
  }
  EXPECT_EQ(Read(R"({"version":"v","files":[)" + File("v-1/a_b.2.json") + "]}"),
            "v v-1/a_b.2.json");
}
TEST(WebIndex, LimitsHold) {
  EXPECT_THAT(Read(R"({"version":"v","files":[)" + File("a.json", "268435457") + "]}"),
              HasSubstr("field:files[0].size error:must be at most 268435456"));
  EXPECT_THAT(Read(R"({"version":"v","files":[)" + File("a.json", "\"x\"") + "]}"),
              HasSubstr("field:files[0].size"));
  EXPECT_THAT(Read(R"({"version":"v","files":[)" + File("a.json") + "," + File("a.json") + "]}"),
              HasSubstr("error:\"a.json\" is there twice"));
  std::string many;
  for (int i = 0; i < 5; i++) many += (i ? "," : "") + File(std::to_string(i) + ".pb", "268435456");
  EXPECT_THAT(Read(R"({"version":"v","files":[)" + many + "]}"),
              HasSubstr("field:files error:have 1342177280 bytes together"));
  EXPECT_THAT(Read("nonsense"), HasSubstr("JSON parse error at line 1"));
  EXPECT_THAT(Read(R"({"version":"v","files":[1]})"), HasSubstr("field:files[0] error:"));
}

}  // namespace
}  // namespace gxds_test
