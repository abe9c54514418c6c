// Files in protobuf's text form: https://protobuf.dev/reference/protobuf/textformat-spec/
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "files/convert.h"
#include "files/dir.h"
#include "files/prototext_reader.h"
#include "files/schema.h"
#include "test/files/support.h"

namespace {

const std::string kUrl = "type.googleapis.com/envoy.";
const std::string kClusterUrl = kUrl + "config.cluster.v3.Cluster";

struct SetDeleter {
  void operator()(const gxds_file_set* s) const { gxds_file_set_unref(s); }
};
using Set = std::unique_ptr<const gxds_file_set, SetDeleter>;

class Prototext : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { schema_ = gxds_schema_create(); }
  static void TearDownTestSuite() { gxds_schema_destroy(schema_); }

  static Set Good(const std::string& name, const std::string& text) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, {{name, text}}, &errors));
    EXPECT_EQ(Take(&errors), "") << text;
    EXPECT_NE(set, nullptr);
    return set;
  }

  static std::string Bad(const std::string& text) {
    gxds_file_errors errors = {};
    Set set(Build(schema_, {{"f.textproto", text}}, &errors));
    EXPECT_EQ(set, nullptr) << text;
    return Take(&errors);
  }

  static gxds_schema* schema_;
};

gxds_schema* Prototext::schema_;

// A cluster on a line of its own, the second line.
std::string Cluster(const std::string& fields) {
  return "[" + kClusterUrl + "] {\n" + fields + "\n}";
}

struct Same {
  std::string text;  // fields of a Cluster
  std::string json;
};

TEST_F(Prototext, FieldsAreThoseOfTheJsonForm) {
  const Same cases[] = {
      {"name: \"c\"", R"("name":"c")"},
      {"# said\nname: 'c' # again", R"("name":"c")"},
      {"name: 'c', type: EDS; lb_policy: 1", R"("name":"c","type":"EDS","lbPolicy":1)"},
      {"name: 'a' \"b\"\n'c'", R"("name":"abc")"},
      {"name: "
       "'\\a\\b\\f\\n\\r\\t\\v\\?\\\\\\'\\\"\\101\\x4a\\xe\\u00e9\\U0001f600\\ud83d\\ude00\\7'",
       R"("name":"\u0007\b\f\n\r\t\u000b?\\'\"AJ\u000e\u00e9\ud83d\ude00\ud83d\ude00\u0007")"},
      {"name: \"c\" eds_cluster_config { eds_config { ads {} } service_name: 's' }",
       R"("name":"c","edsClusterConfig":{"edsConfig":{"ads":{}},"serviceName":"s"})"},
      {"name: \"c\" eds_cluster_config: < eds_config < ads: {} >, >",
       R"("name":"c","edsClusterConfig":{"edsConfig":{"ads":{}}})"},
      {"name: \"c\" connect_timeout { seconds: 0x10 nanos: 017 }",
       R"("name":"c","connectTimeout":"16.000000015s")"},
      {"name: \"c\" connect_timeout { seconds: -2 nanos: - 5 }",
       R"("name":"c","connectTimeout":"-2.000000005s")"},
      {"name: \"c\" circuit_breakers { thresholds { max_requests { value: 4294967295 } } "
       "thresholds { priority: HIGH track_remaining: True } }",
       R"("name":"c","circuitBreakers":{"thresholds":[{"maxRequests":4294967295},
          {"priority":"HIGH","trackRemaining":true}]})"},
      {"name: \"c\" circuit_breakers { thresholds: [{ max_requests { value: 1 } }, <>] "
       "thresholds: [] }",
       R"("name":"c","circuitBreakers":{"thresholds":[{"maxRequests":1},{}]})"},
      {"name: 'c' filters { name: 'f' typed_config { "
       "[type.googleapis.com/google.protobuf.Struct] { fields < value: { list_value { values [{ "
       "number_value: -1.5e3f }, { bool_value: t }, { number_value: .5 }] } }, key: 'a' > } } }",
       R"("name":"c","filters":[{"name":"f","typedConfig":{
          "@type":"type.googleapis.com/google.protobuf.Struct","value":{
          "a":[-1500,true,0.5]}}}])"},
      {"name: 'c' metadata { filter_metadata { key: 'x' value {} } filter_metadata { key: 'y' } }",
       R"("name":"c","metadata":{"filterMetadata":{"x":{},"y":{}}})"},
      {"name: 'c' round_robin_lb_config { slow_start_config { aggression { default_value: 1e3 } "
       "min_weight_percent { value: inf } } }",
       R"("name":"c","roundRobinLbConfig":{"slowStartConfig":{"aggression":{"defaultValue":1000},
          "minWeightPercent":{"value":"Infinity"}}})"},
      {"name: 'c' round_robin_lb_config { slow_start_config { min_weight_percent { value: NaN } } "
       "}",
       R"("name":"c","roundRobinLbConfig":{"slowStartConfig":{"minWeightPercent":{"value":"NaN"}}})"},
      {"name: 'c' ring_hash_lb_config { minimum_ring_size { value: 18446744073709551615 } }",
       R"("name":"c","ringHashLbConfig":{"minimumRingSize":"18446744073709551615"})"},
  };
  for (const Same& c : cases) {
    Set expected = Good("f.json", R"({"@type":")" + kClusterUrl + "\"," + c.json + "}");
    Set set = Good("f.textproto", Cluster(c.text));
    ASSERT_TRUE(set && expected);
    EXPECT_TRUE(gxds_file_set_equal(set.get(), expected.get())) << c.text;
  }
}

