// A web server of the bootstrap. The test acts as the engine and as the web server.
#ifndef GRPC_XDS_TEST_WEB_FIXTURE_H_
#define GRPC_XDS_TEST_WEB_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/files/support.h"
#include "test/support/proto_json.h"
#include "web/server.h"

namespace gxds_test {

inline constexpr char kLds[] = "type.googleapis.com/envoy.config.listener.v3.Listener";
inline constexpr char kCds[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
inline constexpr char kEds[] = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";

struct Request {
  uint64_t id = 0;
  std::string path;
  std::string body;
  std::string etag;
};

// A response of the web server, for Respond().
struct WebResponse {
  int code = 200;
  std::string body = {};
  std::string content_type = "application/json";
  std::string etag = {};
  gxds_duration max_age = 0;
  gxds_duration retry_after = 0;
  bool too_long = false;
};

class WebServerTest : public testing::Test {
 protected:
  explicit WebServerTest(gxds_web_form form) {
    about_.uri = gxds_str_z("http://h");
    about_.web_form = form;
    about_.refresh_delay = 10 * GXDS_SECOND;
    if (form == GXDS_WEB_REST) gxds_schema_set_lenient(schema_);
    server_ = gxds_web_server_create(&about_, schema_, 1);
    gxds_web_server_open(server_, now_);
  }
  ~WebServerTest() override {
    gxds_web_server_destroy(server_);
    gxds_schema_destroy(schema_);
  }

  void Open() { gxds_web_server_open(server_, now_); }
  // Sends a request of the engine. more: other fields of its JSON, a comma before each.
  void Send(const std::string &type, const std::vector<std::string> &names,
            const std::string &nonce = "", const std::string &more = "") {
    std::string list;
    for (const auto &n : names) list += (list.empty() ? "\"" : ",\"") + n + "\"";
    const std::string json = R"({"type_url":")" + type + R"(","response_nonce":")" + nonce +
                             R"(","resource_names":[)" + list + "]" + more + "}";
    gxds_str bytes;
    gxds_text error = {};
    ASSERT_TRUE(gxds_test_proto_from_json("envoy.service.discovery.v3.DiscoveryRequest", View(json),
                                          &bytes, &error))
        << Take(&error);
    gxds_web_server_on_request(server_, bytes, now_);
    gxds_str_free(&bytes);
  }
  bool WasSent() { return gxds_web_server_was_sent(server_); }
  // The next request to the web server; an empty path: there is none.
  Request Fetch() {
    gxds_web_request r;
    if (!gxds_web_server_next_fetch(server_, now_, &r)) return {};
    Request out = {r.id, String(r.path), String(r.body), String(r.etag)};
    gxds_web_request_fini(&r);
    return out;
  }
  void Respond(const Request &r, const WebResponse &a) {
    gxds_web_response response = {};
    response.id = r.id;
    response.code = a.code;
    response.error = a.code ? gxds_str_of(nullptr, 0) : View(a.body);
    response.body = View(a.body);
    response.content_type = View(a.content_type);
    response.etag = View(a.etag);
    response.max_age = a.max_age;
    response.retry_after = a.retry_after;
    response.too_long = a.too_long;
    gxds_web_server_on_fetched(server_, &response, now_);
  }
  // The next response for the engine: its JSON, then the raw bytes; "": there is none.
  std::string Next() {
    const std::string bytes = NextBytes();
    if (bytes.empty()) return "";
    gxds_text json = {}, error = {};
    EXPECT_TRUE(gxds_test_proto_to_json("envoy.service.discovery.v3.DiscoveryResponse", View(bytes),
                                        &json, &error))
        << Take(&error);
    return Take(&json) + bytes;
  }
  std::string NextBytes() {
    gxds_str bytes;
    if (!gxds_web_server_next_response(server_, now_, &bytes)) return "";
    std::string out = String(bytes);
    gxds_str_free(&bytes);
    return out;
  }
  // Why the stream ended; "" if it did not.
  std::string End() {
    gxds_str why;
    if (!gxds_web_server_take_end(server_, &why)) return "";
    std::string out = String(why);
    gxds_str_free(&why);
    return out;
  }
  // The time until the next work; -1: never.
  gxds_duration Wait() {
    const gxds_time at = gxds_web_server_deadline(server_);
    return at == GXDS_TIME_NEVER ? -1 : at - now_;
  }

  gxds_time now_ = 1000 * GXDS_SECOND;
  gxds_bootstrap_server about_ = {};
  gxds_schema *schema_ = gxds_schema_create();
  gxds_web_server *server_ = nullptr;
};

}  // namespace gxds_test

#endif
