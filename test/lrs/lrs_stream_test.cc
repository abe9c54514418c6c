#include "lrs/lrs_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "envoy/config/core/v3/base.upb.h"
#include "envoy/config/endpoint/v3/load_report.upb.h"
#include "envoy/service/load_stats/v3/lrs.upb.h"
#include "google/protobuf/duration.upb.h"
#include "lrs/lrs_codec.h"
#include "test/lrs/lrs_fakes.h"

namespace lrs_test {
namespace {

struct Counts {
  uint64_t issued = 0, succeeded = 0, failed = 0, dropped = 0;
  bool operator==(const Counts &o) const {
    return issued == o.issued && succeeded == o.succeeded && failed == o.failed &&
           dropped == o.dropped;
  }
};

// The stream, with the test as the server. Actions as text: "open 1", "first 1", "read 1", "report
// 1 c(issued=2 ok=1 err=1 now=0 drop=0 in 5s)", "close 1".
struct Scenario {
  Store store{gxds_load_store_create(nullptr, nullptr)};
  gxds_bootstrap bootstrap = {};
  gxds_bootstrap_server server = Server("lrs:1");
  gxds_time now = 1000 * GXDS_SECOND;
  gxds_lrs_stream *stream = nullptr;
  std::map<std::string, Counts> last_report;
  size_t last_size = 0;

  explicit Scenario(uint64_t seed = 1) {
    stream = gxds_lrs_stream_create(&bootstrap, &server, store.get(), seed, now);
  }
  ~Scenario() { gxds_lrs_stream_destroy(stream); }

  std::string Report(gxds_str bytes) {
    upb_Arena *arena = upb_Arena_New();
    auto *request =
        envoy_service_load_stats_v3_LoadStatsRequest_parse(bytes.data, bytes.size, arena);
    std::string out;
    last_size = bytes.size;
    last_report.clear();
    size_t count;
    auto *all = envoy_service_load_stats_v3_LoadStatsRequest_cluster_stats(request, &count);
    for (size_t i = 0; i < count; i++) {
      upb_StringView name = envoy_config_endpoint_v3_ClusterStats_cluster_name(all[i]);
      Counts c;
      uint64_t in_progress = 0;
      c.dropped = envoy_config_endpoint_v3_ClusterStats_total_dropped_requests(all[i]);
      size_t n;
      auto *ls = envoy_config_endpoint_v3_ClusterStats_upstream_locality_stats(all[i], &n);
      for (size_t k = 0; k < n; k++) {
        using namespace std;
        c.issued += envoy_config_endpoint_v3_UpstreamLocalityStats_total_issued_requests(ls[k]);
        c.succeeded +=
            envoy_config_endpoint_v3_UpstreamLocalityStats_total_successful_requests(ls[k]);
        c.failed += envoy_config_endpoint_v3_UpstreamLocalityStats_total_error_requests(ls[k]);
        in_progress +=
            envoy_config_endpoint_v3_UpstreamLocalityStats_total_requests_in_progress(ls[k]);
      }
      auto *interval = envoy_config_endpoint_v3_ClusterStats_load_report_interval(all[i]);
      out += " " + std::string(name.data, name.size) + "(" + std::to_string(c.issued) + "=" +
             std::to_string(c.succeeded) + "+" + std::to_string(c.failed) + ", " +
             std::to_string(in_progress) + " now, " + std::to_string(c.dropped) + " dropped, " +
             std::to_string(google_protobuf_Duration_seconds(interval)) + "s)";
      last_report[std::string(name.data, name.size)] = c;
    }
    bool first = envoy_service_load_stats_v3_LoadStatsRequest_has_node(request);
    upb_Arena_Free(arena);
    return first ? "first" : "report" + out;
  }

