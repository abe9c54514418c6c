// Sends the malformed resources of test/resources to a real channel, one after the other. Each is
// NACKed with all its errors, and RPCs go on with the last good configuration.
#include "envoy/service/discovery/v3/discovery.upb.h"
#include "google/rpc/status.upb.h"
#include "test/e2e/e2e.h"
#include "test/resources/decoding.h"
#include "test/transport/raw_server.h"
#include "upb/upb.hpp"

namespace grpc_xds_test {
namespace {

struct Request {
  std::string type;
  std::string version;
  std::string nonce;
  std::string error;
};

std::string ToString(upb_StringView s) { return std::string(s.data, s.size); }

Request Parse(const std::string& bytes) {
  upb::Arena arena;
  const auto* r =
      envoy_service_discovery_v3_DiscoveryRequest_parse(bytes.data(), bytes.size(), arena.ptr());
  if (r == nullptr) return {};
  Request request{ToString(envoy_service_discovery_v3_DiscoveryRequest_type_url(r)),
                  ToString(envoy_service_discovery_v3_DiscoveryRequest_version_info(r)),
                  ToString(envoy_service_discovery_v3_DiscoveryRequest_response_nonce(r)), ""};
  const auto* error = envoy_service_discovery_v3_DiscoveryRequest_error_detail(r);
  if (error != nullptr) request.error = ToString(google_rpc_Status_message(error));
  return request;
}

std::string Response(const std::string& type, const std::string& version, const std::string& nonce,
                     const std::string& resource) {
  return Field(1, version) + Field(2, Field(1, type) + Field(2, resource)) + Field(4, type) +
         Field(5, nonce);
}

// One channel to one backend. All resources are named "foo", like the malformed ones.
class World {
 public:
  World() : client_("xds:///foo", Bootstrap()) {
    auto call = client_.Start();
    stream_ = server_.Take();
    for (int answered = 0; answered < 4;) {
      Request request = Next();
      if (request.nonce.empty()) {
        ++answered;
        stream_->Send(Response(request.type, "good", "nonce-0", Good(request.type)));
      }
    }
    EXPECT_EQ(call->Wait().name, "b");
  }

  void ExpectRefused(const gxds_resource_type& type, const Malformed& malformed) {
    const std::string nonce = "nonce-" + std::to_string(++sent_);
    stream_->Send(Response(type.type_url, "bad", nonce, malformed.bytes));
    Request request;
    do {
      request = Next();
      ASSERT_NE(request.type, "") << "the stream ended";
    } while (request.nonce != nonce);
    EXPECT_EQ(request.type, type.type_url);
    EXPECT_EQ(request.version, "good");
    const bool unparsable = malformed.expected.rfind("Can't parse ", 0) == 0;
    EXPECT_EQ(request.error, std::string("xDS response validation errors: [resource index 0: ") +
                                 (unparsable ? "" : "foo: ") +
                                 "INVALID_ARGUMENT: " + malformed.expected + "]");
    gxds_test::Reply reply = client_.Call();
    EXPECT_EQ(reply.name, "b") << reply.status.error_message();
  }

 private:
  std::string Bootstrap() const {
    return Json("{'xds_servers':[{'server_uri':'" + server_.uri() +
                "','channel_creds':[{'type':'insecure'}]}],'node':{'id':'n'}}");
  }

  Request Next() {
    auto bytes = stream_->Take();
    return bytes.has_value() ? Parse(*bytes) : Request();
  }

  std::string Good(const std::string& type) const {
    if (type == gxds_listener_type.type_url) {
      return Resource(
          gxds_listener_type,
          "{'name':'foo','api_listener':{'api_listener':{'@type':'type.googleapis.com/"
          "envoy.extensions."
          "filters.network.http_connection_manager.v3.HttpConnectionManager','rds':{"
          "'route_config_name':'foo','config_source':{'ads':{}}},'http_filters':[{'name':'router',"
          "'typed_config':{'@type':'type.googleapis.com/envoy.extensions.filters.http.router.v3."
          "Router'}}]}}}");
    }
    if (type == gxds_route_config_type.type_url) {
      return Resource(gxds_route_config_type,
                      "{'name':'foo','virtual_hosts':[{'domains':['*'],'routes':[{'match':{"
                      "'prefix':''},'route':{'cluster':'foo'}}]}]}");
    }
    if (type == gxds_cluster_type.type_url) {
      return Resource(gxds_cluster_type,
                      "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}}");
    }
    return Resource(gxds_endpoints_type,
                    "{'cluster_name':'foo','endpoints':[{'locality':{'zone':'z'},"
                    "'load_balancing_weight':1,'lb_endpoints':[{'endpoint':{'address':{"
                    "'socket_address':{'address':'127.0.0.1','port_value':" +
                        std::to_string(backend_.port()) + "}}}}]}]}");
  }

  gxds_test::Backend backend_{"b"};
  grpc_xds::RawServer server_;
  gxds_test::Client client_;
  std::shared_ptr<grpc_xds::RawStream> stream_;
  int sent_ = 0;
};

// One for all tests, destroyed before gRPC is shut down.
std::unique_ptr<World>& TheWorld() {
  static std::unique_ptr<World> world;
  return world;
}

class EndWorld : public testing::Environment {
  void TearDown() override { TheWorld().reset(); }
};
const auto* const g_end_world = testing::AddGlobalTestEnvironment(new EndWorld);

}  // namespace

void ExpectRefused(const gxds_resource_type& type, const Malformed& malformed) {
  auto& world = TheWorld();
  if (world == nullptr) world = std::make_unique<World>();
  world->ExpectRefused(type, malformed);
}

}  // namespace grpc_xds_test
