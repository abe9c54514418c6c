// The answers of `xds serve --rest`, and the output of --write-index.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/files/support.h"
#include "test/support/child.h"
#include "tools/serve/rest/responses.h"

namespace {

using gxds_test::Child;
using gxds_test::Runfile;
using gxds_test::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char kClusters[] = R"([
  {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"a","connect_timeout":"0.5s"},
  {"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster","name":"b"}])";

// ---- answers ----

struct RestResponses : testing::Test {
  ~RestResponses() override {
    gxds_file_set_unref(set_);
    gxds_schema_destroy(schema_);
  }
  void Set(const std::string& json) {
    gxds_file_errors errors = {};
    gxds_file_set_unref(set_);
    set_ = Build(schema_, {{"a.json", json}}, &errors);
    ASSERT_NE(set_, nullptr) << Take(&errors);
  }
  // Returns "CODE BODY". event_ is the reported event.
  std::string Request(const std::string& json, gxds_file_type type = GXDS_FILE_CLUSTER) {
    gxds_rest_response a = gxds_rest_respond(schema_, set_, type, View(json));
    std::string out = std::to_string(a.code) + " " + String(a.body);
    gxds_text text = {};
    if (a.has_event) gxds_serve_event_render_json(&a.event, &text);
    event_ = Take(&text);
    gxds_rest_response_fini(&a);
    return out;
  }
  static std::string VersionOf(const std::string& response) {
    const size_t at = response.find(R"("version_info":")");
    return at == std::string::npos ? "" : response.substr(at + 16, 16);
  }

  gxds_schema* schema_ = gxds_schema_create();
  const gxds_file_set* set_ = nullptr;
  std::string event_;
};

TEST_F(RestResponses, AreTheRequestedResourcesInJson) {
  Set(kClusters);
  const std::string response = Request(R"({"node":{"id":"n"},"resource_names":["a","none"]})");
  EXPECT_THAT(response, AllOf(HasSubstr("200 {"),
                              HasSubstr(R"("@type":"type.googleapis.com/envoy.config.cluster.v3.)"),
                              HasSubstr(R"("connect_timeout":"0.500s")"), Not(HasSubstr("\"b\""))));
  EXPECT_THAT(event_, AllOf(HasSubstr(R"("event":"push")"), HasSubstr(R"("node":"n")"),
                            HasSubstr(R"("names":["a"])"), HasSubstr(VersionOf(response))));
}
// Like Envoy's requests for clusters and listeners.
TEST_F(RestResponses, AreAllResourcesWhereNoneIsNamed) {
  Set(kClusters);
  EXPECT_THAT(Request("{}"), AllOf(HasSubstr(R"("name":"a")"), HasSubstr(R"("name":"b")")));
  EXPECT_THAT(Request("{}", GXDS_FILE_LISTENER), AllOf(HasSubstr("200 {"), Not(HasSubstr("name"))));
}
TEST_F(RestResponses, AVersionThatIsTheNewestIs304) {
  Set(kClusters);
  const std::string version = VersionOf(Request(R"({"resourceNames":["a"]})"));
  EXPECT_EQ(Request(R"({"resourceNames":["a"],"versionInfo":")" + version + R"("})"), "304 ");
  EXPECT_EQ(event_, "");
  EXPECT_THAT(Request(R"({"resource_names":["a","b"],"version_info":")" + version + R"("})"),
              HasSubstr("200 {"))
      << "the version is one of these names";
  std::string other = kClusters;
  other.replace(other.find("0.5s"), 4, "0.6s");
  Set(other);
  EXPECT_THAT(Request(R"({"resource_names":["a"],"version_info":")" + version + R"("})"),
              HasSubstr("0.600s"));
}
TEST_F(RestResponses, ANackIsPrinted) {
  Set(kClusters);
  Request(
      R"({"node":{"id":"n"},"resource_names":["a"],"version_info":"1","error_detail":{"message":"no"}})");
  EXPECT_THAT(event_, AllOf(HasSubstr(R"("event":"nack")"), HasSubstr(R"("detail":"no")"),
                            HasSubstr(R"("version":"1")"), HasSubstr(R"("node":"n")")));
}
TEST_F(RestResponses, NonsenseIsRefused) {
  EXPECT_EQ(Request("{}"), "503 no good state of the files is there yet");
  Set(kClusters);
  EXPECT_EQ(Request("[]"), "400 expected a DiscoveryRequest");
  EXPECT_THAT(Request("{"), HasSubstr("400 "));
  EXPECT_THAT(Request(R"({"resource_names":[1,null,{}],"version_info":7,"node":[]})"),
              HasSubstr("200 {"));
}

// ---- over HTTP ----