  std::string Drain() {
    std::string out;
    while (const gxds_lrs_action *a = gxds_lrs_stream_next_action(stream)) {
      if (!out.empty()) out += "; ";
      if (a->kind == GXDS_LRS_OPEN) out += "open";
      if (a->kind == GXDS_LRS_SEND) out += Report(a->bytes);
      if (a->kind == GXDS_LRS_READ) out += "read";
      if (a->kind == GXDS_LRS_CLOSE) out += "close";
      out += " @" + std::to_string(a->id);
      if (a->kind == GXDS_LRS_OPEN) {
        EXPECT_STREQ(a->method,
                     "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats");
      }
    }
    return out;
  }
  void Sent(uint64_t id) { gxds_lrs_stream_on_sent(stream, id, now); }
  void Responds(uint64_t id, const std::string &bytes) {
    gxds_lrs_stream_on_message(stream, id, bytes.data(), bytes.size(), now);
  }
  static std::string All(int seconds) {
    return std::string("\x20\x01\x12\x02\x08", 5) + char(seconds);
  }
  static std::string Only(char cluster, int seconds) {
    return std::string("\x0a\x01") + cluster + std::string("\x12\x02\x08", 3) + char(seconds);
  }
  gxds_load_use Use() { return gxds_load_store_use(store.get(), &server); }
  void Closed(uint64_t id, gxds_code code = GXDS_UNAVAILABLE) {
    gxds_status status = gxds_status_make(code, "gone");
    gxds_lrs_stream_on_closed(stream, id, &status, now);
    gxds_status_fini(&status);
  }
  gxds_duration Wait() const {
    gxds_time d = gxds_lrs_stream_deadline(stream);
    return d == GXDS_TIME_NEVER ? -1 : d - now;
  }
  // Lets time pass until the deadline.
  std::string Elapse() {
    now = gxds_lrs_stream_deadline(stream);
    gxds_lrs_stream_on_deadline(stream, now);
    return Drain();
  }
  void Start(const std::string &response) {
    EXPECT_EQ(Drain(), "open @1; first @1; read @1");
    Sent(1);
    Responds(1, response);
    EXPECT_EQ(Drain(), "read @1");
  }
};

TEST(LrsStream, OpensAndSendsItsNodeAtOnce) {
  Scenario s;
  EXPECT_EQ(s.Drain(), "open @1; first @1; read @1");
  EXPECT_EQ(s.Wait(), -1) << "nothing to wait for but the response";
}

TEST(LrsStream, ReportsAfterTheIntervalAndThenAnIntervalAfterEachWasSent) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  s.Start(Scenario::All(5));
  EXPECT_EQ(s.Wait(), 5 * GXDS_SECOND);
  Call(l);
  EXPECT_EQ(s.Elapse(), "report c(1=1+0, 0 now, 0 dropped, 5s) @1");
  EXPECT_EQ(s.Wait(), -1) << "not before this one was sent";
  s.now += 2 * GXDS_SECOND;
  s.Sent(1);
  EXPECT_EQ(s.Wait(), 5 * GXDS_SECOND);
  Call(l, true);
  EXPECT_EQ(s.Elapse(), "report c(1=0+1, 0 now, 0 dropped, 7s) @1");
}

TEST(LrsStream, ResponseBeforeTheFirstRequestWasReportedSent) {
  Scenario s;
  s.Drain();
  s.Responds(1, Scenario::All(5));
  EXPECT_EQ(s.Wait(), -1);
  s.Sent(1);
  EXPECT_EQ(s.Wait(), 5 * GXDS_SECOND);
}

TEST(LrsStream, EarlyDeadlineIsHarmless) {
  Scenario s;
  s.Start(Scenario::All(5));
  gxds_lrs_stream_on_deadline(s.stream, s.now + GXDS_SECOND);
  EXPECT_EQ(s.Drain(), "");
}

TEST(LrsStream, IntervalBelowOneSecondIsOneSecond) {
  Scenario s;
  s.Start("\x20\x01");
  EXPECT_EQ(s.Wait(), GXDS_SECOND);
}

TEST(LrsStream, OnlyTheNamedClustersAreReported) {
  Scenario s;
  Load a = Locality(s.store.get(), s.server, "a");
  Load b = Locality(s.store.get(), s.server, "b");
  Call(a);
  Call(b);
  s.Start(Scenario::Only('b', 5));
  EXPECT_EQ(s.Elapse(), "report b(1=1+0, 0 now, 0 dropped, 5s) @1");
}

TEST(LrsStream, ChangedIntervalStartsANewInterval) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  s.Start(Scenario::All(10));
  s.now += 4 * GXDS_SECOND;
  s.Responds(1, Scenario::All(3));
  EXPECT_EQ(s.Drain(), "read @1");
  EXPECT_EQ(s.Wait(), 3 * GXDS_SECOND);
}

// Otherwise a server whose clusters change more often than this would get no reports.
TEST(LrsStream, OtherClustersDoNotPostponeTheReport) {
  Scenario s;
  Load b = Locality(s.store.get(), s.server, "b");
  Call(b);
  s.Start(Scenario::Only('a', 10));
  s.now += 4 * GXDS_SECOND;
  s.Responds(1, Scenario::Only('b', 10));
  EXPECT_EQ(s.Drain(), "read @1");
  EXPECT_EQ(s.Wait(), 6 * GXDS_SECOND);
  EXPECT_EQ(s.Elapse(), "report b(1=1+0, 0 now, 0 dropped, 10s) @1");
  s.Responds(1, Scenario::Only('a', 10));
  EXPECT_EQ(s.Wait(), -1) << "not before this one was sent";
  s.Sent(1);
  EXPECT_EQ(s.Wait(), 10 * GXDS_SECOND);
}

