// The server's rules of delta xDS, one by one, without I/O. The test sets the time.
#include "test/tools/ads_fixture.h"

namespace {

using xds_test::DeltaRequest;

class Delta : public Ads {
 protected:
  uint64_t OpenDelta(gxds_ads_service service = GXDS_ADS_DELTA) { return Open("peer", service); }
  void SendDelta(uint64_t stream, Type type, const Names &subscribe, const Names &unsubscribe = {},
                 const std::map<std::string, std::string> &versions = {}) {
    Bytes(stream,
          Encode(DeltaRequest{TypeUrl(type), subscribe, unsubscribe, versions, "", "", "node"}));
  }
  void Acknowledge(uint64_t stream, Type type, const std::string &error = "") {
    Bytes(stream,
          Encode(DeltaRequest{TypeUrl(type), {}, {}, {}, Last(stream, type).nonce, error, ""}));
  }
  // A cluster changes, and its endpoints are gone before they are sent again with it. The client
  // subscribes to them by that name.
  void ExpectGoneEndpointsRemovedLast(const std::string &endpoints) {
    auto_sent_ = false;
    Serve({"CDS a>=1", "EDS a=1"});
    uint64_t c = OpenDelta();
    SendDelta(c, EDS, {endpoints});
    Sent(c);
    Acknowledge(c, EDS);
    SendDelta(c, CDS, {"*"});
    Sent(c);
    Acknowledge(c, CDS);
    Sent(c);
    Acknowledge(c, EDS);
    EXPECT_EQ(Got(c), "EDS a=1; CDS a=1; EDS a=1");
    Serve({"CDS a>=2", "EDS a=1"});
    Serve({"CDS a>=2"});
    Sent(c);
    EXPECT_EQ(Got(c), "CDS a=2");
    Wait(GXDS_ADS_REMOVAL_MAX);
    EXPECT_EQ(Got(c), "EDS -a");
  }
};

TEST_F(Delta, WhatIsSubscribedIsSentOnce) {
  Serve({"CDS a=1", "CDS b=1", "EDS a=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "CDS a=1");
  Acknowledge(c, CDS);
  SendDelta(c, CDS, {"b"});
  EXPECT_EQ(Got(c), "CDS b=1");
  Acknowledge(c, CDS);
  SendDelta(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=1");
}

TEST_F(Delta, OnlyWhatChangedIsSent) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1");
  std::string version_of_a = Last(c, CDS).versions.at("a");
  EXPECT_EQ(version_of_a.size(), 16u);
  Serve({"CDS a=1", "CDS b=2", "CDS c=1"});
  EXPECT_EQ(Got(c), "CDS b=2");
  Serve({"CDS a=2", "CDS b=2"});
  EXPECT_EQ(Got(c), "CDS a=2");
  EXPECT_NE(Last(c, CDS).versions.at("a"), version_of_a);
  Serve({"CDS a=1", "CDS b=2"});
  EXPECT_EQ(Got(c), "CDS a=1");
  EXPECT_EQ(Last(c, CDS).versions.at("a"), version_of_a);  // the version depends on the contents
}

// Envoy's xDS protocol: a changed cluster is warming until its endpoints are sent again.
TEST_F(Delta, AClusterThatComesOrChangesHasItsEndpointsSentAgain) {
  Serve({"CDS a>=1", "CDS b>of-b=1", "EDS a=1", "EDS of-b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"*"});
  SendDelta(c, EDS, {"a", "of-b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1; EDS a=1 of-b=1");
  Serve({"CDS a>=1", "CDS b>of-b=2", "EDS a=1", "EDS of-b=1"});
  EXPECT_EQ(Got(c), "CDS b=2; EDS of-b=1");
  Serve({"CDS a>=2", "CDS b>of-b=2", "EDS of-b=1"});
  EXPECT_EQ(Got(c), "CDS a=2") << "the removal of what is gone comes last";
}

TEST_F(Delta, EndpointsThatGoBeforeTheyAreSentAgainAreRemovedLast) {
  ExpectGoneEndpointsRemovedLast("*");
}

TEST_F(Delta, NamedEndpointsThatGoBeforeTheyAreSentAgainAreRemovedLast) {
  ExpectGoneEndpointsRemovedLast("a");
}

TEST_F(Delta, EndpointsWithAVersionAreSentAgainIfTheirClusterWasSentBefore) {
  Serve({"CDS a>=1", "CDS b>=1", "EDS a=1", "EDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"*"});
  SendDelta(c, EDS, {"a", "b"});
  Got(c);
  std::map<std::string, std::string> clusters = Last(c, CDS).versions;
  std::map<std::string, std::string> endpoints = Last(c, EDS).versions;
  Serve({"CDS a>=2", "CDS b>=1", "EDS a=1", "EDS b=1"});
  c = OpenDelta();
  SendDelta(c, CDS, {"*"}, {}, clusters);
  SendDelta(c, EDS, {"a", "b"}, {}, endpoints);
  EXPECT_EQ(Got(c), "CDS a=2; EDS a=1");
}

TEST_F(Delta, WhatDoesNotExistIsReportedOnce) {
  Serve({"CDS a=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, EDS, {"x", "y"});
  EXPECT_EQ(Got(c), "EDS -x -y");
  Serve({"CDS a=1", "EDS y=1"});
  EXPECT_EQ(Got(c), "EDS y=1");
}

TEST_F(Delta, BeforeTheFirstGoodStateNothingIsReportedNotToExist) {
  uint64_t c = OpenDelta();
  SendDelta(c, EDS, {"x"});
  EXPECT_EQ(Got(c), "");
  Serve({});
  EXPECT_EQ(Got(c), "EDS -x");
}

TEST_F(Delta, NamesSubscribedAgainAreSentAgainEvenIfKnown) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b", "x"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1 -x");
  Acknowledge(c, CDS);
  SendDelta(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "CDS a=1");
  SendDelta(c, CDS, {"x"});
  EXPECT_EQ(Got(c), "CDS -x");
}

TEST_F(Delta, NamesGivenUpAreNotSentAndNotMissed) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1");
  SendDelta(c, CDS, {}, {"a", "never asked for"});
  Serve({"CDS a=2", "CDS b=2"});
  EXPECT_EQ(Got(c), "CDS b=2");
  SendDelta(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "CDS a=2");
}

TEST_F(Delta, AnAliasIsSubscribedLikeAName) {
  Serve({"CDS a|x|y=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"x", "b", "z"});
  EXPECT_EQ(Got(c), "CDS a|x|y=1 b=1 -z");
  Serve({"CDS a|x|y=2", "CDS b=1"});
  EXPECT_EQ(Got(c), "CDS a|x|y=2");
  Acknowledge(c, CDS);
  SendDelta(c, CDS, {"x"});  // requested again, so it is sent again
  EXPECT_EQ(Got(c), "CDS a|x|y=2");
  SendDelta(c, CDS, {}, {"x", "y"});  // y was never requested
  Serve({"CDS a|x|y=3", "CDS b=1"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Delta, AResourceSubscribedBySeveralNamesIsSentOnce) {
  Serve({"CDS a|x|y=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b", "x", "y"});
  EXPECT_EQ(Got(c), "CDS a|x|y=1 b=1");
  Acknowledge(c, CDS);
  SendDelta(c, CDS, {}, {"a"});
  Serve({"CDS a|x|y=2", "CDS b=1"});
  EXPECT_EQ(Got(c), "CDS a|x|y=2");
  SendDelta(c, CDS, {"*"});
  EXPECT_EQ(Got(c), "CDS a|x|y=2");
}

TEST_F(Delta, AnAliasThatComesOrGoesIsAChange) {
  Serve({"CDS a=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "x"});
  EXPECT_EQ(Got(c), "CDS a=1 -x");
  std::string version = Last(c, CDS).versions.at("a");
  Acknowledge(c, CDS);
  Serve({"CDS a|x=1"});
  EXPECT_EQ(Got(c), "CDS a|x=1");
  EXPECT_NE(Last(c, CDS).versions.at("a"), version);
  Acknowledge(c, CDS);
  Serve({"CDS a=1", "CDS b|x=1"});
  EXPECT_EQ(Got(c), "CDS a=1 b|x=1");
  EXPECT_EQ(Last(c, CDS).versions.at("a"), version);
  Acknowledge(c, CDS);
  Serve({"CDS a=1"});
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS -x");
}

TEST_F(Delta, AcksAndNacksArePrinted) {
  Serve({"CDS a=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "x"});
  Got(c);
  Events();
  Acknowledge(c, CDS, "no good");
  std::string events = Events();
  EXPECT_NE(events.find("node@peer: CDS NACK nonce 1: no good"), std::string::npos) << events;
  EXPECT_EQ(Got(c), "");  // and not sent again
  Serve({"CDS a=2"});
  EXPECT_EQ(Got(c), "CDS a=2");
  events = Events();
  EXPECT_NE(events.find("the client has 1 now"), std::string::npos) << events;
  Acknowledge(c, CDS);
  events = Events();
  EXPECT_NE(events.find("CDS ACK nonce 2"), std::string::npos) << events;
}

TEST_F(Delta, NamesAreTakenFromRequestsThatCrossedAResponse) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a"});
  Serve({"CDS a=2", "CDS b=1"});
  EXPECT_EQ(Got(c), "CDS a=1; CDS a=2");
  Bytes(c, Encode(DeltaRequest{TypeUrl(CDS), {"b"}, {}, {}, "1", "", ""}));
  EXPECT_EQ(Got(c), "CDS b=1");
}

TEST_F(Delta, AClientThatReconnectsIsSentWhatItDoesNotHave) {
  Serve({"CDS a=1", "CDS b=1", "CDS c=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b", "c"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1 c=1");
  std::map<std::string, std::string> versions = Last(c, CDS).versions;
  gxds_ads_server_on_closed(server_, c, gxds_str_z("gone"));
  Serve({"CDS a=1", "CDS b=2"});
  c = OpenDelta();
  versions["d"] = "none of ours";
  SendDelta(c, CDS, {"a", "b", "c", "d"}, {}, versions);
  EXPECT_EQ(Got(c), "CDS b=2");
  Acknowledge(c, CDS);
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS -c -d");
}

TEST_F(Delta, VersionsAreTakenWithTheNamesThatTheyComeWith) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"a", "b"});
  std::map<std::string, std::string> versions = Last(c, CDS).versions;
  uint64_t d = OpenDelta();  // a stream with split requests
  SendDelta(d, CDS, {"a"}, {}, {{"a", versions["a"]}});
  SendDelta(d, CDS, {"b"}, {}, {{"b", versions["b"]}});
  EXPECT_EQ(Got(d), "");
}

TEST_F(Delta, ClosingAfterEachResponseEndsInTheSameState) {
  std::map<std::string, std::string> has;
  std::map<std::string, std::string> versions;
  std::vector<std::vector<std::string>> history = {
      {"CDS a=1", "CDS b=1"}, {"CDS a=2", "CDS b=1"}, {"CDS b=1"}, {"CDS a=2", "CDS c=1"}};
  uint64_t keeps = OpenDelta();
  SendDelta(keeps, CDS, {"a", "b", "c"});
  std::map<std::string, std::string> kept;
  for (const auto &state : history) {
    Serve(state);
    Acknowledge(keeps, CDS);
    uint64_t c = OpenDelta();
    SendDelta(c, CDS, {"a", "b", "c"}, {}, versions);
    Wait(GXDS_ADS_REMOVAL_MAX);
    for (const Response &response : Responses(c)) {
      for (const auto &r : response.resources) has[r.substr(0, 1)] = r;
      for (const auto &v : response.versions) versions[v.first] = v.second;
      for (const auto &name : response.removed) has.erase(name), versions.erase(name);
    }
    gxds_ads_server_on_closed(server_, c, gxds_str_z("closed"));
    for (const Response &response : Responses(keeps)) {
      for (const auto &r : response.resources) kept[r.substr(0, 1)] = r;
      for (const auto &name : response.removed) kept.erase(name);
    }
    EXPECT_EQ(has, kept);
  }
  EXPECT_EQ(has, (std::map<std::string, std::string>{{"a", "a=2"}, {"c", "c=1"}}));
}

TEST_F(Delta, WhatGoesGoesLast) {  // make before break
  Serve({"CDS a=1", "EDS a=1", "LDS l=1", "RDS r=1"});
  uint64_t c = OpenDelta();
  for (Type type : {CDS, EDS, LDS, RDS}) {
    SendDelta(c, type, {type == LDS ? "l" : type == RDS ? "r" : "a"});
    Acknowledge(c, type);
  }
  EXPECT_EQ(Got(c), "CDS a=1; EDS a=1; LDS l=1; RDS r=1");
  Serve({"LDS l=2"});
  EXPECT_EQ(Got(c), "LDS l=2");
  Acknowledge(c, LDS);
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "RDS -r");
  Acknowledge(c, RDS);
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS -a");
  Acknowledge(c, CDS);
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "EDS -a");
}

TEST_F(Delta, TheWildcardIsAStarOrNoName) {
  Serve({"CDS a=1", "CDS b=1", "EDS a=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {});
  EXPECT_EQ(Got(c), "CDS a=1 b=1");
  SendDelta(c, EDS, {"*"});
  EXPECT_EQ(Got(c), "EDS a=1");
  Acknowledge(c, CDS);
  Acknowledge(c, EDS);
  Serve({"CDS b=1", "CDS c=1", "EDS a=1"});
  EXPECT_EQ(Got(c), "CDS c=1");
  Acknowledge(c, CDS);
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS -a");
  SendDelta(c, CDS, {"b"}, {"*"});
  EXPECT_EQ(Got(c), "CDS b=1");
  Serve({"CDS b=2", "CDS c=2", "EDS a=1"});
  EXPECT_EQ(Got(c), "CDS b=2");
}

TEST_F(Delta, AllThatExistsWithVersionsIsNotSentAgain) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = OpenDelta();
  SendDelta(c, CDS, {"*"});
  std::map<std::string, std::string> versions = Last(c, CDS).versions;
  versions["gone"] = "0123456789abcdef";
  uint64_t d = OpenDelta();
  SendDelta(d, CDS, {}, {}, versions);
  EXPECT_EQ(Got(d), "");
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(d), "CDS -gone");
}

TEST_F(Delta, ManyResourcesAreSplitToFitAClientsLimit) {
  const std::string large(100000, 'x');
  for (const bool by_alias : {false, true}) {
    std::vector<std::string> resources;
    Names names;
    for (int i = 0; i < 50; i++) {
      names.push_back(std::to_string(100 + i));
      resources.push_back("CDS " + names.back() +
                          (by_alias ? "|" + names.back() + large + "=1" : "=" + large));
    }
    Serve(resources);
    uint64_t c = OpenDelta();
    SendDelta(c, CDS, names);
    std::vector<Response> responses = Responses(c);
    EXPECT_EQ(responses.size(), 2u) << by_alias;
    size_t count = 0;
    for (const Response &response : responses) count += response.resources.size();
    EXPECT_EQ(count, 50u);
  }
}

TEST_F(Delta, ServicesOfOneTypeServeThatType) {
  Serve({"CDS a=1", "EDS a=1", "LDS l=1", "RDS r=1"});
  struct {
    gxds_ads_service service;
    Type type;
    const char *name;
    const char *sent;
  } services[] = {{GXDS_ADS_LDS_SOTW, LDS, "l", "LDS l=1"},
                  {GXDS_ADS_RDS_SOTW, RDS, "r", "RDS r=1"},
                  {GXDS_ADS_CDS_SOTW, CDS, "a", "CDS a=1"},
                  {GXDS_ADS_EDS_SOTW, EDS, "a", "EDS a=1"}};
  for (const auto &s : services) {
    uint64_t c = Open("peer", s.service);
    Send(c, s.type, {s.name});
    EXPECT_EQ(Got(c), s.sent);
    c = Open("peer", s.service);
    Send(c, Request{"", {s.name}, "", "", "", "node"});  // no type URL is needed
    EXPECT_EQ(Got(c), s.sent);
    c = OpenDelta(static_cast<gxds_ads_service>(s.service + 1));
    Bytes(c, Encode(DeltaRequest{"", {s.name}, {}, {}, "", "", "node"}));
    EXPECT_EQ(Got(c), s.sent);
    closed_.clear();
    SendDelta(c, s.type == CDS ? EDS : CDS, {"a"});
    EXPECT_EQ(closed_, "a request on the stream of one type must be of that type");
  }
}

TEST_F(Delta, WhatIsNoRequestEndsTheStream) {
  uint64_t c = OpenDelta();
  Bytes(c, "\xff");
  EXPECT_EQ(closed_, "the message is no DeltaDiscoveryRequest");
  c = OpenDelta();
  Bytes(c, Encode(DeltaRequest{"", {"a"}, {}, {}, "", "", ""}));
  EXPECT_EQ(closed_, "a request on an ADS stream must have a type_url");
  c = OpenDelta();
  Events();
  Bytes(c, Encode(DeltaRequest{"type.googleapis.com/unknown", {"a"}, {}, {}, "", "", ""}));
  EXPECT_NE(Events().find("type.googleapis.com/unknown"), std::string::npos);
  EXPECT_EQ(gxds_ads_server_stream_count(server_), 1u);
}

}  // namespace