TEST_F(Prototext, AResponseIsThatOfJson) {
  Set expected =
      Good("f.json", R"({"resources":[{"@type":")" + kClusterUrl + R"(","name":"a"},{"@type":")" +
                         kClusterUrl + R"(","name":"b"},{"@type":")" + kClusterUrl +
                         R"(","name":"c"}]})");
  const std::string url = "[" + kClusterUrl + "]";
  const std::string wrapper = "[" + kUrl + "service.discovery.v3.Resource]";
  Set set = Good("f.pbtxt", "\xef\xbb\xbfversion_info: '3' canary: 0 type_url: '" + kClusterUrl +
                                "' control_plane { identifier: 'x' }\n"
                                "resources { " +
                                url +
                                " { name: 'a' } }\n"
                                "resources: [{ " +
                                wrapper + ": { name: 'b' resource { " + url +
                                " { name: 'b' } } } },\n"
                                "{ type_url: '" +
                                kClusterUrl + "' value: '\\n\\001c' }]");
  ASSERT_TRUE(set && expected);
  EXPECT_TRUE(gxds_file_set_equal(set.get(), expected.get()));
  const gxds_file_list& clusters = set->types[GXDS_FILE_CLUSTER];
  EXPECT_EQ(clusters.entries[0].line, 2u);
  EXPECT_EQ(clusters.entries[1].line, 3u);
  EXPECT_EQ(clusters.entries[2].line, 4u);
}