TEST(LrsStream, IdenticalResponseChangesNothing) {
  Scenario s;
  s.Start(Scenario::All(10));
  s.now += 4 * GXDS_SECOND;
  s.Responds(1, Scenario::All(10));
  EXPECT_EQ(s.Drain(), "read @1");
  EXPECT_EQ(s.Wait(), 6 * GXDS_SECOND);
}

TEST(LrsStream, ResponseWhileAReportIsOnItsWayCountsFromItsEnd) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  s.Start(Scenario::All(10));
  s.Elapse();
  s.Responds(1, Scenario::All(3));
  EXPECT_EQ(s.Wait(), -1);
  s.Sent(1);
  EXPECT_EQ(s.Wait(), 3 * GXDS_SECOND);
}

TEST(LrsStream, SecondZeroReportInARowIsSuppressed) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  s.Start(Scenario::All(5));
  EXPECT_EQ(s.Elapse(), "report c(0=0+0, 0 now, 0 dropped, 5s) @1");
  s.Sent(1);
  EXPECT_EQ(s.Elapse(), "");
  EXPECT_EQ(s.Elapse(), "");
  Call(l);
  EXPECT_EQ(s.Elapse(), "report c(1=1+0, 0 now, 0 dropped, 5s) @1");
  s.Sent(1);
  EXPECT_EQ(s.Elapse(), "report c(0=0+0, 0 now, 0 dropped, 5s) @1");
}

TEST(LrsStream, LongRunningRpcIsNotZero) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  gxds_locality_load_started(l.get());
  s.Start(Scenario::All(5));
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(s.Elapse().substr(0, 8), "report c");
    s.Sent(1);
  }
  gxds_locality_load_finished(l.get(), false);
}

TEST(LrsStream, ThatLivedShorterThanAStepOfTheBackoffWaitsForTheRestOfIt) {
  Scenario s;
  s.Start(Scenario::All(5));
  double step = double(GXDS_SECOND);
  for (uint64_t id = 1; id <= 10; id++) {
    const gxds_duration lived = gxds_duration(id) * 50 * GXDS_MILLISECOND;
    s.now += lived;
    s.Closed(id);
    EXPECT_EQ(s.Drain(), "");
    EXPECT_NEAR(double(s.Wait() + lived), step, 0.2 * step) << id;
    s.Elapse();
    EXPECT_EQ(s.Wait(), -1) << "no report before the new stream's response";
    s.Sent(id + 1);
    s.Responds(id + 1, Scenario::All(5));
    s.Drain();
    step = std::min(step * 1.6, 120.0 * double(GXDS_SECOND));
  }
}

TEST(LrsStream, ThatOutlivedItsStepReopensWithinASecond) {
  Scenario s;
  s.Start(Scenario::All(5));
  for (uint64_t id = 1; id <= 10; id++) {
    s.now += 2 * GXDS_SECOND;
    s.Closed(id);
    EXPECT_LT(s.Wait(), GXDS_SECOND);
    s.Elapse();
    s.Sent(id + 1);
    s.Responds(id + 1, Scenario::All(5));
    s.Drain();
  }
}

TEST(LrsStream, BacksOffWithoutAResponse) {
  Scenario s;
  s.Drain();
  s.Closed(1);
  EXPECT_EQ(s.Drain(), "");
  EXPECT_NEAR(double(s.Wait()), double(GXDS_SECOND), 0.2 * double(GXDS_SECOND));
  EXPECT_EQ(s.Elapse(), "open @2; first @2; read @2");
  s.Closed(2);
  EXPECT_NEAR(double(s.Wait()), 1.6 * double(GXDS_SECOND), 0.32 * double(GXDS_SECOND));
  s.Elapse();
  s.Sent(3);
  s.now += GXDS_SECOND * 100;
  s.Closed(3);
  EXPECT_NEAR(double(s.Wait()), 2.56 * double(GXDS_SECOND), 0.52 * double(GXDS_SECOND));
}

