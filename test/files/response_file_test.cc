// Files that are whole DiscoveryResponses, in JSON, YAML and binary.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "files/dir.h"
#include "files/schema.h"
#include "test/files/support.h"
#include "test/support/proto_json.h"

namespace {

const std::string kUrl = "type.googleapis.com/envoy.";
const std::string kClusterUrl = kUrl + "config.cluster.v3.Cluster";
const std::string kEndpointsUrl = kUrl + "config.endpoint.v3.ClusterLoadAssignment";

std::string Cluster(const std::string& name) {
  return R"({"@type":")" + kClusterUrl + R"(","name":")" + name + R"(","type":"EDS"})";
}

std::string Wrapped(const std::string& name, const std::string& resource) {
  return R"({"@type":")" + kUrl + R"(service.discovery.v3.Resource","name":")" + name +
         R"(","version":"7","ttl":"5s","resource":)" + resource + "}";
}

std::string Response(const std::string& type_url, const std::string& resources) {
  return R"({"version_info":"3","typeUrl":")" + type_url +
         R"(","nonce":"n","control_plane":{"identifier":"x"},"resources":[)" + resources + "]}";
}

std::string Binary(const std::string& json) {
  gxds_str bytes = {};
  gxds_text error = {};
  EXPECT_TRUE(gxds_test_proto_from_json("envoy.service.discovery.v3.DiscoveryResponse", View(json),
                                        &bytes, &error))
      << Take(&error);
  std::string s = String(bytes);
  gxds_str_free(&bytes);
  return s;
}

struct SetDeleter {
  void operator()(const gxds_file_set* s) const { gxds_file_set_unref(s); }
};
using Set = std::unique_ptr<const gxds_file_set, SetDeleter>;

class ResponseFile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { schema_ = gxds_schema_create(); }
  static void TearDownTestSuite() { gxds_schema_destroy(schema_); }

  static Set Good(const Files& files) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, files, &errors));
    EXPECT_EQ(Take(&errors), "");
    EXPECT_NE(set, nullptr);
    return set;
  }

  static std::string Bad(const Files& files) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, files, &errors));
    EXPECT_EQ(set, nullptr);
    return Take(&errors);
  }

  static gxds_schema* schema_;
};

gxds_schema* ResponseFile::schema_;

TEST_F(ResponseFile, JsonYamlAndBinaryGiveTheSameResources) {
  const std::string json = Response(kClusterUrl, Cluster("a") + "," + Wrapped("b", Cluster("b")) +
                                                     "," + Wrapped("", Cluster("c")));
  Set plain =
      Good({{"f.json", "[" + Cluster("a") + "," + Cluster("b") + "," + Cluster("c") + "]"}});
  EXPECT_EQ(plain->types[GXDS_FILE_CLUSTER].count, 3u);
  EXPECT_TRUE(gxds_file_set_equal(plain.get(), Good({{"f.json", json}}).get()));
  EXPECT_TRUE(gxds_file_set_equal(plain.get(), Good({{"f.yaml", json}}).get()));
  EXPECT_TRUE(gxds_file_set_equal(plain.get(), Good({{"f.pb", Binary(json)}}).get()));
  EXPECT_TRUE(gxds_file_set_equal(plain.get(), Good({{"f.binpb", Binary(json)}}).get()));
}

std::string Aliased(const std::string& name, const std::string& aliases) {
  return R"({"@type":")" + kUrl + R"(service.discovery.v3.Resource","aliases":)" + aliases +
         R"(,"resource":)" + Cluster(name) + "}";
}

TEST_F(ResponseFile, AWrapperGivesItsResourceAliases) {
  const std::string json = Response(kClusterUrl, Cluster("b") + "," + Aliased("a", R"(["y","x"])"));
  for (const Files& files :
       {Files{{"f.json", json}}, Files{{"f.yaml", json}}, Files{{"f.pb", Binary(json)}}}) {
    Set set = Good(files);
    const gxds_file_entry* a = gxds_file_set_find(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("a"));
    for (const char* name : {"a", "x", "y"}) {
      EXPECT_EQ(gxds_file_set_find_by_any_name(set.get(), GXDS_FILE_CLUSTER, gxds_str_z(name)), a);
    }
    EXPECT_EQ(gxds_file_set_find(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("x")), nullptr);
    EXPECT_EQ(gxds_file_set_find_by_any_name(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("z")),
              nullptr);
    EXPECT_EQ(gxds_file_set_find_by_any_name(set.get(), GXDS_FILE_ENDPOINTS, gxds_str_z("x")),
              nullptr);
    Set changed(gxds_file_set_replace(set.get(), a, gxds_str_z("")));
    a = gxds_file_set_find(changed.get(), GXDS_FILE_CLUSTER, gxds_str_z("a"));
    EXPECT_EQ(gxds_file_set_find_by_any_name(changed.get(), GXDS_FILE_CLUSTER, gxds_str_z("y")), a);
  }
}

