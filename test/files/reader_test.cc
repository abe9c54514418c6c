// From JSON and YAML text to nodes: the type of each scalar, the line of each node, and the limits.
#include <gtest/gtest.h>
#include <upb/arena.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "files/json_reader.h"
#include "files/yaml_reader.h"
#include "files/yaml_scalar.h"
#include "test/files/support.h"

namespace {

struct Read {
  std::vector<std::string> documents;
  std::string errors;
};

Read ReadJson(const std::string &text, bool lines = false) {
  upb_Arena *arena = upb_Arena_New();
  gxds_file_errors errors = {};
  errors.file = gxds_str_z("f.json");
  const gxds_file_node *root = gxds_file_json_read(View(text), arena, &errors);
  Read read;
  if (root) read.documents.push_back(Dump(root, lines));
  EXPECT_EQ(root == nullptr, errors.count > 0);
  read.errors = Take(&errors);
  upb_Arena_Free(arena);
  return read;
}

Read ReadYaml(const std::string &text, bool lines = false) {
  upb_Arena *arena = upb_Arena_New();
  gxds_file_errors errors = {};
  errors.file = gxds_str_z("f.yaml");
  struct Sink {
    Read read;
    bool lines;
  } sink{{}, lines};
  bool ok = gxds_yaml_read(
      View(text), arena, &errors,
      [](void *arg, const gxds_file_node *root) {
        auto *s = static_cast<Sink *>(arg);
        s->read.documents.push_back(Dump(root, s->lines));
      },
      &sink);
  EXPECT_EQ(ok, errors.count == 0);
  sink.read.errors = Take(&errors);
  upb_Arena_Free(arena);
  return sink.read;
}

std::string Json(const std::string &text) {
  Read read = ReadJson(text);
  return read.documents.empty() ? read.errors : read.documents[0];
}

std::string Yaml(const std::string &text) {
  Read read = ReadYaml(text);
  return read.errors.empty() && read.documents.size() == 1 ? read.documents[0] : read.errors;
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  EXPECT_EQ(Json(R"({"a":[1,-2.5e+3,true,false,null,"x"],"b":{}})"),
            "{a:[1,-2.5e+3,true,false,null,'x'],b:{}}");
  EXPECT_EQ(Json(" [ ] "), "[]");
  EXPECT_EQ(Json("\xef\xbb\xbf{}"), "{}");
}

TEST(JsonReader, UnescapesStrings) {
  EXPECT_EQ(Json(R"("\"\\\/\b\f\n\r\t")"), "'\"\\/\b\f\n\r\t'");
  EXPECT_EQ(Json(R"("\u00e9\u20ac\ud83d\ude00")"), "'\u00e9\u20ac\U0001F600'");
  EXPECT_EQ(Json("\"\xf0\x9f\x98\x80\""), "'\U0001F600'");
}

TEST(JsonReader, KeepsTheLineOfEachValue) {
  EXPECT_EQ(ReadJson("{\n\"a\":\n1,\n\"b\":[\n2\n]}", true).documents[0], "{a:1@3,b:[2@5]@4}@1");
}

TEST(JsonReader, ReportsErrorsOfTheSyntax) {
  const struct {
    const char *text;
    const char *error;
  } cases[] = {
      {"", "f.json:1: syntax error at column 1: expected a value, found the end of the file\n"},
      {"{\n  \"a\" 1}", "f.json:2: syntax error at column 7: expected ':', found '1'\n"},
      {"{\"a\":1",
       "f.json:1: syntax error at column 7: expected ',' or '}', found the end of the "
       "file\n"},
      {"{\"a\":1,}", "f.json:1: syntax error at column 8: expected a key in quotes, found '}'\n"},
      {"[1 2]", "f.json:1: syntax error at column 4: expected ',' or ']', found '2'\n"},
      {"[1,]", "f.json:1: syntax error at column 4: expected a value, found ']'\n"},
      {"tru", "f.json:1: syntax error at column 1: expected a value, found 't'\n"},
      {"01",
       "f.json:1: syntax error at column 2: expected no digit after a leading zero, found "
       "'1'\n"},
      {"-", "f.json:1: syntax error at column 2: expected a digit, found the end of the file\n"},
      {"1.", "f.json:1: syntax error at column 3: expected a digit, found the end of the file\n"},
      {"1e", "f.json:1: syntax error at column 3: expected a digit, found the end of the file\n"},
      {"+1", "f.json:1: syntax error at column 1: expected a value, found '+'\n"},
      {"NaN", "f.json:1: syntax error at column 1: expected a value, found 'N'\n"},
      {"\"a",
       "f.json:1: syntax error at column 3: expected the end of the string, found the end of "
       "the file\n"},
      {"\"a\nb\"",
       "f.json:1: syntax error at column 3: expected an escape for a control character "
       "in a string, found '\\x0a'\n"},
      {"\"\\x\"",
       "f.json:1: syntax error at column 3: expected one of \"\\x5c/bfnrtu after a "
       "backslash, found 'x'\n"},
      {"\"\\u12G4\"",
       "f.json:1: syntax error at column 6: expected four hexadecimal digits, found 'G'\n"},
      {"\"\\udc00\"",
       "f.json:1: syntax error at column 8: expected a high surrogate before this "
       "low one, found '\"'\n"},
      {"\"\\ud800x\"",
       "f.json:1: syntax error at column 8: expected a low surrogate "
       "(\\x5cuDC00 to \\x5cuDFFF), found 'x'\n"},
      {"\"\xff\"", "f.json:1: syntax error at column 2: expected UTF-8, found the byte 0xff\n"},
      {"\"\xc0\xaf\"", "f.json:1: syntax error at column 2: expected UTF-8, found the byte 0xc0\n"},
      {"{} x", "f.json:1: syntax error at column 4: expected the end of the file, found 'x'\n"},
      {"{\"a\":1,\n\"a\":2,\n\"a\":3}",
       "f.json:2: the key \"a\" stands on line 1 too\n"
       "f.json:3: the key \"a\" stands on line 2 too\n"},
  };
  for (const auto &c : cases) EXPECT_EQ(Json(c.text), c.error) << c.text;
}

TEST(JsonReader, StopsAtTheGreatestDepth) {
  std::string open(GXDS_FILE_NODE_DEPTH_MAX, '[');
  std::string close(GXDS_FILE_NODE_DEPTH_MAX, ']');
  EXPECT_EQ(Json(open + close), open + close);
  EXPECT_EQ(Json("[" + open + close + "]"), "f.json:1: nested deeper than 64 levels\n");
  EXPECT_EQ(Json(std::string(1000000, '[')), "f.json:1: nested deeper than 64 levels\n");
}

TEST(YamlScalar, FollowsTheCoreSchemaOfYaml12) {
  const struct {
    const char *plain;
    gxds_file_node_kind kind;
    const char *canonical;
  } cases[] = {
      {"", GXDS_FILE_NODE_NULL, "null"},
      {"~", GXDS_FILE_NODE_NULL, "null"},
      {"null", GXDS_FILE_NODE_NULL, "null"},
      {"NULL", GXDS_FILE_NODE_NULL, "null"},
      {"nUll", GXDS_FILE_NODE_STRING, "nUll"},
      {"true", GXDS_FILE_NODE_BOOL, "true"},
      {"False", GXDS_FILE_NODE_BOOL, "false"},
      {"TRUE", GXDS_FILE_NODE_BOOL, "true"},
      {"yes", GXDS_FILE_NODE_STRING, "yes"},
      {"off", GXDS_FILE_NODE_STRING, "off"},
      {"n", GXDS_FILE_NODE_STRING, "n"},
      {"0", GXDS_FILE_NODE_NUMBER, "0"},
      {"-0", GXDS_FILE_NODE_NUMBER, "-0"},
      {"+12", GXDS_FILE_NODE_NUMBER, "12"},
      {"007", GXDS_FILE_NODE_NUMBER, "7"},
      {"0o17", GXDS_FILE_NODE_NUMBER, "15"},
      {"0x1F", GXDS_FILE_NODE_NUMBER, "31"},
      {"0xffffffffffffffff", GXDS_FILE_NODE_NUMBER, "18446744073709551615"},
      {"0x10000000000000000", GXDS_FILE_NODE_STRING, "0x10000000000000000"},
      {"0o8", GXDS_FILE_NODE_STRING, "0o8"},
      {"0x", GXDS_FILE_NODE_STRING, "0x"},
      {"-0x1", GXDS_FILE_NODE_STRING, "-0x1"},
      {"1_000", GXDS_FILE_NODE_STRING, "1_000"},
      {"0b1", GXDS_FILE_NODE_STRING, "0b1"},
      {"1:30", GXDS_FILE_NODE_STRING, "1:30"},
      {"1.5", GXDS_FILE_NODE_NUMBER, "1.5"},
      {"1.", GXDS_FILE_NODE_NUMBER, "1.0"},
      {".5", GXDS_FILE_NODE_NUMBER, "0.5"},
      {"-.5e-3", GXDS_FILE_NODE_NUMBER, "-0.5e-3"},
      {"1e3", GXDS_FILE_NODE_NUMBER, "1e3"},
      {"1e", GXDS_FILE_NODE_STRING, "1e"},
      {".", GXDS_FILE_NODE_STRING, "."},
      {"-", GXDS_FILE_NODE_STRING, "-"},
      {".inf", GXDS_FILE_NODE_NUMBER, "Infinity"},
      {"-.INF", GXDS_FILE_NODE_NUMBER, "-Infinity"},
      {"+.Inf", GXDS_FILE_NODE_NUMBER, "Infinity"},
      {".NaN", GXDS_FILE_NODE_NUMBER, "NaN"},
      {"-.nan", GXDS_FILE_NODE_STRING, "-.nan"},
      {"127.0.0.1", GXDS_FILE_NODE_STRING, "127.0.0.1"},
      {"1.2.3", GXDS_FILE_NODE_STRING, "1.2.3"},
      {"0.250s", GXDS_FILE_NODE_STRING, "0.250s"},
      {"2024-01-31", GXDS_FILE_NODE_STRING, "2024-01-31"},
  };
  for (const auto &c : cases) {
    gxds_text canonical = {};
    EXPECT_EQ(gxds_yaml_resolve(gxds_str_z(c.plain), &canonical), c.kind) << c.plain;
    EXPECT_EQ(Take(&canonical), c.canonical) << c.plain;
  }
}

TEST(YamlReader, QuotesAndBlocksMakeStrings) {
  EXPECT_EQ(Yaml("[1, '1', \"1\", true, 'true', !!str 1, ! 2]"), "[1,'1','1',true,'true','1','2']");
  EXPECT_EQ(Yaml("a: |\n  x\n  y\nb: >-\n  p\n  q\n"), "{a:'x\ny\n',b:'p q'}");
  EXPECT_EQ(Yaml("a:\nb: ''\n"), "{a:null,b:''}");
}

TEST(YamlReader, TagsOfTheCoreSchemaAreHonoured) {
  EXPECT_EQ(Yaml("[!!int '12', !!float 1.5, !!bool 'true', !!null '', !!seq [], !!map {}]"),
            "[12,1.5,true,null,[],{}]");
  EXPECT_EQ(Yaml("a: 1\nb: !!int x\n"),
            "f.yaml:2: the tag tag:yaml.org,2002:int means nothing "
            "here\n");
  EXPECT_EQ(Yaml("b: !thing x\n"), "f.yaml:1: the tag !thing means nothing here\n");
  EXPECT_EQ(Yaml("b: !!set {}\n"), "f.yaml:1: the tag tag:yaml.org,2002:set means nothing here\n");
}

TEST(YamlReader, ReadsEachDocumentOfAStream) {
  Read read = ReadYaml("a: 1\n---\n- b\n---\n---\nc\n...\n", true);
  EXPECT_EQ(read.errors, "");
  ASSERT_EQ(read.documents.size(), 4u);
  EXPECT_EQ(read.documents[0], "{a:1@1}@1");
  EXPECT_EQ(read.documents[1], "['b'@3]@3");
  EXPECT_EQ(read.documents[2].substr(0, 4), "null");
  EXPECT_EQ(read.documents[3], "'c'@6");
}

TEST(YamlReader, AnAliasIsTheAnchoredNode) {
  EXPECT_EQ(ReadYaml("a: &x\n  k: 1\nb: *x\nc: &x 2\nd: *x\n", true).documents[0],
            "{a:{k:1@2}@1,b:{k:1@2}@1,c:2@4,d:2@4}@1");
}

TEST(YamlReader, ReportsErrors) {
  const struct {
    const char *text;
    const char *error;
  } cases[] = {
      {"a: 1\nb: *x\n", "f.yaml:2: the alias *x has no anchor before it\n"},
      {"a: &x 1\n---\nb: *x\n", "f.yaml:3: the alias *x has no anchor before it\n"},
      {"a: &x\n- *x\n", "f.yaml:2: an alias inside of what it stands for\n"},
      {"a: &x 1\n*x : 2\n", "f.yaml:2: an alias as a key\n"},
      {"? [a]\n: 1\n", "f.yaml:1: a key that is no scalar\n"},
      {"&k a: 1\n", "f.yaml:1: a key with an anchor\n"},
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3: the key \"a\" stands on line 1 too\n"},
      {"a:\n  b: 1\n c: 2\n",
       "f.yaml:3: syntax error at column 2: while parsing a block mapping, "
       "did not find expected key\n"},
      {"a: [1, 2\n",
       "f.yaml:2: syntax error at column 1: while parsing a flow sequence, did not "
       "find expected ',' or ']'\n"},
      {"a: 'x\n",
       "f.yaml:2: syntax error at column 1: while scanning a quoted scalar, found "
       "unexpected end of stream\n"},
      {"a:\n\tb: 1\n",
       "f.yaml:2: syntax error at column 1: while scanning for the next token, "
       "found character that cannot start any token\n"},
      {"a: b: c\n",
       "f.yaml:1: syntax error at column 5: mapping values are not allowed in this context\n"},
      {"a: \"\\ud800\"\n",
       "f.yaml:1: syntax error at column 7: while parsing a quoted scalar, "
       "found invalid Unicode character escape code\n"},
  };
  for (const auto &c : cases) EXPECT_EQ(Yaml(c.text), c.error) << c.text;
  EXPECT_NE(Yaml("a: \xff\n").find("invalid leading UTF-8 octet"), std::string::npos);
}

TEST(YamlReader, StopsAtTheGreatestDepth) {
  std::string open(GXDS_FILE_NODE_DEPTH_MAX, '[');
  std::string close(GXDS_FILE_NODE_DEPTH_MAX, ']');
  EXPECT_EQ(Yaml(open + close), open + close);
  EXPECT_EQ(Yaml("[" + open + close + "]"), "f.yaml:1: nested deeper than 64 levels\n");
}

TEST(YamlReader, DepthCountsThroughAliases) {
  // Each anchor contains the one before it, one level deeper.
  std::string text = "- &a0 []\n";
  for (int i = 1; i < GXDS_FILE_NODE_DEPTH_MAX; i++) {
    text += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_EQ(Yaml(text), "f.yaml:64: nested deeper than 64 levels\n");
}

TEST(YamlReader, AliasesThatMultiplyAreStopped) {
  std::string text = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; i++) {
    std::string up = "*a" + std::to_string(i - 1);
    text += "- &a" + std::to_string(i) + " [" + up;
    for (int j = 1; j < 10; j++) text += ", " + up;
    text += "]\n";
  }
  EXPECT_EQ(Yaml(text), "f.yaml:7: more than 4000000 values, with aliases expanded\n");
}

TEST(YamlReader, AnchorsAreLimitedPerDocument) {
  std::string text;
  for (unsigned i = 0; i < GXDS_FILE_NODE_ANCHORS_MAX; i++) {
    text += "- &a" + std::to_string(i) + " x\n";
  }
  EXPECT_EQ(ReadYaml(text + "---\n" + text).errors, "");
  EXPECT_EQ(ReadYaml(text + "- &last x\n").errors, "f.yaml:1001: more than 1000 anchors\n");
}

TEST(JsonString, EscapesWhatJsonCannotHold) {
  gxds_text text = {};
  std::string nul("a\0b", 3);
  gxds_utf8_add_json(&text, View(nul + "\"\\\n\x1f\x7f\u20ac"));
  EXPECT_EQ(Take(&text), "\"a\\u0000b\\\"\\\\\\n\\u001f\\u007f\u20ac\"");
  gxds_utf8_add_json(&text, gxds_str_z("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"));
  EXPECT_EQ(Take(&text), "\"\\u0080\\u009b\\u009f\xc2\xa0\"") << "a terminal's controls";
  gxds_utf8_add_json(&text, gxds_str_z("\xff|\xe2\x82|\xed\xa0\x80|"));
  EXPECT_EQ(Take(&text), "\"\ufffd|\ufffd\ufffd|\ufffd\ufffd\ufffd|\"");
}

}  // namespace