TEST(LrsStream, ServerThatDoesNotKnowTheMethodTakesNoReports) {
  Scenario s;
  s.Drain();
  Call(Locality(s.store.get(), s.server, "c"));
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  s.Closed(1, GXDS_UNIMPLEMENTED);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  s.Elapse();  // the server may support the service now
  s.Sent(2);
  s.Responds(2, Scenario::All(5));
  s.Drain();
  Call(Locality(s.store.get(), s.server, "c"));
  EXPECT_EQ(s.Elapse(), "report c(1=1+0, 0 now, 0 dropped, 6s) @2");
}

TEST(LrsStream, WhatIsLeftForAServerThatDoesNotRespondIsDroppedInTime) {
  Scenario s;
  EXPECT_EQ(s.Drain(), "open @1; first @1; read @1");
  Call(Locality(s.store.get(), s.server, "c"));
  gxds_lrs_stream_set_left(s.stream, true, s.now);
  gxds_lrs_stream_set_left(s.stream, true, s.now);
  EXPECT_EQ(s.Wait(), GXDS_LRS_LEFT_MAX);
  EXPECT_EQ(s.Use(), GXDS_LOAD_LEFT);
  s.Elapse();
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
  gxds_lrs_stream_set_left(s.stream, false, s.now);
  EXPECT_EQ(s.Wait(), -1);
}

TEST(LrsStream, WhatIsLeftForAServerThatRespondsIsReportedHoweverLateItWantsThat) {
  Scenario s;
  s.Start(Scenario::All(100));
  Call(Locality(s.store.get(), s.server, "c"));
  gxds_lrs_stream_set_left(s.stream, true, s.now);
  s.Responds(1, std::string("\x20\x01\x12\x03\x08\xac\x02", 7));  // 300 s
  s.Drain();
  EXPECT_EQ(s.Elapse(), "");
  EXPECT_EQ(s.Elapse(), "report c(1=1+0, 0 now, 0 dropped, 300s) @1");
  s.Sent(1);
  EXPECT_EQ(s.Use(), GXDS_LOAD_NONE);
}

TEST(LrsStream, ReportLostWithItsStreamIsInTheNext) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  Drops d = DropsOf(s.store.get(), s.server, "c");
  s.Start(Scenario::All(5));
  Call(l);
  gxds_drop_load_add_uncategorized(d.get());
  s.Elapse();
  s.Closed(1);
  s.Elapse();
  Call(l, true);
  s.Sent(2);
  s.Responds(2, Scenario::All(5));
  s.Drain();
  EXPECT_EQ(s.Elapse(), "report c(2=1+1, 0 now, 1 dropped, 10s) @2");
}

TEST(LrsStream, EventsOfAnOldStreamAreIgnored) {
  Scenario s;
  Load l = Locality(s.store.get(), s.server, "c");
  s.Start(Scenario::All(5));
  Call(l);
  s.Elapse();
  s.Closed(1);
  s.Elapse();
  s.Sent(1);
  s.Closed(1);
  s.Responds(1, Scenario::All(1));
  EXPECT_EQ(s.Drain(), "");
  s.Sent(2);
  s.Responds(2, Scenario::All(5));
  s.Drain();
  EXPECT_EQ(s.Elapse(), "report c(1=1+0, 0 now, 0 dropped, 10s) @2");
}

TEST(LrsStream, UndecodableResponseClosesAndBacksOff) {
  Scenario s;
  s.Drain();
  s.Sent(1);
  s.Responds(1,
             "\x0a\x10"
             "abc");
  EXPECT_EQ(s.Drain(), "close @1");
  EXPECT_GT(s.Wait(), 0);
  EXPECT_EQ(s.Elapse(), "open @2; first @2; read @2");
}

// A cluster whose report does not fit into a request: 300 localities whose backends reported 64
// names each.
struct Many {
  std::vector<std::string> zones;
  std::vector<Load> loads;
  explicit Many(Scenario *s) {
    for (int i = 0; i < 300; i++) zones.push_back("z" + std::to_string(i));
    for (auto &zone : zones)
      loads.push_back(Locality(s->store.get(), s->server, "c", zone.c_str()));
  }
  void CallAll() {
    for (auto &l : loads) {
      for (int i = 0; i < 64; i++) {
        const std::string name = std::to_string(i) + std::string(250, 'n');
        gxds_locality_load_reported(l.get(), GXDS_METRIC_NAMED,
                                    gxds_str_of(name.data(), name.size()), 1);
      }
      Call(l);
    }
  }
};

