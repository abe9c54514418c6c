// A channel whose bootstrap asks for incremental xDS, with a control plane that does not support
// it: a real server without the method.
#include "files/file_set.h"
#include "test/e2e/e2e.h"
#include "test/support/host_log.h"
#include "test/transport/raw_server.h"
#include "tools/serve/ads_server.h"

namespace gxds_test {
namespace {

using grpc_xds::RawServer;
using grpc_xds::RawStream;

const char kDelta[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const char kSotw[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
const char kLine[] = "it does not know incremental xDS: using state of the world";

// The responses of a control plane on one stream at a time, by the rules of `xds serve`.
class Plane {
 public:
  Plane() : schema_(gxds_schema_create()), server_(gxds_ads_server_create()) {}
  ~Plane() {
    gxds_ads_server_destroy(server_);
    gxds_schema_destroy(schema_);
  }

  void Set(const Mesh& mesh) {
    std::string json = mesh.Json();
    gxds_file_input file = {gxds_str_z("mesh.json"), gxds_str_of(json.data(), json.size())};
    gxds_file_errors errors = {};
    const gxds_file_set* set = gxds_file_set_build(schema_, &file, 1, nullptr, &errors);
    ASSERT_NE(set, nullptr);
    gxds_ads_server_set_resources(server_, set, kNow);
    gxds_file_set_unref(set);
    Drain();
  }

  // Responds on this stream from now on, in place of the last one.
  void Take(std::shared_ptr<RawStream> stream, gxds_ads_service service) {
    if (stream_) gxds_ads_server_on_closed(server_, id_, gxds_str_z("gone"));
    stream_ = std::move(stream);
    id_ = gxds_ads_server_open(server_, service, gxds_str_z("peer"), kNow);
    Drain();
  }

  // Responds to requests until the client has ACKed a response of that type ("EDS").
  void RespondUntilAcked(const std::string& type) {
    const std::string line = ": " + type + " ACK";
    while (events_.find(line) == std::string::npos) {
      std::optional<std::string> request = stream_->Take();
      if (!request) return;  // Take() has failed the test
      gxds_ads_server_on_message(server_, id_, gxds_str_of(request->data(), request->size()), kNow);
      Drain();
    }
    events_.clear();
  }

 private:
  // Constant, because no test here removes resources, which takes time.
  static constexpr gxds_time kNow = GXDS_SECOND;

  void Drain() {
    gxds_serve_action action;
    while (gxds_ads_server_next_action(server_, &action)) {
      EXPECT_NE(action.kind, GXDS_SERVE_CLOSE);
      if (action.kind == GXDS_SERVE_SEND) {
        stream_->Send(std::string(action.bytes.data, action.bytes.size));
        gxds_ads_server_on_sent(server_, id_, kNow);
      } else if (action.kind == GXDS_SERVE_EVENT) {
        gxds_text text = {};
        gxds_serve_event_render_text(&action.event, &text);
        events_ += std::string(text.data, text.size) + "\n";
        gxds_text_fini(&text);
      }
      gxds_serve_action_fini(&action);
    }
  }

  gxds_schema* schema_;
  gxds_ads_server* server_;
  std::shared_ptr<RawStream> stream_;
  uint64_t id_ = 0;
  std::string events_;
};

std::string Bootstrap(const RawServer& server) {
  return R"({"xds_servers":[{"server_uri":")" + server.uri() +
         R"(","channel_creds":[{"type":"insecure"}],"server_features":["delta"]}],)"
         R"("node":{"id":"test"}})";
}

// Without load reports, so that every stream is an ADS stream.
Mesh MeshOf(Backend* backend) {
  Mesh mesh = SimpleMesh({backend});
  mesh.clusters[0].report_load = false;
  return mesh;
}

void Refuse(const std::shared_ptr<RawStream>& stream) {
  EXPECT_EQ(stream->Method(), kDelta);
  stream->Finish({grpc::StatusCode::UNIMPLEMENTED, "no such method"});
}

TEST(DeltaUnknown, GetsStateOfTheWorldFromThenOn) {
  Backend a("a"), b("b"), c("c");
  HostLog log;
  RawServer server;
  Plane plane;
  plane.Set(MeshOf(&a));
  Client client("xds:///greeter.example", Bootstrap(server));
  auto call = client.Start();
  Refuse(server.Take());
  auto stream = server.Take();
  EXPECT_EQ(stream->Method(), kSotw);
  plane.Take(stream, GXDS_ADS_SOTW);
  plane.RespondUntilAcked("EDS");
  Reply reply = call->Wait();  // the call began before all of this
  EXPECT_EQ(reply.name, "a") << reply.status.error_message();
  EXPECT_EQ(log.Count(kLine), 1);
  plane.Set(MeshOf(&b));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  plane.RespondUntilAcked("EDS");

  stream->Finish({grpc::StatusCode::UNAVAILABLE, "restarts"});
  stream = server.Take();
  EXPECT_EQ(stream->Method(), kSotw);  // the server is not asked for the delta method again
  EXPECT_EQ(client.Call().name, "b");
  plane.Take(stream, GXDS_ADS_SOTW);
  plane.RespondUntilAcked("EDS");
  plane.Set(MeshOf(&c));
  ASSERT_TRUE(client.CallUntilAnsweredBy("c"));
  EXPECT_EQ(log.Count(kLine), 1);
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(DeltaUnknown, AServerThatForgotItLosesNothing) {
  Backend a("a"), b("b");
  HostLog log;
  RawServer server;
  Plane plane;
  plane.Set(MeshOf(&a));
  Client client("xds:///greeter.example", Bootstrap(server));
  auto call = client.Start();
  auto stream = server.Take();
  EXPECT_EQ(stream->Method(), kDelta);
  plane.Take(stream, GXDS_ADS_DELTA);
  plane.RespondUntilAcked("EDS");
  EXPECT_EQ(call->Wait().name, "a");
  EXPECT_EQ(log.Count(kLine), 0);

  stream->Finish({grpc::StatusCode::UNAVAILABLE, "an older release takes over"});
  Refuse(server.Take());
  EXPECT_EQ(client.Call().name, "a");  // resources that the client holds stay in use
  stream = server.Take();
  EXPECT_EQ(stream->Method(), kSotw);
  plane.Take(stream, GXDS_ADS_SOTW);
  plane.RespondUntilAcked("EDS");
  EXPECT_EQ(log.Count(kLine), 1);
  EXPECT_EQ(client.Call().name, "a");
  plane.Set(MeshOf(&b));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
}

}  // namespace
}  // namespace gxds_test
