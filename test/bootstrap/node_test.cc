// The Node message of a bootstrap, decoded again.
#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/upb.h"
#include "bootstrap/bootstrap.h"
#include "envoy/config/core/v3/base.upb.h"
#include "google/protobuf/struct.upb.h"
#include "grpc_xds/grpc_xds.h"
#include "test/bootstrap/fake_host.h"

namespace grpc_xds_test {
namespace {

std::string ToString(upb_StringView v) { return std::string(v.data, v.size); }

// {a:1,b:[..]} as text, map entries sorted by upb's deterministic encoder, read in wire order.
std::string Render(const google_protobuf_Struct* s);

std::string Render(const google_protobuf_Value* v) {
  switch (google_protobuf_Value_kind_case(v)) {
    case google_protobuf_Value_kind_null_value:
      return "null";
    case google_protobuf_Value_kind_number_value:
      return std::to_string(google_protobuf_Value_number_value(v));
    case google_protobuf_Value_kind_string_value:
      return "'" + ToString(google_protobuf_Value_string_value(v)) + "'";
    case google_protobuf_Value_kind_bool_value:
      return google_protobuf_Value_bool_value(v) ? "true" : "false";
    case google_protobuf_Value_kind_struct_value:
      return Render(google_protobuf_Value_struct_value(v));
    case google_protobuf_Value_kind_list_value: {
      size_t size = 0;
      auto* values = google_protobuf_ListValue_values(google_protobuf_Value_list_value(v), &size);
      std::string out = "[";
      for (size_t i = 0; i < size; i++) out += (i ? "," : "") + Render(values[i]);
      return out + "]";
    }
    default:
      return "unset";
  }
}

std::string Render(const google_protobuf_Struct* s) {
  std::vector<std::string> parts;
  size_t iter = kUpb_Map_Begin;
  upb_StringView name;
  const google_protobuf_Value* value;
  while (GXDS_MAP_NEXT(google_protobuf_Struct, fields, FieldsEntry, s, &iter, &name, &value)) {
    parts.push_back(ToString(name) + ":" + Render(value));
  }
  std::sort(parts.begin(), parts.end());
  std::string out = "{";
  for (size_t i = 0; i < parts.size(); i++) out += (i ? "," : "") + parts[i];
  return out + "}";
}

// A bootstrap with that node (JSON text), and its Node message.
class Node {
 public:
  explicit Node(const std::string& json) : arena_(upb_Arena_New()) {
    std::string text =
        R"({"xds_servers": [{"server_uri": "a", "channel_creds": [{"type": "insecure"}]}])" +
        (json.empty() ? "" : ", \"node\": " + json) + "}";
    gxds_status status = gxds_bootstrap_parse(ToGxds(text), FakeHost(), &bootstrap_, nullptr);
    error_ = grpc_xds_test::ToString(status.message);
    gxds_status_fini(&status);
    if (bootstrap_ == nullptr) return;
    node_ = envoy_config_core_v3_Node_parse(bootstrap_->node.data, bootstrap_->node.size, arena_);
    EXPECT_NE(node_, nullptr);
  }
  ~Node() {
    gxds_bootstrap_unref(bootstrap_);
    upb_Arena_Free(arena_);
  }

  const envoy_config_core_v3_Node* get() const { return node_; }
  const gxds_bootstrap* bootstrap() const { return bootstrap_; }
  const std::string& error() const { return error_; }
  std::string Metadata() const {
    auto* metadata = envoy_config_core_v3_Node_metadata(node_);
    return metadata ? Render(metadata) : "";
  }

