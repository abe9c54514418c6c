// A client of state of the world repeats its names in each ACK. The server recognises them by their
// hash, and parses only names that are others than before.
#include "test/tools/ads_fixture.h"
#include "tools/serve/wire_input.h"
#include "upb/upb.h"

namespace {

class RepeatedNames : public Ads {};

TEST_F(RepeatedNames, SubscribeToNothingNew) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS a=1 b=1");
  Events();
  Ack(c, EDS, {"a", "b"});
  Ack(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "");
  EXPECT_EQ(Events().find("subscribed"), std::string::npos);
  Serve({"EDS a=1", "EDS b=2"});
  EXPECT_EQ(Got(c), "EDS b=2");
}

TEST_F(RepeatedNames, AreThoseOfTheSameType) {
  Serve({"CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "CDS a=1; EDS a=1");
}

TEST_F(RepeatedNames, AreNotThoseOfAnIgnoredRequest) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Got(c);
  Send(c, {TypeUrl(EDS), {"a", "b"}, "77", "", "", ""});  // a stale nonce
  EXPECT_EQ(Got(c), "");
  Ack(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS b=1");
}

TEST_F(RepeatedNames, AfterOthersAreNew) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Ack(c, EDS, {"b"});
  EXPECT_EQ(Got(c), "EDS a=1; EDS b=1");
  Ack(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=1");
}

TEST_F(RepeatedNames, OfNoneStayNone) {
  Serve({"EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {});
  Send(c, EDS, {});
  EXPECT_EQ(Got(c), "");
  Send(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=1");
}

struct Parts {
  bool ok;
  std::string rest;
  uint64_t names;
};

Parts Part(const std::string &bytes) {
  upb_Arena *arena = upb_Arena_New();
  gxds_str rest = {};
  Parts parts = {};
  parts.ok = gxds_serve_part_names(View(bytes), arena, &rest, &parts.names);
  parts.rest = String(rest);
  upb_Arena_Free(arena);
  return parts;
}

std::string Name(const std::string &name) {
  return std::string("\x1a") + static_cast<char>(name.size()) + name;
}
std::string Version(const std::string &version) {
  return std::string("\x0a") + static_cast<char>(version.size()) + version;
}

TEST(PartNames, LeavesTheRestAsItWas) {
  const std::string rest = Part(Version("v") + Version("w")).rest;
  EXPECT_EQ(rest.substr(0, 6), Version("v") + Version("w"));
  EXPECT_EQ(Part(Name("a") + Version("v") + Name("b") + Version("w") + Name("c")).rest, rest);
  EXPECT_EQ(Part("").rest, Part(Name("a")).rest);
}

TEST(PartNames, HashesNamesInTheirOrder) {
  const uint64_t names = Part(Name("ab") + Name("c")).names;
  EXPECT_EQ(Part(Name("ab") + Version("v") + Name("c")).names, names);
  EXPECT_EQ(Part(Version("v") + Name("ab") + Name("c") + Version("v")).names, names);
  EXPECT_NE(Part(Name("c") + Name("ab")).names, names);
  EXPECT_NE(Part(Name("a") + Name("bc")).names, names);
  EXPECT_NE(Part(Name("ab") + Name("c") + Name("")).names, names);
  EXPECT_NE(Part("").names, names);
}

TEST(PartNames, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(Part(Name("ab") + "\x1a\x05zz").ok);
  EXPECT_TRUE(Part("").ok);
}

}  // namespace