TEST_F(Prototext, ErrorsOfAFieldHaveLineColumnAndPath) {
  const struct {
    std::string fields;
    std::string error;
  } cases[] = {
      {"name: 'c' lbpolicy: 1",
       ".lbpolicy: at column 11: no such field in "
       "envoy.config.cluster.v3.Cluster"},
      {std::string(61, 'x') + ": 1",
       "." + std::string(60, 'x') +
           ": at column 1: no such field in envoy.config.cluster.v3.Cluster"},
      {"name: 1", ".name: at column 7: expected a string of UTF-8 in quotes, found the number 1"},
      {"name: '\\xff'",
       ".name: at column 7: expected a string of UTF-8 in quotes, found the "
       "string \"\xff\""},
      {"name: 'c' name: 'd'", ".name: at column 11: given twice"},
      {"name: 'c' type: EDSS",
       ".type: at column 17: expected a value of envoy.config.cluster.v3.Cluster.DiscoveryType "
       "(STATIC, STRICT_DNS, LOGICAL_DNS, EDS, ORIGINAL_DST), found EDSS"},
      {"name: 'c' type: EDS cluster_type {}",
       ".cluster_type: at column 21: only one of a oneof may be given: type is too"},
      {"name: 'c' connect_timeout { seconds: 1.5 nanos: 2147483648 }",
       ".connect_timeout.seconds: at column 38: expected an integer of 64 bits, found the "
       "number 1.5\nf.textproto:2: field resources[0].connect_timeout.nanos: at column 49: "
       "expected an integer "
       "of 32 bits, found the number 2147483648"},
      {"name: 'c' connect_timeout { seconds: 9223372036854775808 }",
       ".connect_timeout.seconds: at column 38: expected an integer of 64 bits, found the "
       "number 9223372036854775808"},
      {"name: 'c' connect_timeout { seconds: 08 }",
       ".connect_timeout.seconds: at column 38: expected an integer of 64 bits, found the "
       "number 08"},
      {"name: 'c' connect_timeout { seconds: 0x }",
       ".connect_timeout.seconds: at column 38: expected an integer of 64 bits, found the number "
       "0x"},
      {"name: 'c' connect_timeout: 3",
       ".connect_timeout: at column 28: expected a message in { }, found the number 3"},
      {"name { a: [1, {}] b <> }", ".name: at column 6: expected no message, found one"},
      {"name: ['c']", ".name: at column 7: expected one value, found a list"},
      {"name: 'c' circuit_breakers { thresholds { } thresholds { max_requests { value: -1 } } }",
       ".circuit_breakers.thresholds[1].max_requests.value: at column 80: expected an integer "
       "from 0 to 4294967295, found the number -1"},
      {"name: 'c' circuit_breakers { thresholds { track_remaining: yes } }",
       ".circuit_breakers.thresholds[0].track_remaining: at column 60: expected true or false, "
       "found yes"},
      {"name: 'c' round_robin_lb_config { slow_start_config { aggression { default_value: 0x1 } } "
       "}",
       ".round_robin_lb_config.slow_start_config.aggression.default_value: at column 83: "
       "expected a number, found the number 0x1"},
      {"name: 'c' circuit_breakers { thresholds { track_remaining: 2 } }",
       ".circuit_breakers.thresholds[0].track_remaining: at column 60: expected true or false, "
       "found the number 2"},
      {"name: 'c' round_robin_lb_config { slow_start_config { aggression { default_value: 010 } } "
       "}",
       ".round_robin_lb_config.slow_start_config.aggression.default_value: at column 83: expected "
       "a "
       "number, found the number 010"},
      {"name: 'c' metadata { filter_metadata { key: 1 } filter_metadata { key: 2 } }",
       ".metadata.filter_metadata[0].key: at column 45: expected a string of UTF-8 in quotes, "
       "found "
       "the number 1\n"
       "f.textproto:2: field resources[0].metadata.filter_metadata[0].key: at column 72: expected "
       "a "
       "string of UTF-8 in quotes, found the number 2"},
      {"name: 'c' metadata { filter_metadata { key: 'x' } filter_metadata { key: 'x' } }",
       ".metadata.filter_metadata[1]: at column 67: another entry has this key"},
      {"name: 'c' filters { typed_config { [a.b/no.Such] { x: 1 } } }",
       ".filters[0].typed_config: at column 37: no such type is known: a.b/no.Such"},
      {"name: 'c' filters { typed_config { type_url: '' [a/google.protobuf.Empty] {} } }",
       ".filters[0].typed_config.type_url: at column 49: given twice"},
      {"name: 'c' [a.extension]: 1",
       ": at column 11: a type in brackets stands only in an Any, and this is a "
       "envoy.config.cluster.v3.Cluster"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Bad(Cluster(c.fields)), "f.textproto:2: field resources[0]" + c.error + "\n");
  }
}

