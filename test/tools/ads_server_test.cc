// The server's rules of SotW ADS, one by one, without I/O. The test sets the time.
#include "test/tools/ads_fixture.h"

namespace {

// Subscriptions.

TEST_F(Ads, NamesThatExistAreSentAtOnce) {
  Serve({"LDS l=1", "RDS r=1", "CDS a=1", "CDS b=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"l"});
  EXPECT_EQ(Got(c), "LDS l=1");
  Send(c, RDS, {"r"});
  EXPECT_EQ(Got(c), "RDS r=1");
  Send(c, CDS, {"b"});
  EXPECT_EQ(Got(c), "CDS b=1");
  Send(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=1");
}

TEST_F(Ads, NamesThatDoNotExistAreWaitedFor) {
  Serve({"LDS other=1"});
  uint64_t c = Open();
  for (Type type : {RDS, EDS}) Send(c, type, {"x"});
  EXPECT_EQ(Got(c), "");
  for (Type type : {LDS, CDS}) Send(c, type, {"x"});
  EXPECT_EQ(Got(c), "LDS; CDS") << "the first response says that there is nothing";
  for (Type type : {LDS, CDS}) Ack(c, type, {"x", "y"});
  EXPECT_EQ(Got(c), "");
  Serve({"LDS other=1", "EDS x=1"});
  EXPECT_EQ(Got(c), "EDS x=1");
  Serve({"LDS other=1", "EDS x=1", "LDS x=1", "RDS x=1", "CDS x=1"});
  EXPECT_EQ(Got(c), "CDS x=1; LDS x=1; RDS x=1");
}

TEST_F(Ads, AClientThatComesBackIsSentRemovalsOfListenersAndClusters) {
  Serve({"LDS a=1", "CDS a=1", "LDS other=1", "CDS other=1"});
  uint64_t c = Open();
  for (Type type : {LDS, CDS}) Send(c, type, {"a"});
  for (Type type : {LDS, CDS}) Ack(c, type, {"a"});
  EXPECT_EQ(Got(c), "LDS a=1; CDS a=1");
  gxds_ads_server_on_closed(server_, c, View("gone"));
  Serve({"LDS other=1", "CDS other=1"});
  c = Open();
  for (Type type : {LDS, CDS}) Send(c, type, {"a"});
  EXPECT_EQ(Got(c), "LDS; CDS") << "their absence deletes them";
}

TEST_F(Ads, BeforeTheFirstGoodStateNothingIsSent) {
  uint64_t c = Open();
  Send(c, LDS, {});
  Send(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "");
  Serve({"LDS l=1", "EDS a=1"});
  EXPECT_EQ(Got(c), "EDS a=1; LDS l=1");
}

TEST_F(Ads, ANewlySubscribedNameIsSentThoughTheVersionIsTheSame) {
  Serve({"EDS a=1", "EDS b=1", "CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Send(c, CDS, {"a"});
  Got(c);
  std::string version = Last(c, EDS).version;
  Ack(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS b=1");
  EXPECT_EQ(Last(c, EDS).version, version);
  Ack(c, CDS, {"a", "b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1");
}

TEST_F(Ads, ANameSubscribedAgainIsSentAgain) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a", "b"});
  Ack(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=1 b=1");
  Ack(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS b=1");
}

TEST_F(Ads, AnUnsubscriptionGetsNoResponse) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a", "b"});
  Got(c);
  Ack(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "");
  Serve({"CDS a=1", "CDS b=2"});  // no client requests b any more
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, DuplicateNamesAreOne) {
  Serve({"EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a", "a", "a"});
  EXPECT_EQ(Got(c), "EDS a=1");
}

// Full state and increments.

TEST_F(Ads, LdsAndCdsResponsesCarryAllThatIsSubscribed) {
  Serve({"LDS a=1", "LDS b=1", "CDS a=1", "CDS b=1", "CDS c=1"});
  uint64_t c = Open();
  Send(c, LDS, {"a", "b", "missing"});
  Send(c, CDS, {"a", "b"});
  EXPECT_EQ(Got(c), "LDS a=1 b=1; CDS a=1 b=1");
  Serve({"LDS a=1", "LDS b=2", "CDS a=2", "CDS b=1", "CDS c=1"});
  EXPECT_EQ(Got(c), "CDS a=2 b=1; LDS a=1 b=2");
}

TEST_F(Ads, RdsAndEdsResponsesCarryOnlyWhatChanged) {
  Serve({"RDS a=1", "RDS b=1", "EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, RDS, {"a", "b"});
  Send(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "RDS a=1 b=1; EDS a=1 b=1");
  Serve({"RDS a=1", "RDS b=2", "EDS a=2", "EDS b=1"});
  EXPECT_EQ(Got(c), "EDS a=2; RDS b=2");
}

TEST_F(Ads, ARemovedRdsOrEdsResourceIsNotDeleted) {
  Serve({"RDS a=1", "EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, RDS, {"a"});
  Send(c, EDS, {"a", "b"});
  Ack(c, RDS, {"a"});
  Ack(c, EDS, {"a", "b"});
  Got(c);
  Serve({"EDS b=1"});
  Wait(60 * GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
  EXPECT_EQ(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
  Serve({"EDS a=1", "EDS b=1", "RDS a=2"});  // the client still has EDS a=1
  EXPECT_EQ(Got(c), "RDS a=2");
}

TEST_F(Ads, ARemovedLdsOrCdsResourceIsDeletedByItsAbsence) {
  Serve({"LDS a=1", "LDS b=1", "CDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"a", "b"});
  Send(c, CDS, {"a"});
  Ack(c, LDS, {"a", "b"});
  Ack(c, CDS, {"a"});
  Got(c);
  Wait(GXDS_SECOND);
  Serve({"LDS b=1"});
  EXPECT_EQ(Got(c), "LDS b=1");
  Ack(c, LDS, {"a", "b"});
  Wait(GXDS_SECOND);
  EXPECT_EQ(Got(c), "CDS");  // an empty response says that a is gone
  Ack(c, CDS, {"a"});
  Wait(GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
  Serve({"LDS b=1", "CDS a=1"});
  EXPECT_EQ(Got(c), "CDS a=1");
}

// Envoy's xDS protocol: a changed cluster is warming until its endpoints are sent again.

TEST_F(Ads, AClusterThatComesOrChangesHasItsEndpointsSentAgain) {
  Serve({"CDS a>=1", "CDS b>of-b=1", "EDS a=1", "EDS of-b=1"});
  uint64_t c = Open();
  Send(c, CDS, {"*"});
  Send(c, EDS, {"a", "of-b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1; EDS a=1 of-b=1");
  Serve({"CDS a>=2", "CDS b>of-b=1", "EDS a=1", "EDS of-b=1"});
  EXPECT_EQ(Got(c), "CDS a=2 b=1; EDS a=1") << "of b nothing changed";
  Serve({"CDS a>=2", "CDS b>of-b=2", "EDS a=1", "EDS of-b=2"});
  EXPECT_EQ(Got(c), "CDS a=2 b=2; EDS of-b=2") << "once";
  Serve({"CDS a>=2", "CDS b>of-b=2", "CDS c>of-b=1", "EDS a=1", "EDS of-b=2"});
  EXPECT_EQ(Got(c), "CDS a=2 b=2 c=1; EDS of-b=2") << "the new one shares them";
  Serve({"CDS a>=2", "CDS b>of-b=2", "CDS c>of-b=1", "CDS d>of-d=1", "EDS a=1", "EDS of-b=2",
         "EDS of-d=1"});
  EXPECT_EQ(Got(c), "CDS a=2 b=2 c=1 d=1") << "the client did not ask for those of d yet";
}

TEST_F(Ads, OnlyTypesInWhichSomethingSubscribedChangedArePushed) {
  Serve({"LDS a=1", "RDS a=1", "CDS a=1", "CDS b=1", "EDS a=1"});
  uint64_t c = Open();
  for (Type type : {LDS, RDS, CDS, EDS}) Send(c, type, {"a"});
  Got(c);
  Serve({"LDS a=1", "RDS a=1", "CDS a=1", "CDS b=2", "EDS a=1", "EDS b=1"});
  EXPECT_EQ(Got(c), "");
  Serve({"LDS a=1", "RDS a=1", "CDS a=1", "CDS b=2", "EDS a=2", "EDS b=1"});
  EXPECT_EQ(Got(c), "EDS a=2");
}

TEST_F(Ads, EachClientGetsWhatItSubscribedTo) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t first = Open();
  uint64_t second = Open();
  uint64_t both = Open();
  Send(first, EDS, {"a"});
  Send(second, EDS, {"b"});
  Send(both, EDS, {"a", "b"});
  EXPECT_EQ(Got(first), "EDS a=1");
  EXPECT_EQ(Got(second), "EDS b=1");
  EXPECT_EQ(Got(both), "EDS a=1 b=1");
  Serve({"EDS a=2", "EDS b=1"});
  EXPECT_EQ(Got(first), "EDS a=2");
  EXPECT_EQ(Got(second), "");
  EXPECT_EQ(Got(both), "EDS a=2");
}

// ACKs and NACKs.

TEST_F(Ads, AnAckGetsNoResponse) {
  Serve({"LDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"a"});
  Got(c);
  Ack(c, LDS, {"a"});
  Ack(c, LDS, {"a"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, ANackGetsNoResponse) {
  Serve({"LDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"a"});
  Got(c);
  Nack(c, LDS, {"a"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, ARefusedVersionIsNotSentAgainUntilTheContentChanges) {
  Serve({"CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, EDS, {"a"});
  Got(c);
  Nack(c, CDS, {"a"});
  Nack(c, EDS, {"a"});
  Serve({"CDS a=1", "EDS a=1", "CDS b=1", "EDS b=1"});  // versions of the types change
  EXPECT_EQ(Got(c), "");
  Serve({"CDS a=2", "EDS a=2"});
  EXPECT_EQ(Got(c), "CDS a=2; EDS a=2");
}

TEST_F(Ads, ANackMaySubscribeToMore) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Got(c);
  Nack(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS b=1");
}

TEST_F(Ads, AStaleNonceGetsNoResponse) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  std::string first = Last(c, EDS).nonce;
  Serve({"EDS a=2", "EDS b=1"});
  EXPECT_EQ(Got(c), "EDS a=1; EDS a=2");
  Events();
  // This request crossed the second response.
  Send(c, {TypeUrl(EDS), {"a", "b"}, first, "", "", ""});
  EXPECT_EQ(Got(c), "");
  EXPECT_EQ(Events(), "node@peer: EDS stale nonce 1\n");
  Ack(c, EDS, {"a", "b"});  // the client then accepts it, with the same names
  EXPECT_EQ(Got(c), "EDS b=1");
}

TEST_F(Ads, ANonceThatWasNeverGivenIsStale) {
  Serve({"EDS a=1", "LDS a=1"});
  uint64_t c = Open();
  Send(c, {TypeUrl(EDS), {"a"}, "7", "", "", ""});
  EXPECT_EQ(Got(c), "");
  Send(c, LDS, {"a"});
  EXPECT_EQ(Got(c), "LDS a=1");
  Send(c, {TypeUrl(EDS), {"a"}, Last(c, LDS).nonce, "", "", ""});  // the nonce of another type
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, ANoncesLifeIsOneStream) {
  Serve({"EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Request request = {TypeUrl(EDS), {"a"}, Last(c, EDS).nonce, "", "", ""};
  gxds_ads_server_on_closed(server_, c, gxds_str_z("gone"));
  uint64_t again = Open();
  EXPECT_NE(again, c);
  Send(again, request);
  EXPECT_EQ(Got(again), "");
}

TEST_F(Ads, ANewerRequestSupersedesTheOlder) {
  auto_sent_ = false;
  Serve({"EDS a=1", "EDS b=1", "EDS c=1", "LDS l=1"});
  uint64_t c = Open();
  Send(c, LDS, {"l"});  // keeps the stream busy
  EXPECT_EQ(Got(c), "LDS l=1");
  Send(c, EDS, {"a"});
  Send(c, EDS, {"b"});
  Send(c, EDS, {"b", "c"});
  EXPECT_EQ(Got(c), "");
  Sent(c);
  EXPECT_EQ(Got(c), "EDS b=1 c=1");
}

TEST_F(Ads, ARequestWithoutNonceThatCrossedAResponseCounts) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Send(c, EDS, {"a", "b"});  // sent before the first response arrived
  EXPECT_EQ(Got(c), "EDS a=1; EDS b=1");
}

TEST_F(Ads, ASlowClientGetsTheLatestStateOnly) {
  auto_sent_ = false;
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a", "b"});
  EXPECT_EQ(Got(c), "EDS a=1 b=1");
  Serve({"EDS a=2", "EDS b=1"});
  Serve({"EDS a=3", "EDS b=1"});
  EXPECT_EQ(Got(c), "");
  Sent(c);
  EXPECT_EQ(Got(c), "EDS a=3");
  Serve({"EDS a=4", "EDS b=1"});
  Serve({"EDS a=3", "EDS b=1"});  // back to the version that the client has
  Sent(c);
  EXPECT_EQ(Got(c), "");
}

// Wildcards.

TEST_F(Ads, AnEmptyFirstLdsOrCdsRequestGetsEverything) {
  Serve({"LDS a=1", "LDS b=1", "CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, LDS, {});
  Send(c, CDS, {});
  EXPECT_EQ(Got(c), "LDS a=1 b=1; CDS a=1 b=1");
  Ack(c, CDS, {});  // still
  Serve({"LDS a=1", "LDS b=1", "CDS a=1", "CDS b=1", "CDS c=1"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1 c=1");
}

TEST_F(Ads, AnEmptyFirstRdsOrEdsRequestGetsNothing) {
  Serve({"RDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, RDS, {});
  Send(c, EDS, {});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, AStarGetsEverything) {
  Serve({"LDS a=1", "CDS a=1", "RDS a=1", "EDS a=1", "EDS b=1"});
  uint64_t c = Open();
  for (Type type : {LDS, CDS, RDS, EDS}) Send(c, type, {"*"});
  EXPECT_EQ(Got(c), "LDS a=1; CDS a=1; RDS a=1; EDS a=1 b=1");
  Serve({"LDS a=1", "CDS a=1", "RDS a=1", "EDS a=1", "EDS b=2", "EDS c=1"});
  EXPECT_EQ(Got(c), "EDS b=2 c=1");
}

TEST_F(Ads, AWildcardGetsAResponseEvenWhenItIsEmpty) {
  Serve({});
  uint64_t c = Open();
  Send(c, LDS, {});
  EXPECT_EQ(Got(c), "LDS");
  Ack(c, LDS, {});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, NamesEndTheLegacyWildcardAndAnEmptyListThenMeansNothing) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, CDS, {});
  Got(c);
  Ack(c, CDS, {"a"});
  Serve({"CDS a=1", "CDS b=2"});
  EXPECT_EQ(Got(c), "");
  Ack(c, CDS, {});
  Serve({"CDS a=2", "CDS b=2"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, AnEmptyRequestAfterNamesIsNoWildcard) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Got(c);
  Ack(c, CDS, {});
  Serve({"CDS a=2", "CDS b=2"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, AStarCanBeDroppedAndNamesStay) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, CDS, {"*", "a"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1");
  Ack(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "");
  Serve({"CDS a=1", "CDS b=2"});
  EXPECT_EQ(Got(c), "");
  Serve({"CDS a=2", "CDS b=2"});
  EXPECT_EQ(Got(c), "CDS a=2");
}

TEST_F(Ads, ARemovedResourceOfAWildcardIsDeletedByItsAbsence) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open();
  Send(c, CDS, {});
  Ack(c, CDS, {});
  Got(c);
  Wait(GXDS_SECOND);
  Serve({"CDS b=1"});
  EXPECT_EQ(Got(c), "CDS b=1");
}

// Order.

TEST_F(Ads, WhatOthersReferToComesFirst) {
  Serve({"LDS a=1", "RDS a=1", "CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  for (Type type : {RDS, LDS, EDS, CDS}) Send(c, type, {"a"});
  Got(c);
  Serve({"LDS a=2", "RDS a=2", "CDS a=2", "EDS a=2"});
  EXPECT_EQ(Got(c), "CDS a=2; EDS a=2; LDS a=2; RDS a=2");
}

TEST_F(Ads, RemovalsComeLast) {
  // The route moves from cluster a to b in one step.
  Serve({"LDS l=1", "RDS r=1", "CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"l"});
  Send(c, RDS, {"r"});
  Send(c, CDS, {"a", "b"});
  Send(c, EDS, {"a"});
  for (Type type : {LDS, RDS, EDS}) Ack(c, type, {type == LDS ? "l" : type == RDS ? "r" : "a"});
  Ack(c, CDS, {"a", "b"});
  Got(c);
  Wait(GXDS_SECOND);
  Serve({"LDS l=1", "RDS r=2", "CDS b=1", "EDS b=1"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1; RDS r=2");  // a still exists
  std::string making = Last(c, CDS).version;
  Ack(c, CDS, {"a", "b"});
  Ack(c, RDS, {"r"});
  Wait(GXDS_FILE_REMOVAL_GRACE - 1);
  EXPECT_EQ(Got(c), "");
  Ack(c, EDS, {"a", "b"});  // the client requests the new name
  EXPECT_EQ(Got(c), "EDS b=1");
  Ack(c, EDS, {"b"});
  Wait(GXDS_FILE_REMOVAL_GRACE - 1);
  EXPECT_EQ(Got(c), "");
  Wait(1);
  EXPECT_EQ(Got(c), "CDS b=1");
  EXPECT_EQ(making, Last(c, CDS).version + "+1");
}

TEST_F(Ads, AClientThatDropsWhatWasRemovedNeedsNoRemoval) {
  Serve({"CDS a=1", "RDS r=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, RDS, {"r"});
  Got(c);
  Serve({"CDS b=1", "RDS r=2"});
  EXPECT_EQ(Got(c), "RDS r=2");
  Ack(c, CDS, {"b"});
  Ack(c, RDS, {"r"});
  EXPECT_EQ(Got(c), "CDS b=1");
  Ack(c, CDS, {"b"});
  Wait(60 * GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, RemovalsWaitForTheClientsAckButNotForEver) {
  Serve({"CDS a=1", "RDS r=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, RDS, {"r"});
  Got(c);
  Serve({"RDS r=2"});
  EXPECT_EQ(Got(c), "RDS r=2");
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "");  // it did not accept r=2 yet
  EXPECT_EQ(gxds_ads_server_deadline(server_),
            now_ - GXDS_FILE_REMOVAL_GRACE + GXDS_ADS_REMOVAL_MAX);
  Wait(GXDS_ADS_REMOVAL_MAX - GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS");
}

TEST_F(Ads, ARemovalThatIsTakenBackIsNotSent) {
  Serve({"CDS a=1", "RDS r=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, RDS, {"r"});
  Serve({"RDS r=2"});
  Got(c);
  Serve({"RDS r=2", "CDS a=1"});
  Wait(60 * GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
  EXPECT_EQ(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
}

TEST_F(Ads, ListenersAreRemovedBeforeClusters) {
  Serve({"LDS l=1", "CDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"l"});
  Send(c, CDS, {"a"});
  Ack(c, LDS, {"l"});
  Ack(c, CDS, {"a"});
  Got(c);
  Wait(GXDS_SECOND);
  Serve({});
  EXPECT_EQ(Got(c), "LDS");
  Wait(GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
  Ack(c, LDS, {"l"});
  Wait(GXDS_FILE_REMOVAL_GRACE);
  EXPECT_EQ(Got(c), "CDS");
}

TEST_F(Ads, OneMessageAtATimeIsUnderWay) {
  auto_sent_ = false;
  Serve({"LDS a=1", "RDS a=1", "CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  for (Type type : {LDS, RDS, CDS, EDS}) Send(c, type, {"a"});
  EXPECT_EQ(Got(c), "LDS a=1");
  Wait(60 * GXDS_SECOND);
  EXPECT_EQ(Got(c), "");
  Sent(c);
  EXPECT_EQ(Got(c), "CDS a=1");
  Sent(c);
  EXPECT_EQ(Got(c), "EDS a=1");
  Sent(c);
  EXPECT_EQ(Got(c), "RDS a=1");
  Sent(c);
  EXPECT_EQ(Got(c), "");
}

// Odd clients.

TEST_F(Ads, BytesThatAreNoRequestEndTheStream) {
  uint64_t c = Open();
  Bytes(c, "\xff\xff\xff");
  EXPECT_EQ(closed_, "the message is no DiscoveryRequest");
  EXPECT_EQ(gxds_ads_server_stream_count(server_), 0u);
  Send(c, LDS, {});  // later events of the stream are ignored
  Sent(c);
  gxds_ads_server_on_closed(server_, c, gxds_str_z("x"));
  Serve({"LDS a=1"});
  EXPECT_EQ(Got(c), "");
}

TEST_F(Ads, ARequestWithoutTypeEndsTheStream) {
  uint64_t c = Open();
  Send(c, {"", {"a"}, "", "", "", ""});
  EXPECT_EQ(closed_, "a request on an ADS stream must have a type_url");
}

TEST_F(Ads, AnUnknownTypeIsPrintedAndGetsNoResponse) {
  Serve({"LDS a=1"});
  uint64_t c = Open();
  Events();
  Send(c, {"type.googleapis.com/envoy.api.v2.Cluster", {"a"}, "", "", "", "n"});
  EXPECT_EQ(Events(), "n@peer: ads unknown_type: type.googleapis.com/envoy.api.v2.Cluster\n");
  EXPECT_EQ(Got(c), "");
  Send(c, LDS, {"a"});
  EXPECT_EQ(Got(c), "LDS a=1");
}

TEST_F(Ads, AClosedStreamIsForgotten) {
  Serve({"LDS a=1"});
  uint64_t c = Open();
  Send(c, LDS, {"a"});
  Events();
  gxds_ads_server_on_closed(server_, c, gxds_str_z("the client went away"));
  EXPECT_EQ(gxds_ads_server_stream_count(server_), 0u);
  Serve({"LDS a=2"});
  EXPECT_EQ(Got(c), "LDS a=1");
  EXPECT_EQ(Events(), "node@peer: ads stream closed: the client went away\n");
}

// Output for the operator.

TEST_F(Ads, SubscriptionsPushesAcksAndNacksArePrinted) {
  Serve({"CDS a=1", "CDS b=1"});
  uint64_t c = Open("ipv4:1.2.3.4:5");
  EXPECT_EQ(Events(), "ipv4:1.2.3.4:5: ads stream opened\n");
  Send(c, CDS, {"a", "b", "c"});
  const std::string client = "node@ipv4:1.2.3.4:5: CDS ";
  const std::string first = Last(c, CDS).version;
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(Events(),
            client + "subscribed a, b, c\n" + client + "push a, b version " + first + " nonce 1\n");
  Ack(c, CDS, {"a"});
  EXPECT_EQ(Events(),
            client + "ACK version " + first + " nonce 1\n" + client + "unsubscribed b, c\n");
  Ack(c, CDS, {"a"});  // without news
  EXPECT_EQ(Events(), "");
  Serve({"CDS a=2", "CDS b=1"});
  const std::string second = Last(c, CDS).version;
  EXPECT_NE(first, second);
  Nack(c, CDS, {"a"}, "no\nway");
  EXPECT_EQ(Events(), client + "push a version " + second + " nonce 2\n" + client +
                          "NACK version old nonce 2: no\\x0away\n");
  Wait(GXDS_SECOND);
  Serve({"CDS b=1"});
  const std::string third = Last(c, CDS).version;
  EXPECT_EQ(Events(), client + "push; no longer a version " + third + " nonce 3\n");
}

TEST_F(Ads, TheNodeOfTheFirstRequestIsKept) {
  Serve({"LDS a=1"});
  uint64_t c = Open();
  Send(c, {TypeUrl(LDS), {"a"}, "", "", "", "first"});
  Events();
  Ack(c, LDS, {"a"});  // without node
  EXPECT_EQ(Events().substr(0, 15), "first@peer: LDS");
}

}  // namespace