TEST_F(ResponseFile, ResourcesWithOtherAliasesAreOthers) {
  Set set = Good({{"f.json", Aliased("a", R"(["x"])")}});
  for (const char* aliases : {"[]", R"(["y"])", R"(["x","y"])"}) {
    EXPECT_FALSE(gxds_file_set_equal(set.get(), Good({{"f.json", Aliased("a", aliases)}}).get()));
  }
  gxds_file_errors errors = {};
  Set again(Build(schema_, {{"f.json", Aliased("a", R"(["x"])")}}, &errors, set.get()));
  EXPECT_EQ(again->types[GXDS_FILE_CLUSTER].entries[0].resource,
            set->types[GXDS_FILE_CLUSTER].entries[0].resource);
  Set other(Build(schema_, {{"f.json", Aliased("a", R"(["y"])")}}, &errors, set.get()));
  EXPECT_NE(other->types[GXDS_FILE_CLUSTER].entries[0].resource->version,
            set->types[GXDS_FILE_CLUSTER].entries[0].resource->version);
}

TEST_F(ResponseFile, AnAliasIsANameOfOneResource) {
  EXPECT_EQ(Bad({{"f.json", Cluster("x")}, {"g.json", "\n" + Aliased("a", R"(["x"])")}}),
            "g.json:2: field aliases: \"x\" stands for the Cluster \"x\" too\n");
  EXPECT_EQ(
      Bad({{"f.json", "[" + Aliased("a", R"(["x"])") + ",\n" + Aliased("b", R"(["x"])") + "]"}}),
      "f.json:2: field aliases: \"x\" stands for the Cluster \"a\" too\n");
  for (const bool binary : {false, true}) {
    std::string json = Response(kClusterUrl, Aliased("a", R"(["x","","*"])"));
    EXPECT_EQ(Bad({binary ? Files{{"f.pb", Binary(json)}} : Files{{"f.json", json}}}),
              binary ? "f.pb: field resources[0].aliases[1]: \"\" is no name\n"
                       "f.pb: field resources[0].aliases[2]: \"*\" is no name\n"
                     : "f.json:1: field aliases[1]: \"\" is no name\n"
                       "f.json:1: field aliases[2]: \"*\" is no name\n");
    std::string many = "\"0\"";
    for (int i = 1; i < 1000; i++) many += ",\"" + std::to_string(i) + "\"";
    json = Response(kClusterUrl, Aliased("a", "[" + many + "]"));
    EXPECT_EQ(Bad({binary ? Files{{"f.pb", Binary(json)}} : Files{{"f.json", json}}}),
              binary ? "f.pb: field resources[0].aliases: more than 100\n"
                     : "f.json:1: field aliases: more than 100\n");
  }
}

TEST_F(ResponseFile, AnAliasMayBeTheNameItself) {
  Set set = Good({{"f.json", Aliased("a", R"(["a","x"])")}});
  const gxds_file_entry* a = gxds_file_set_find(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("a"));
  EXPECT_EQ(gxds_file_set_find_by_any_name(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("a")), a);
  EXPECT_EQ(gxds_file_set_find_by_any_name(set.get(), GXDS_FILE_CLUSTER, gxds_str_z("x")), a);
}

TEST_F(ResponseFile, AnAliasIsUtf8) {  // otherwise clients refuse the whole response
  std::string bytes = Binary(Response(kClusterUrl, Aliased("a", R"(["x","y"])")));
  const size_t y = bytes.find("\x22\x01y");  // the field, its size, and the alias
  ASSERT_NE(y, std::string::npos);
  bytes[y + 2] = '\xff';
  EXPECT_EQ(Bad({{"f.pb", bytes}}), "f.pb: field resources[0].aliases[1]: is no UTF-8\n");
}

TEST_F(ResponseFile, ATypeUrlIsNotNeededAndOneWithoutResourcesIsNone) {
  EXPECT_EQ(Good({{"f.pb", Binary("{\"resources\":[" + Cluster("a") + "]}")}})
                ->types[GXDS_FILE_CLUSTER]
                .count,
            1u);
  EXPECT_EQ(
      Good({{"f.json", Response(kClusterUrl, "")}, {"f.pb", Binary(Response(kClusterUrl, ""))}})
          ->types[GXDS_FILE_CLUSTER]
          .count,
      0u);
}