TEST(LrsStream, ReportGoesInRequestsThatAServerTakes) {
  Scenario s;
  Many many(&s);
  many.CallAll();
  s.Start(Scenario::All(5));
  uint64_t reported = 0;
  int requests = 0;
  for (std::string text = s.Elapse(); !text.empty(); text = s.Drain()) {
    EXPECT_LT(s.last_size, 4u << 20);
    EXPECT_EQ(s.Wait(), -1) << "the interval starts when all was sent";
    requests++;
    reported += s.last_report["c"].issued;
    s.Sent(1);
  }
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(reported, 300u);
  EXPECT_EQ(s.Wait(), 5 * GXDS_SECOND);
  EXPECT_EQ(s.Elapse(), "report c(0=0+0, 0 now, 0 dropped, 5s) @1");
}

TEST(LrsStream, WhatOfAReportWasSentIsNotSentAgainWhenTheRestIsLost) {
  Scenario s;
  Many many(&s);
  Drops d = DropsOf(s.store.get(), s.server, "c");
  gxds_drop_load_add_uncategorized(d.get());
  many.CallAll();
  s.Start(Scenario::All(5));
  s.Elapse();
  const Counts first = s.last_report["c"];
  EXPECT_EQ(first.dropped, 1u);
  s.Sent(1);
  s.Drain();
  const Counts second = s.last_report["c"];
  EXPECT_EQ(first.issued + second.issued, 300u);
  s.Closed(1);
  s.Elapse();
  s.Sent(2);
  s.Responds(2, Scenario::All(5));
  s.Drain();
  EXPECT_EQ(s.Elapse(), "report c(" + std::to_string(second.issued) + "=" +
                            std::to_string(second.issued) + "+0, 0 now, 0 dropped, 10s) @2");
}

// Random RPCs, drops, intervals and breaks of the stream at every point. In the end each count was
// reported exactly once.
TEST(LrsStream, NothingIsLostOrSentTwiceOverRandomBreaks) {
  for (unsigned seed = 1; seed <= 200; seed++) {
    std::mt19937 random(seed);
    auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    Scenario s(seed);
    const char *names[] = {"a", "b", "c"};
    std::vector<Load> loads(3);
    std::vector<std::vector<gxds_locality_load *>> in_progress(3);
    std::map<std::string, Counts> model, reported;
    uint64_t id = 1;
    bool sending = true, report = false, open = true, responded = false;
    auto drain = [&] {
      std::string text = s.Drain();
      if (text.find("open") != std::string::npos) {
        id++;
        open = sending = true;
        report = responded = false;
      } else if (text.find("report") != std::string::npos) {
        sending = report = true;
      }
    };
    id = 0;
    drain();
    auto step = [&](bool calls, bool breaks) {
      size_t i = random() % 3;
      if (calls && chance(60)) {
        if (!loads[i]) loads[i] = Locality(s.store.get(), s.server, names[i]);
        gxds_locality_load_started(loads[i].get());
        model[names[i]].issued++;
        in_progress[i].push_back(loads[i].get());  // kept until it has finished
      }
      if (!in_progress[i].empty() && (!calls || chance(50))) {
        bool failed = chance(30);
        gxds_locality_load_finished(in_progress[i].back(), failed);
        in_progress[i].pop_back();
        (failed ? model[names[i]].failed : model[names[i]].succeeded)++;
      }
      if (calls && chance(20)) {
        Drops d = DropsOf(s.store.get(), s.server, names[i]);
        gxds_drop_load_add_uncategorized(d.get());
        model[names[i]].dropped++;
      }
      if (calls && chance(20)) loads[i].reset();
      if (open && sending && chance(50)) {
        s.Sent(id);
        sending = false;
        if (report) {
          for (auto &p : s.last_report) {
            reported[p.first].issued += p.second.issued;
            reported[p.first].succeeded += p.second.succeeded;
            reported[p.first].failed += p.second.failed;
            reported[p.first].dropped += p.second.dropped;
          }
          report = false;
        }
      }
      if (open && !responded && chance(50)) {
        s.Responds(id, Scenario::All(1 + int(random() % 3)));
        responded = true;
        drain();
      }
      if (breaks && open && chance(15)) {
        open = report = sending = false;
        s.Closed(id);
        drain();
      }
      s.now += gxds_duration(random() % 2000) * GXDS_MILLISECOND;
      gxds_lrs_stream_on_deadline(s.stream, s.now);
      drain();
    };
    for (int i = 0; i < 300; i++) step(true, true);
    for (int i = 0; i < 300; i++) step(false, false);
    for (auto &p : model) EXPECT_TRUE(p.second == reported[p.first]) << p.first << " seed " << seed;
    for (auto &held : in_progress) EXPECT_TRUE(held.empty());
  }
}

}  // namespace
}  // namespace lrs_test