TEST_F(Prototext, ASyntaxErrorHasLineAndColumn) {
  const struct {
    std::string text;
    std::string error;
  } cases[] = {
      {"nonce", "1: syntax error at column 6: expected ':', found the end of the file"},
      {"nonce 'a'", "1: syntax error at column 7: expected ':', found the string \"a\""},
      {"nonce:", "1: syntax error at column 7: expected a value, found the end of the file"},
      {"nonce: -'a'", "1: syntax error at column 9: expected a number, found the string \"a\""},
      {"nonce: 'a",
       "1: syntax error at column 10: expected the end of the string, found the end of the file"},
      {"nonce: 'a\nb'",
       "1: syntax error at column 10: expected the end of the string, found '\\x0a'"},
      {"nonce: '\\q'",
       "1: syntax error at column 10: expected one of abfnrtv?\\x5c'\"xuU or an octal digit after "
       "a backslash, found 'q'"},
      {"nonce: '\\400'", "1: syntax error at column 10: expected at most \\x5c377, found '4'"},
      {"nonce: '\\xg'", "1: syntax error at column 11: expected hexadecimal digits, found 'g'"},
      {"nonce: '\\u12'",
       "1: syntax error at column 13: expected four hexadecimal digits, found '''"},
      {"nonce: '\\U00110000'",
       "1: syntax error at column 11: expected a character of Unicode, found '0'"},
      {"nonce: '\\udc00'",
       "1: syntax error at column 11: expected a character of Unicode, found 'd'"},
      {"nonce: '\\ud800x'",
       "1: syntax error at column 15: expected a low surrogate (\\x5cuDC00 to \\x5cuDFFF), found "
       "'x'"},
      {"nonce: '\\ud800\\u0041'",
       "1: syntax error at column 17: expected a low surrogate (\\x5cuDC00 to \\x5cuDFFF), found "
       "'0'"},
      {"control_plane {\n identifier: 'x'",
       "2: syntax error at column 17: expected the name of a field or '}', found the end of the "
       "file"},
      {"control_plane <}",
       "1: syntax error at column 16: expected the name of a field or '>', found '}'"},
      {std::string("nonce: \0", 8),
       "1: syntax error at column 8: expected a value, found the byte 0x00"},
      {"resources: [{} {}]", "1: syntax error at column 16: expected ',' or ']', found '{'"},
      {"resources {[a b] {}}", "1: syntax error at column 15: expected ']', found 'b'"},
      {"resources {[]}",
       "1: syntax error at column 13: expected the type URL of an Any, found ']'"},
      {"resources {[google.protobuf.Empty/] 1}",
       "1: syntax error at column 37: expected '{' behind the type of an Any, found the number 1"},
      {"\xc3\xa9",
       "1: syntax error at column 1: expected the name of a field or the end of the file, found "
       "the byte 0xc3"},
      {"nonce: 'a',,",
       "1: syntax error at column 12: expected the name of a field or the end of the file, found "
       "','"},
  };
  for (const auto& c : cases) {
    std::string errors = Bad(c.text);
    std::string last = errors.substr(errors.rfind("f.textproto"));
    EXPECT_EQ(last, "f.textproto:" + c.error + "\n") << c.text;
  }
  EXPECT_EQ(Bad("control_plane { x { key 1 } }"),
            "f.textproto:1: field control_plane.x: at column 17: no such field in "
            "envoy.config.core.v3.ControlPlane\n"
            "f.textproto:1: syntax error at column 25: expected ':' or '{', found the number 1\n");
  EXPECT_EQ(Bad(Cluster("name: 'c' metadata { filter_metadata { key: 'a' key: 'b' } }")),
            "f.textproto:2: syntax error at column 49: expected \"key\" and \"value\", each once, "
            "found key\n");
  EXPECT_EQ(Bad(Cluster("name: 'c' metadata { filter_metadata { keys: 1 } }")),
            "f.textproto:2: syntax error at column 40: expected \"key\" and \"value\", each once, "
            "found keys\n");
}