TEST_F(ResponseFile, ErrorsNameTheirField) {
  EXPECT_EQ(Bad({{"f.json", Response(kEndpointsUrl, "\n" + Cluster("a"))}}),
            "f.json:2: field resources[0].@type: is not the \"type_url\" of the response: " +
                kEndpointsUrl + "\n");
  EXPECT_EQ(Bad({{"f.json", "{\"resources\":[],\n\"nonce\":3}"}}),
            "f.json:2: field nonce: expected a string (put it in quotes), found the number 3\n");
  EXPECT_EQ(Bad({{"f.json", "[\n" + Wrapped("b", Cluster("a")) + "]"}}),
            "f.json:2: field name: \"b\" is not the name of the Cluster in it: \"a\"\n");
  EXPECT_EQ(Bad({{"f.yaml", "'@type': " + kUrl + "service.discovery.v3.Resource\nname: x\n"}}),
            "f.yaml:1: field resource: must be set\n");
  EXPECT_EQ(Bad({{"f.yaml",
                  "'@type': " + kUrl + "service.discovery.v3.Resource\nname: x\nresource: 1\n"}}),
            "f.yaml:3: field resource: expected a resource (an object with \"@type\"), found the "
            "number 1\n");
}

TEST_F(ResponseFile, ErrorsOfABinaryOneNameTheirField) {
  const struct {
    std::string bytes;
    std::string error;
  } cases[] = {
      {"hello", "f.pb: is no DiscoveryResponse in binary: cut off, damaged, or something else\n"},
      {"", "f.pb: holds no resource, and no \"type_url\" that it is of\n"},
      {Binary(Response(kEndpointsUrl, Cluster("a"))),
       "f.pb: field resources[0].type_url: is not the \"type_url\" of the response: " +
           kEndpointsUrl + "\n"},
      {Binary("{\"resources\":[" + Cluster("a") + "," + Cluster("") + "]}"),
       "f.pb: field resources[1].name: must be set: the name of the resource\n"},
      {Binary("{\"resources\":[" + Wrapped("b", Cluster("a")) + "]}"),
       "f.pb: field resources[0].name: \"b\" is not the name of the Cluster in it: \"a\"\n"},
      {Binary("{\"resources\":[{\"@type\":\"type.googleapis.com/google.protobuf.Duration\","
              "\"value\":\"1s\"}]}"),
       "f.pb: field resources[0].type_url: expected the type URL of a Listener, "
       "RouteConfiguration, Cluster or ClusterLoadAssignment, found the string "
       "\"type.googleapis.com/google.protobuf.Duration\"\n"},
      {"\x12\x01\x0a", "f.pb: field resources[0]: is no message: cut off, or damaged\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(Bad({{"f.pb", c.bytes}}), c.error);
  // A name that is not UTF-8, and one that is cut off.
  for (std::string value : {std::string("\x0a\x01\xff"), std::string("\x0a\x05x")}) {
    std::string any = "\x0a" + std::string(1, static_cast<char>(kClusterUrl.size())) + kClusterUrl +
                      "\x12" + std::string(1, static_cast<char>(value.size())) + value;
    std::string bytes = "\x12" + std::string(1, static_cast<char>(any.size())) + any;
    EXPECT_EQ(Bad({{"f.pb", bytes}}),
              "f.pb: field resources[0].value: is no Cluster: cut off, or damaged\n");
  }
}

TEST_F(ResponseFile, NoTwoFilesHoldTheSameResource) {
  EXPECT_EQ(Bad({{"a.pb", Binary(Response(kClusterUrl, Cluster("x")))}, {"b.json", Cluster("x")}}),
            "b.json:1: field name: a Cluster named \"x\" is in a.pb too\n");
  EXPECT_EQ(Bad({{"b.pb", Binary(Response(kClusterUrl, Cluster("x")))}, {"a.json", Cluster("x")}}),
            "b.pb: field name: a Cluster named \"x\" is in a.json:1 too\n");
}

TEST_F(ResponseFile, ABinaryOneIsKnownByTheNameOfItsFile) {
  EXPECT_TRUE(gxds_dir_is_resource_file(gxds_str_z("f.pb")));
  EXPECT_TRUE(gxds_dir_is_resource_file(gxds_str_z("f.binpb")));
  EXPECT_FALSE(gxds_dir_is_resource_file(gxds_str_z(".f.pb")));
  EXPECT_FALSE(gxds_dir_is_resource_file(gxds_str_z("f.pb.tmp")));
}

}  // namespace
