// An update of a type waits for the client's ACK of the response before it, so that a slow
// client gets one update of all that changed meanwhile.
#include "test/tools/ads_fixture.h"

namespace {

using xds_test::DeltaRequest;

class Acks : public Ads {
 protected:
  void SendDelta(uint64_t stream, Type type, const Names &subscribe) {
    Bytes(stream, Encode(DeltaRequest{TypeUrl(type), subscribe, {}, {}, "", "", "node"}));
  }
  void AckDelta(uint64_t stream, Type type) {
    Bytes(stream,
          Encode(DeltaRequest{TypeUrl(type), {}, {}, {}, Last(stream, type).nonce, "", ""}));
  }
};

TEST_F(Acks, AreWaitedForBeforeAnUpdate) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"a", "b"});
  SendDelta(delta, EDS, {"a", "b"});
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "EDS a=1 b=1");
  ServeAtOnce({"EDS a=2", "EDS b=1"});
  ServeAtOnce({"EDS a=3", "EDS b=1"});
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "");
  Ack(sotw, EDS, {"a", "b"});
  AckDelta(delta, EDS);
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "EDS a=3");
}

TEST_F(Acks, AreWaitedForNotForEver) {
  Serve({"EDS a=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"a"});
  SendDelta(delta, EDS, {"a"});
  for (uint64_t stream : {sotw, delta}) Got(stream);
  ServeAtOnce({"EDS a=2"});
  EXPECT_EQ(gxds_ads_server_deadline(server_), now_ + GXDS_ADS_ACK_MAX);
  Wait(GXDS_ADS_ACK_MAX - 1);
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "");
  Wait(1);
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "EDS a=2");
  EXPECT_EQ(gxds_ads_server_deadline(server_), GXDS_TIME_NEVER);
}

TEST_F(Acks, MayBeNacks) {
  Serve({"EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  ServeAtOnce({"EDS a=2"});
  EXPECT_EQ(Got(c), "EDS a=1");
  Nack(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=2");
}

TEST_F(Acks, AreNotWaitedForByWhatIsSubscribed) {
  Serve({"EDS a=1", "EDS b=1"});
  uint64_t sotw = Open();
  uint64_t delta = Open("peer", GXDS_ADS_DELTA);
  Send(sotw, EDS, {"a"});
  SendDelta(delta, EDS, {"a"});
  Send(sotw, EDS, {"a", "b"});
  SendDelta(delta, EDS, {"b"});
  for (uint64_t stream : {sotw, delta}) EXPECT_EQ(Got(stream), "EDS a=1; EDS b=1");
}

TEST_F(Acks, OfOneTypeAreNotWaitedForByAnother) {
  Serve({"CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, EDS, {"a"});
  Ack(c, CDS, {"a"});
  Got(c);
  ServeAtOnce({"CDS a=2", "EDS a=1"});
  EXPECT_EQ(Got(c), "CDS a=2");
}

// Make before break: a route may name the cluster that waits.
TEST_F(Acks, AreWaitedForByWhatComesAfterTheUpdate) {
  Serve({"CDS a=1", "RDS r=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a", "b"});
  Send(c, RDS, {"r"});
  Ack(c, RDS, {"r"});
  EXPECT_EQ(Got(c), "CDS a=1; RDS r=1");
  ServeAtOnce({"CDS a=1", "CDS b=1", "RDS r=2"});
  EXPECT_EQ(Got(c), "");
  Ack(c, CDS, {"a", "b"});
  EXPECT_EQ(Got(c), "CDS a=1 b=1; RDS r=2");
}

// Envoy answers clusters only when it has their endpoints.
TEST_F(Acks, OfClustersAreNotWaitedForByEndpoints) {
  Serve({"CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, CDS, {"a"});
  Send(c, EDS, {"a"});
  Ack(c, EDS, {"a"});
  Got(c);
  ServeAtOnce({"CDS a=2", "EDS a=2"});
  EXPECT_EQ(Got(c), "EDS a=2");
  Ack(c, CDS, {"a"});
  EXPECT_EQ(Got(c), "CDS a=2");
}

TEST_F(Acks, OfSeveralTypesAreWaitedForUntilTheFirstOneIsDue) {
  Serve({"CDS a=1", "EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  Wait(GXDS_ADS_ACK_MAX / 2);
  Send(c, CDS, {"a"});
  Got(c);
  ServeAtOnce({"CDS a=2", "EDS a=2"});
  Wait(GXDS_ADS_ACK_MAX / 2);
  EXPECT_EQ(Got(c), "EDS a=2");
  Wait(GXDS_ADS_ACK_MAX / 2);
  EXPECT_EQ(Got(c), "CDS a=2");
}

TEST_F(Acks, AreWaitedForOnceTheMessageIsSent) {
  auto_sent_ = false;
  Serve({"EDS a=1"});
  uint64_t c = Open();
  Send(c, EDS, {"a"});
  ServeAtOnce({"EDS a=2"});
  Sent(c);
  EXPECT_EQ(Got(c), "EDS a=1");
  Ack(c, EDS, {"a"});
  EXPECT_EQ(Got(c), "EDS a=2");
}

}  // namespace