TEST_F(Prototext, ErrorsOfAResourceHaveItsLine) {
  EXPECT_EQ(Bad("\n[" + kClusterUrl + "] {}"),
            "f.textproto:2: field resources[0].name: must be set: the name of the resource\n");
  EXPECT_EQ(
      Bad("type_url: 'x'\nresources {[" + kClusterUrl + "] { name: 'a' }}"),
      "f.textproto:2: field resources[0].type_url: is not the \"type_url\" of the response: x\n");
  EXPECT_EQ(Bad("resources {}"),
            "f.textproto:1: field resources[0].type_url: expected the type URL of a Listener, "
            "RouteConfiguration, Cluster or ClusterLoadAssignment, found the string \"\"\n");
  EXPECT_EQ(Bad(" # nothing"),
            "f.textproto: holds no resource, and no \"type_url\" that it is of\n");
  EXPECT_EQ(Bad(Cluster("name: 'x'") + Cluster("name: 'x'")),
            "f.textproto:3: field name: a Cluster named \"x\" is in f.textproto:1 too\n");
}

TEST_F(Prototext, TheOrderOfAMapsEntriesIsNoneOfTheBytes) {
  std::string forward;
  std::string backward;
  for (int i = 0; i < 50; i++) {
    const std::string entry = "fields { key: '" + std::to_string(i) + "' } ";
    forward += entry;
    backward.insert(0, entry);
  }
  auto with = [](const std::string& fields) {
    return Cluster("name: 'c' filters { typed_config { [a/google.protobuf.Struct] { " + fields +
                   "} } }");
  };
  Set one = Good("f.textproto", with(forward));
  Set other = Good("f.textproto", with(backward));
  ASSERT_TRUE(one && other);
  EXPECT_TRUE(gxds_file_set_equal(one.get(), other.get()));
}

// Nested ListValues, each in a Value, n deep.
std::string Nested(int n) {
  std::string open, close;
  for (int i = 0; i < n; i++) {
    open += "list_value{values{";
    close += "}}";
  }
  return Cluster("name:'c' metadata{filter_metadata{key:'k' value{fields{key:'f' value{" + open +
                 close + "}}}}}");
}

TEST_F(Prototext, MessagesAreAsDeepAsUpbReadsThem) {
  // Metadata, an entry, Struct, an entry and Value are five levels. Each ListValue adds two.
  const int most = (GXDS_MESSAGE_DEPTH_MAX - 5) / 2;
  Good("f.textproto", Nested(most));
  std::string error = Bad(Nested(most + 1));
  EXPECT_NE(error.find("more than 60 messages inside of each other"), std::string::npos) << error;
}

TEST_F(Prototext, AnysInsideOfEachOtherAreBounded) {
  std::string text;
  for (int i = 0; i < 100000; i++) text += "[a/google.protobuf.Any]{";
  EXPECT_EQ(Bad("resources {" + text),
            "f.textproto:1: field resources[0]: at column 2411: more than 100 messages inside of "
            "each other\n");
}

TEST_F(Prototext, ValuesOfAFileAreBounded) {
  std::string text = "resources:[";
  for (unsigned i = 0; i < GXDS_PROTOTEXT_VALUES_MAX; i++) text += "{},";
  EXPECT_EQ(Bad(text + "{}]"), "f.textproto:1: more than 4000000 values in one file\n");
}

TEST_F(Prototext, IsKnownByTheNameOfItsFile) {
  for (const char* name : {"f.textproto", "f.txtpb", "f.pbtxt"}) {
    EXPECT_TRUE(gxds_dir_is_resource_file(gxds_str_z(name))) << name;
    Good(name, Cluster("name: 'c'"));
  }
  EXPECT_FALSE(gxds_dir_is_resource_file(gxds_str_z(".f.textproto")));
}

}  // namespace
