// What a new state of the resources changes for a client: found by what changed, however many names
// the client subscribes to. Each event is followed by the server's own check that nothing else is
// due.
#include "tools/serve/changes.h"

#include "test/tools/ads_fixture.h"

namespace {

using xds_test::DeltaRequest;

class Changes : public Ads {
 protected:
  void SendDelta(uint64_t stream, Type type, const Names &subscribe,
                 const Names &unsubscribe = {}) {
    Bytes(stream, Encode(DeltaRequest{TypeUrl(type), subscribe, unsubscribe, {}, "", "", "node"}));
  }
};

const char kOneSpelling[] = "xdstp://x/envoy.config.cluster.v3.Cluster/a";
const char kAnother[] = "xdstp://x/envoy.config.cluster.v3.Cluster/%61";

TEST_F(Changes, AreFoundUnderAnySpellingOfAName) {  // A47
  Serve({std::string("CDS ") + kOneSpelling + "=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, CDS, {kAnother});
  SendDelta(delta, CDS, {kAnother});
  const std::string first = std::string("CDS ") + kOneSpelling + "=1";
  EXPECT_EQ(Got(sotw), first);
  EXPECT_EQ(Got(delta), first);
  Serve({std::string("CDS ") + kOneSpelling + "=2"});
  const std::string second = std::string("CDS ") + kOneSpelling + "=2";
  EXPECT_EQ(Got(sotw), second);
  EXPECT_EQ(Got(delta), second);
}

TEST_F(Changes, OfAResourceThatIsNamedInTwoSpellingsAreSentOnce) {  // A47
  Serve({std::string("CDS ") + kOneSpelling + "=1"});
  uint64_t sotw = Open();
  uint64_t star = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, CDS, {kOneSpelling, kAnother});
  Send(star, CDS, {"*", kAnother});
  SendDelta(delta, CDS, {kOneSpelling, kAnother});
  for (uint64_t stream : {sotw, star, delta}) {
    EXPECT_EQ(Got(stream), std::string("CDS ") + kOneSpelling + "=1");
  }
}

TEST_F(Changes, FarApartAreSentTogether) {
  const Names names = {"a", "b", "c", "d", "e"};
  Serve({"EDS a=1", "EDS b=1", "EDS c=1", "EDS d=1", "EDS e=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, names);
  SendDelta(delta, EDS, names);
  Got(sotw);
  Got(delta);
  Serve({"EDS a=2", "EDS b=1", "EDS c=1", "EDS d=1", "EDS e=2"});
  EXPECT_EQ(Got(sotw), "EDS a=2 e=2");
  EXPECT_EQ(Got(delta), "EDS a=2 e=2");
}

TEST_F(Changes, WhileAMessageIsUnderWayAreSentAfterIt) {
  auto_sent_ = false;
  Serve({"EDS a=1", "EDS b=1", "EDS c=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"a", "b", "c"});
  SendDelta(delta, EDS, {"a", "b", "c"});
  Serve({"EDS a=2", "EDS b=1", "EDS c=1"});
  Serve({"EDS a=2", "EDS b=1", "EDS c=2"});
  for (uint64_t stream : {sotw, delta}) {
    EXPECT_EQ(Got(stream), "EDS a=1 b=1 c=1");
    Sent(stream);
    EXPECT_EQ(Got(stream), "EDS a=2 c=2");
    Sent(stream);
    EXPECT_EQ(Got(stream), "");
  }
}

TEST_F(Changes, OfNamesThatMovedWithTheSubscriptionAreSent) {
  auto_sent_ = false;
  Serve({"EDS a=1", "EDS b=1", "EDS c=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"b", "c"});
  SendDelta(delta, EDS, {"b", "c"});
  Serve({"EDS a=1", "EDS b=1", "EDS c=2"});
  Send(sotw, EDS, {"c"});
  SendDelta(delta, EDS, {}, {"b"});
  for (uint64_t stream : {sotw, delta}) {
    EXPECT_EQ(Got(stream), "EDS b=1 c=1");
    Sent(stream);
    EXPECT_EQ(Got(stream), "EDS c=2");
  }
}

TEST_F(Changes, OfWhatComesWithAStarNeedNoName) {
  Serve({"CDS a=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, CDS, {"*"});
  SendDelta(delta, CDS, {"*"});
  Got(sotw);
  Got(delta);
  Serve({"CDS a=1", "CDS b=1"});
  EXPECT_EQ(Got(sotw), "CDS a=1 b=1");
  EXPECT_EQ(Got(delta), "CDS b=1");
  Serve({"CDS a=1", "CDS b=2"});
  EXPECT_EQ(Got(sotw), "CDS a=1 b=2");
  EXPECT_EQ(Got(delta), "CDS b=2");
}

TEST_F(Changes, OfNamesThatNobodySubscribedToSendNothing) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"a"});
  SendDelta(delta, EDS, {"a"});
  Got(sotw);
  Got(delta);
  Serve({"EDS a=1", "EDS b=2", "EDS c=1"});
  EXPECT_EQ(Got(sotw), "");
  EXPECT_EQ(Got(delta), "");
}

TEST_F(Changes, EachClientHasItsRemovalsInItsOwnTime) {
  Serve({"CDS a=1"});
  uint64_t first = Open();
  Send(first, CDS, {"a"});
  Ack(first, CDS, {"a"});
  Wait(GXDS_FILE_REMOVAL_GRACE / 2);
  uint64_t second = Open();
  Send(second, CDS, {"a"});
  Ack(second, CDS, {"a"});
  Got(first);
  Got(second);
  ServeAtOnce({});
  Wait(GXDS_FILE_REMOVAL_GRACE / 2);
  EXPECT_EQ(Got(first), "CDS");
  EXPECT_EQ(Got(second), "");
  EXPECT_EQ(gxds_ads_server_deadline(server_), now_ + GXDS_FILE_REMOVAL_GRACE / 2);
  Wait(GXDS_FILE_REMOVAL_GRACE / 2);
  EXPECT_EQ(Got(second), "CDS");
  EXPECT_EQ(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
}

TEST_F(Changes, AClientThatEndedWaitsForNoRemoval) {
  Serve({"CDS a=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Serve({});
  EXPECT_NE(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
  gxds_ads_server_on_closed(server_, c, gxds_str_z("gone"));
  EXPECT_EQ(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
}

// The changed names: "a"; "-a": it is gone; "a|": it is an alias.
std::string ChangedNames(const std::vector<std::string> &before,
                         const std::vector<std::string> &after) {
  gxds_file_errors errors = {};
  const gxds_file_set *old = Build(Schema(), {{"f.json", xds_test::FileJson(before)}}, &errors);
  const gxds_file_set *set = Build(Schema(), {{"f.json", xds_test::FileJson(after)}}, &errors, old);
  gxds_set_changes changes;
  gxds_set_changes_init(&changes, old, set, GXDS_FILE_CLUSTER);
  std::string s;
  for (size_t i = 0; i < changes.count; i++) {
    const gxds_changed_name &c = changes.items[i];
    s += (s.empty() ? "" : " ") + std::string(c.gone ? "-" : "") + String(c.name) +
         (c.alias ? "|" : "");
  }
  if (changes.any_gone) s += " gone";
  gxds_set_changes_fini(&changes);
  gxds_file_set_unref(old);
  gxds_file_set_unref(set);
  return s;
}

TEST(SetChanges, NameWhatCameChangedAndWent) {
  EXPECT_EQ(ChangedNames({"CDS a=1", "CDS b=1"}, {"CDS a=1", "CDS b=1"}), "");
  EXPECT_EQ(ChangedNames({"CDS b=1"}, {"CDS a=1", "CDS b=1", "CDS c=1"}), "a c");
  EXPECT_EQ(ChangedNames({"CDS a=1", "CDS b=1"}, {"CDS a=1", "CDS b=2"}), "b");
  EXPECT_EQ(ChangedNames({"CDS a=1", "CDS b=1"}, {"CDS b=1"}), "-a gone");
  EXPECT_EQ(ChangedNames({"CDS b=1"}, {}), "-b gone");
}

TEST(SetChanges, NameAliasesOfBothStates) {
  EXPECT_EQ(ChangedNames({"CDS a|x=1"}, {"CDS a|y=1"}), "a x| y| gone");
}

TEST(SetChanges, OfOneTypeAreNoneOfAnother) {
  EXPECT_EQ(ChangedNames({"CDS a=1", "EDS a=1"}, {"CDS a=1", "EDS a=2"}), "");
}

TEST(SetChanges, WithoutAStateBeforeAreAll) {
  gxds_file_errors errors = {};
  const gxds_file_set *set = Build(Schema(), {{"f.json", "[]"}}, &errors);
  gxds_set_changes changes;
  gxds_set_changes_init(&changes, nullptr, set, GXDS_FILE_CLUSTER);
  EXPECT_TRUE(changes.all);
  gxds_set_changes_fini(&changes);
  gxds_file_set_unref(set);
}

}  // namespace