class RestServer : public testing::Test {
 protected:
  RestServer() {
    files_.Write("a.json", kClusters);
    serve_ = std::make_unique<Child>(
        std::vector<std::string>{Runfile("tools/xds"), "serve", files_.path(), "--listen",
                                 "127.0.0.1:0", "--rest", "127.0.0.1:0", "--json"});
    const std::string line = serve_->WaitForLine(
        [](const std::string& s) { return s.find("\"service\":\"rest\"") != std::string::npos; });
    EXPECT_NE(line, "") << serve_->Output();
    port_ = std::atoi(line.c_str() + line.rfind(':') + 1);
  }
  int Connect() {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  std::string Request(const std::string& first, const std::string& headers = "",
                      const std::string& body = "") {
    int fd = Connect();
    const std::string request = first + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + headers +
                                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                body;
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string response;
    char part[4096];
    ssize_t size;
    while ((size = recv(fd, part, sizeof part, 0)) > 0)
      response.append(part, static_cast<size_t>(size));
    close(fd);
    return response;
  }

  TempDir files_;
  std::unique_ptr<Child> serve_;
  int port_ = 0;
};

TEST_F(RestServer, ServesBothForms) {
  EXPECT_THAT(Request("POST /v3/discovery:clusters", "", R"({"resource_names":["a"]})"),
              AllOf(HasSubstr("200 OK"), HasSubstr("Content-Type: application/json"),
                    HasSubstr(R"("name":"a")")));
  const std::string index = Request("GET /xds-index.json");
  EXPECT_THAT(index, AllOf(HasSubstr("200 OK"), HasSubstr(R"("path": "Cluster.pb")")));
  EXPECT_THAT(Request("GET /Cluster.pb"), HasSubstr("200 OK"));
  const size_t at = index.find("ETag: ") + 6;
  const std::string etag = index.substr(at, index.find('\r', at) - at);
  EXPECT_THAT(Request("GET /xds-index.json", "If-None-Match: " + etag + "\r\n"),
              HasSubstr("304 Not Modified"));
}
// A client keeps its connections for the next poll, if the server does.
TEST_F(RestServer, HasAResponseForMoreClientsThanConnections) {
  std::vector<int> clients;
  for (int i = 0; i < 100; i++) {
    clients.push_back(Connect());
    const std::string request = "GET /xds-index.json HTTP/1.1\r\nHost: h\r\n\r\n";
    EXPECT_EQ(send(clients.back(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    char begin[13] = "";
    recv(clients.back(), begin, 12, MSG_WAITALL);
    ASSERT_STREQ(begin, "HTTP/1.1 200") << i;
  }
  for (int fd : clients) close(fd);
}
TEST_F(RestServer, RefusesTheRestWithAReason) {
  EXPECT_THAT(Request("GET /"), AllOf(HasSubstr("404 Not Found"), HasSubstr("/xds-index.json")));
  // For example, the client's bootstrap has a URL with a path.
  EXPECT_THAT(Request("POST /mesh/v3/discovery:clusters", "", "{}"),
              AllOf(HasSubstr("404 Not Found"), HasSubstr("POST /v3/discovery:{")));
  EXPECT_THAT(Request("GET /v3/discovery:clusters"), HasSubstr("405 "));
  EXPECT_THAT(Request("POST /xds-index.json"), HasSubstr("405 "));
  EXPECT_THAT(Request("POST /v3/discovery:clusters", "", "x"), HasSubstr("400 Bad Request"));
}

// ---- --write-index ----

// Returns the exit status, then the output.
std::string WriteIndex(const std::string& dir) {
  Child index({Runfile("tools/xds"), "serve", "--write-index", dir});
  const int status = index.Wait();
  return std::to_string(status) + " " + index.Output();
}

TEST(WriteIndex, MakesADirectoryReady) {
  TempDir dir;
  dir.Write("a.json", kClusters);
  dir.Write("no-resource.txt", "x");
  EXPECT_THAT(WriteIndex(dir.path()), HasSubstr("0 " + dir.path() + "/xds-index.json: 1 file\n"));
  std::ifstream file(dir.path() + "/xds-index.json");
  const std::string json(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(json, AllOf(HasSubstr(R"("path": "a.json", "size": )"), Not(HasSubstr("txt"))));
  EXPECT_THAT(WriteIndex(dir.path()), HasSubstr(": 1 file\n")) << "it does not index itself";
}
TEST(WriteIndex, FilesWithErrorsGetNone) {
  TempDir dir;
  dir.Write("a.json", "{");
  dir.Write("b c.json", "[]");
  EXPECT_THAT(WriteIndex(dir.path()),
              AllOf(HasSubstr("1 "), HasSubstr("a.json:1: "),
                    HasSubstr("b c.json: its name may have letters, digits, '.', '_', '-' and "
                              "'/' only")));
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/xds-index.json"));
  EXPECT_THAT(WriteIndex(dir.path() + "/none"), HasSubstr("1 "));
}

}  // namespace