 private:
  upb_Arena* arena_;
  const gxds_bootstrap* bootstrap_ = nullptr;
  envoy_config_core_v3_Node* node_ = nullptr;
  std::string error_;
};

void ExpectOurs(const Node& node) {
  EXPECT_EQ(ToString(envoy_config_core_v3_Node_user_agent_name(node.get())),
            "gRPC C-core linux grpc-xds");
  EXPECT_EQ(ToString(envoy_config_core_v3_Node_user_agent_version(node.get())),
            std::string("C-core ") + grpc_version_string() + " grpc-xds " + GRPC_XDS_VERSION);
  size_t count = 0;
  const upb_StringView* features = envoy_config_core_v3_Node_client_features(node.get(), &count);
  ASSERT_EQ(count, 2u);  // A27 and A30
  EXPECT_EQ(ToString(features[0]), "envoy.lb.does_not_support_overprovisioning");
  EXPECT_EQ(ToString(features[1]), "xds.config.resource-in-sotw");
}

TEST(Node, OursIsFilledInEvenWithoutANode) {  // A27.7, A27.14
  for (const char* json : {"", "null", "{}"}) {
    Node node(json);
    ExpectOurs(node);
    EXPECT_EQ(ToString(envoy_config_core_v3_Node_id(node.get())), "");
    EXPECT_EQ(envoy_config_core_v3_Node_locality(node.get()), nullptr);
    EXPECT_EQ(envoy_config_core_v3_Node_metadata(node.get()), nullptr);
  }
}

std::string WithoutId(const std::string& json) {
  Node node(json);
  return grpc_xds_test::ToString(node.bootstrap()->node_without_id);
}

TEST(Node, WithoutItsIdIsOnlyWhatTheBootstrapSays) {
  EXPECT_EQ(WithoutId(""), "");  // without the client's name and version, which change
  EXPECT_EQ(WithoutId(R"({"id": "one"})"), "");
  const std::string node = R"("cluster": "c", "locality": {"zone": "z"}, "metadata": )";
  const std::string described = WithoutId(R"({"id": "one", )" + node + R"({"a": 1, "b": 2}})");
  EXPECT_NE(described, "");
  EXPECT_EQ(WithoutId(R"({"id": "two", )" + node + R"({"b": 2, "a": 1}})"), described);
  EXPECT_NE(WithoutId(R"({"id": "one", )" + node + R"({"a": 1, "b": 3}})"), described);
}

// A google.protobuf.Struct has doubles, so every number of JSON is allowed.
TEST(Node, MetadataMayHaveIntegersOfMoreThan64Bits) {
  Node node(R"({"metadata": {"big": 100000000000000000000, "negative": -1e20, "small": 1}})");
  ASSERT_EQ(node.error(), "");
  EXPECT_EQ(node.Metadata(),
            "{big:100000000000000000000.000000,negative:-100000000000000000000.000000,"
            "small:1.000000}");
}

TEST(Node, CarriesWhatTheBootstrapSays) {  // A27.6, A27.7
  Node node(R"({"id": "foo", "cluster": "bar",
      "locality": {"region": "milky_way", "zone": "sol_system", "sub_zone": "earth"},
      "user_agent_name": "mallory", "client_features": ["none"]})");
  ExpectOurs(node);
  EXPECT_EQ(grpc_xds_test::ToString(node.bootstrap()->node_id), "foo");
  EXPECT_EQ(ToString(envoy_config_core_v3_Node_id(node.get())), "foo");
  EXPECT_EQ(ToString(envoy_config_core_v3_Node_cluster(node.get())), "bar");
  const auto* locality = envoy_config_core_v3_Node_locality(node.get());
  ASSERT_NE(locality, nullptr);
  EXPECT_EQ(ToString(envoy_config_core_v3_Locality_region(locality)), "milky_way");
  EXPECT_EQ(ToString(envoy_config_core_v3_Locality_zone(locality)), "sol_system");
  EXPECT_EQ(ToString(envoy_config_core_v3_Locality_sub_zone(locality)), "earth");
}

TEST(Node, SubZoneHasTwoNamesInProto3Json) {
  Node node(R"({"locality": {"subZone": "earth"}})");
  const auto* locality = envoy_config_core_v3_Node_locality(node.get());
  ASSERT_NE(locality, nullptr);
  EXPECT_EQ(ToString(envoy_config_core_v3_Locality_sub_zone(locality)), "earth");
}

TEST(Node, AnEmptyLocalityIsNotSent) {
  Node node(R"({"locality": {"region": "", "zone": ""}})");
  EXPECT_EQ(envoy_config_core_v3_Node_locality(node.get()), nullptr);
}

TEST(Node, MetadataIsAStruct) {
  Node node(R"({"metadata": {"n": null, "t": true, "f": false, "i": 7, "r": 0.5, "s": "x",
      "o": {"a": {}, "b": 1}, "l": [1, [], {"c": "d"}]}})");
  EXPECT_EQ(node.Metadata(),
            "{f:false,i:7.000000,l:[1.000000,[],{c:'d'}],n:null,o:{a:{},b:1.000000},"
            "r:0.500000,s:'x',t:true}");
}

TEST(Node, SameBootstrapGivesSameBytes) {
  Node a(R"({"metadata": {"a": 1, "b": 2, "c": 3, "d": 4}})");
  Node b(R"({"metadata": {"d": 4, "c": 3, "b": 2, "a": 1}})");
  EXPECT_EQ(grpc_xds_test::ToString(a.bootstrap()->node),
            grpc_xds_test::ToString(b.bootstrap()->node));
}

std::string Nested(int levels, const std::string& open, const std::string& close) {
  std::string out = "1";
  for (int i = 0; i < levels; i++) out = open + out + close;
  return out;
}

// The deepest allowed metadata still fits into the limits of encoders and decoders of a request
// that contains it.
TEST(Node, MetadataDepthIsBounded) {
  EXPECT_EQ(Node("{\"metadata\": " + Nested(16, "{\"a\":", "}") + "}").error(), "");
  EXPECT_EQ(Node("{\"metadata\": {\"a\":" + Nested(15, "[", "]") + "}}").error(), "");
  const char* error =
      "errors validating JSON: [field:node.metadata error:is nested more than 16 levels deep] "
      "(node.metadata line 1)";
  EXPECT_EQ(Node("{\"metadata\": " + Nested(17, "{\"a\":", "}") + "}").error(), error);
  EXPECT_EQ(Node("{\"metadata\": {\"a\":" + Nested(16, "[", "]") + "}}").error(), error);
}

}  // namespace
}  // namespace grpc_xds_test
