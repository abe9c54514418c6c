// An ADS server without I/O, and clients that the test controls.
#ifndef GRPC_XDS_TEST_TOOLS_ADS_FIXTURE_H_
#define GRPC_XDS_TEST_TOOLS_ADS_FIXTURE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "files/make_before_break.h"
#include "test/files/support.h"
#include "test/tools/messages.h"
#include "tools/serve/ads_server.h"

namespace {

using xds_test::CDS;
using xds_test::EDS;
using xds_test::LDS;
using xds_test::RDS;
using xds_test::Request;
using xds_test::Response;
using xds_test::Type;
using xds_test::TypeUrl;
using Names = std::vector<std::string>;

inline gxds_schema *Schema() {
  static gxds_schema *schema = gxds_schema_create();
  return schema;
}

class Ads : public ::testing::Test {
 protected:
  Ads() : server_(gxds_ads_server_create()) {}
  ~Ads() override {
    gxds_ads_server_destroy(server_);
    gxds_file_set_unref(set_);
  }

  // Sets a new state of the directory. It comes so long after the last one that the server waits
  // for no ACK of a client.
  void Serve(const std::vector<std::string> &resources) {
    Wait(GXDS_ADS_ACK_MAX);
    ServeAtOnce(resources);
  }
  void ServeAtOnce(const std::vector<std::string> &resources) {
    gxds_file_errors errors = {};
    const gxds_file_set *set =
        Build(Schema(), {{"f.json", xds_test::FileJson(resources)}}, &errors, set_);
    ASSERT_NE(set, nullptr) << Take(&errors);
    gxds_file_set_unref(set_);
    set_ = set;
    gxds_ads_server_set_resources(server_, set, now_);
    Drain();
  }

  uint64_t Open(const char *peer = "peer", gxds_ads_service service = GXDS_ADS_SOTW) {
    uint64_t stream = gxds_ads_server_open(server_, service, gxds_str_z(peer), now_);
    delta_[stream] = gxds_ads_service_is_delta(service);
    Drain();
    return stream;
  }

  void Bytes(uint64_t stream, const std::string &bytes) {
    gxds_ads_server_on_message(server_, stream, View(bytes), now_);
    Drain();
  }
  void Send(uint64_t stream, const Request &request) { Bytes(stream, Encode(request)); }
  void Send(uint64_t stream, Type type, const Names &names) {
    Send(stream, {TypeUrl(type), names, "", "", "", "node"});
  }

  // ACKs the last response of a type. names: the names that the client requests then.
  void Ack(uint64_t stream, Type type, const Names &names) {
    const Response &last = Last(stream, type);
    Send(stream, {TypeUrl(type), names, last.nonce, last.version, "", ""});
  }
  void Nack(uint64_t stream, Type type, const Names &names, const std::string &words = "bad") {
    Send(stream, {TypeUrl(type), names, Last(stream, type).nonce, "old", words, ""});
  }

  void Sent(uint64_t stream) {
    sending_[stream] = false;
    gxds_ads_server_on_sent(server_, stream, now_);
    Drain();
  }

  void Wait(gxds_duration d) {
    now_ += d;
    gxds_ads_server_on_deadline(server_, now_);
    Drain();
  }

  const Response &Last(uint64_t stream, Type type) { return last_[{stream, type}]; }

  // The responses on a stream since the last call: "CDS a=1; EDS a=1".
  std::string Got(uint64_t stream) {
    std::string s;
    for (const auto &text : sent_[stream]) s += (s.empty() ? "" : "; ") + text;
    sent_.erase(stream);
    return s;
  }

  // The same, decoded.
  std::vector<Response> Responses(uint64_t stream) {
    sent_.erase(stream);
    std::vector<Response> responses;
    responses.swap(responses_[stream]);
    return responses;
  }

  // Events since the last call, as the operator reads them.
  std::string Events() {
    std::string s = events_;
    events_.clear();
    return s;
  }

  bool auto_sent_ = true;  // sending takes no time
  gxds_time now_ = 1000 * GXDS_SECOND;
  gxds_ads_server *server_;
  std::string closed_;

 private:
  void Drain() {
    gxds_ads_server_validate(server_);
    gxds_serve_action action;
    while (gxds_ads_server_next_action(server_, &action)) {
      switch (action.kind) {
        case GXDS_SERVE_SEND:
          OnSend(action.stream, String(action.bytes));
          break;
        case GXDS_SERVE_CLOSE:
          closed_ = String(action.status.message);
          break;
        case GXDS_SERVE_EVENT: {
          gxds_text text = {};
          gxds_serve_event_render_text(&action.event, &text);
          events_ += Take(&text) + "\n";
          break;
        }
      }
      gxds_serve_action_fini(&action);
    }
  }

  void OnSend(uint64_t stream, const std::string &bytes) {
    Response response = delta_[stream] ? xds_test::DecodeDelta(bytes) : xds_test::Decode(bytes);
    ASSERT_FALSE(sending_[stream]) << "two messages at once";
    sent_[stream].push_back(response.Text());
    responses_[stream].push_back(response);
    for (Type type : {LDS, RDS, CDS, EDS}) {
      static const char *const names[] = {"LDS", "RDS", "CDS", "EDS"};
      if (response.type == names[type]) last_[{stream, type}] = response;
    }
    sending_[stream] = !auto_sent_;
    if (auto_sent_) gxds_ads_server_on_sent(server_, stream, now_);
  }

  std::map<std::pair<uint64_t, int>, Response> last_;
  const gxds_file_set *set_ = nullptr;
  std::map<uint64_t, std::vector<std::string>> sent_;
  std::map<uint64_t, std::vector<Response>> responses_;
  std::map<uint64_t, bool> sending_;
  std::map<uint64_t, bool> delta_;
  std::string events_;
};

}  // namespace

#endif
