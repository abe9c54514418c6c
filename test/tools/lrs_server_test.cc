// The responses of `xds serve` to load reporters, and its handling of their reports.
#include "tools/serve/lrs_server.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "test/files/support.h"
#include "test/tools/messages.h"
#include "tools/serve/load_totals.h"

namespace {

using xds_test::Report;

class Lrs : public ::testing::Test {
 protected:
  Lrs() : server_(gxds_lrs_server_create(1500 * GXDS_MILLISECOND)) {}
  ~Lrs() override { gxds_lrs_server_destroy(server_); }

  uint64_t Open(const char *peer = "peer") {
    uint64_t stream = gxds_lrs_server_open(server_, gxds_str_z(peer));
    Drain();
    return stream;
  }
  void Bytes(uint64_t stream, const std::string &bytes) {
    gxds_lrs_server_on_message(server_, stream, View(bytes));
    Drain();
  }
  void Send(uint64_t stream, const Report &report) { Bytes(stream, Encode(report)); }
  void Serve(const std::vector<std::string> &resources) {
    static gxds_schema *schema = gxds_schema_create();
    gxds_file_errors errors = {};
    const gxds_file_set *set = Build(schema, {{"f.json", xds_test::FileJson(resources)}}, &errors);
    ASSERT_NE(set, nullptr) << Take(&errors);
    gxds_lrs_server_set_resources(server_, set);
    gxds_file_set_unref(set);
    Drain();
  }
  void Sent(uint64_t stream) {
    gxds_lrs_server_on_sent(server_, stream);
    Drain();
  }
  std::string Got(uint64_t stream) {
    std::string s = sent_[stream];
    sent_.erase(stream);
    return s;
  }
  std::string Events() {
    std::string s = events_;
    events_.clear();
    return s;
  }
  void Drain() {
    gxds_serve_action action;
    while (gxds_lrs_server_next_action(server_, &action)) {
      if (action.kind == GXDS_SERVE_SEND) {
        sent_[action.stream] += xds_test::DecodeLoadStatsResponse(String(action.bytes)) + ";";
      } else if (action.kind == GXDS_SERVE_CLOSE) {
        closed_ = String(action.status.message);
      } else {
        gxds_text text = {};
        gxds_serve_event_render_json(&action.event, &text);
        events_ += Take(&text) + "\n";
      }
      gxds_serve_action_fini(&action);
    }
  }

  gxds_lrs_server *server_;
  std::map<uint64_t, std::string> sent_;
  std::string events_;
  std::string closed_;
};

Report Hello(const char *node, bool all = true) {
  Report report;
  report.node = node;
  report.all_clusters_feature = all;
  return report;
}

TEST_F(Lrs, TheFirstResponseHasTheIntervalAndAllClusters) {
  uint64_t c = Open();
  EXPECT_EQ(Events(),
            "{\"event\":\"stream_open\",\"client\":{\"node\":\"\",\"peer\":\"peer\"},\"service\":"
            "\"lrs\"}\n");
  EXPECT_EQ(Got(c), "");
  Send(c, Hello("n"));
  EXPECT_EQ(Got(c), "interval 1.500000000 all;");
  EXPECT_EQ(Events(), "");
  Sent(c);
  Send(c, Hello(""));
  EXPECT_EQ(Got(c), "");
}

TEST_F(Lrs, AClientThatCannotReportAllIsSentTheNames) {
  Serve({"CDS a=1", "CDS b=1", "EDS e=1"});
  uint64_t c = Open();
  Send(c, Hello("n", false));
  EXPECT_EQ(Got(c), "interval 1.500000000 a b;");
  Serve({"CDS c=1"});
  EXPECT_EQ(Got(c), "");  // one message at a time
  Sent(c);
  EXPECT_EQ(Got(c), "interval 1.500000000 c;");
}

TEST_F(Lrs, ReportsArePrintedAndAddedUp) {
  uint64_t c = Open();
  Send(c, Hello("n"));
  Events();
  Report report;
  report.cluster = "green";
  report.eds_service = "svc";
  report.localities = {{"z1", 5, 1, 2, 7}, {"z2", 1, 0, 0, 1}};
  report.drops = {{"throttle", 3}, {"lb", 4}};
  report.uncategorized_drops = 2;
  Send(c, report);
  EXPECT_EQ(Events(),
            "{\"event\":\"load\",\"client\":{\"node\":\"n\",\"peer\":\"peer\"},\"service\":\"lrs\","
            "\"load\":["
            "{\"cluster\":\"green\",\"eds_service\":\"svc\",\"locality\":{\"region\":\"\",\"zone\":"
            "\"z1\","
            "\"sub_zone\":\"\"},\"successful\":5,\"error\":1,\"in_progress\":2,\"issued\":7,"
            "\"total\":{\"successful\":5,\"error\":1,\"issued\":7}},"
            "{\"cluster\":\"green\",\"eds_service\":\"svc\",\"locality\":{\"region\":\"\",\"zone\":"
            "\"z2\","
            "\"sub_zone\":\"\"},\"successful\":1,\"error\":0,\"in_progress\":0,\"issued\":1,"
            "\"total\":{\"successful\":1,\"error\":0,\"issued\":1}},"
            "{\"cluster\":\"green\",\"eds_service\":\"svc\",\"total_dropped\":9,"
            "\"dropped\":{\"throttle\":3,\"lb\":4}}]}\n");
  report.drops.clear();
  report.uncategorized_drops = 0;
  report.localities = {{"z1", 10, 0, 0, 8}};
  Send(c, report);
  EXPECT_NE(Events().find("\"total\":{\"successful\":15,\"error\":1,\"issued\":15}"),
            std::string::npos);
}

// A field of type double.
std::string Double(char number, double value) {
  std::string out(1, static_cast<char>(number << 3 | 1));
  return out.append(reinterpret_cast<const char *>(&value), sizeof value);
}
std::string Part(char number, const std::string &message) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(message.size())} +
         message;
}

TEST_F(Lrs, MetricsOfBackendsArePrinted) {
  uint64_t c = Open();
  Send(c, Hello("n"));
  Events();
  Report report;
  report.cluster = "green";
  const double inf = std::numeric_limits<double>::infinity();
  report.localities = {
      {"z", 1, 0, 0, 1,
       Part(12, std::string("\x08\x83\x01", 3) + Double(2, 1.5)) + Part(13, "") +
           Part(14, Double(2, inf)) +
           Part(5, Part(1, "named_metrics.q") + std::string("\x10\x02", 2) + Double(3, -4))}};
  Send(c, report);
  const std::string events = Events();
  EXPECT_NE(events.find("\"issued\":1},\"metrics\":["
                        "{\"name\":\"cpu_utilization\",\"requests\":131,\"sum\":1.5},"
                        "{\"name\":\"mem_utilization\",\"requests\":0,\"sum\":0},"
                        "{\"name\":\"application_utilization\",\"requests\":0,\"sum\":null},"
                        "{\"name\":\"named_metrics.q\",\"requests\":2,\"sum\":-4}]}"),
            std::string::npos)
      << events;
}

TEST_F(Lrs, TotalsAreOfAClientAndSurviveItsStream) {
  Report report;
  report.cluster = "c";
  report.localities = {{"z", 1, 0, 0, 1}};
  uint64_t first = Open("p1");
  uint64_t other = Open("p1");
  Send(first, Hello("n"));
  Send(other, Hello("m"));
  Send(first, report);
  gxds_lrs_server_on_closed(server_, first, gxds_str_z("gone"));
  uint64_t again = Open("p2");
  Send(again, Hello("n"));
  Drain();
  Events();
  Send(again, report);
  EXPECT_NE(Events().find("\"total\":{\"successful\":2,"), std::string::npos);
  Send(other, report);
  EXPECT_NE(Events().find("\"total\":{\"successful\":1,"), std::string::npos);
}

TEST_F(Lrs, BytesThatAreNoReportEndTheStream) {
  uint64_t c = Open();
  Bytes(c, "\xff\xff");
  EXPECT_EQ(closed_, "the message is no LoadStatsRequest");
  Send(c, Hello("n"));
  Sent(c);
  EXPECT_EQ(Got(c), "");
}

TEST(LoadTotals, KeysDoNotRunTogether) {
  gxds_load_totals totals = {};
  auto add = [&](const char *client, const char *cluster, const char *zone, size_t limit) {
    gxds_serve_load load = {};
    load.cluster = gxds_str_z(cluster);
    load.zone = gxds_str_z(zone);
    load.issued = 1;
    gxds_load_totals_add(&totals, gxds_str_z(client), &load, limit);
    return load.total_issued;
  };
  EXPECT_EQ(add("a", "b", "c", 9), 1u);
  EXPECT_EQ(add("ab", "", "c", 9), 1u);
  EXPECT_EQ(add("a", "bc", "", 9), 1u);
  EXPECT_EQ(add("a", "b", "c", 9), 2u);
  EXPECT_EQ(totals.count, 3u);
  EXPECT_EQ(add("new", "b", "c", 3), 1u);  // full, so it is not kept
  EXPECT_EQ(add("new", "b", "c", 3), 1u);
  EXPECT_EQ(totals.count, 3u);
  gxds_serve_load unnamed = {};
  unnamed.cluster = gxds_str_z("b");
  unnamed.zone = gxds_str_z("c");
  unnamed.has_locality = true;
  unnamed.issued = 1;
  gxds_load_totals_add(&totals, gxds_str_z("a"), &unnamed, 9);
  EXPECT_EQ(unnamed.total_issued, 1u) << "drops of a cluster are not the load of a locality";
  gxds_load_totals_fini(&totals);
}

TEST(LoadTotals, SumsStopAtTheGreatestNumber) {
  gxds_load_totals totals = {};
  gxds_serve_load load = {};
  load.issued = UINT64_MAX - 1;
  gxds_load_totals_add(&totals, gxds_str_z("n"), &load, 1);
  load.issued = 5;
  gxds_load_totals_add(&totals, gxds_str_z("n"), &load, 1);
  EXPECT_EQ(load.total_issued, UINT64_MAX);
  gxds_load_totals_fini(&totals);
}

std::string Text(gxds_serve_event *e) {
  gxds_text text = {};
  gxds_serve_event_render_text(e, &text);
  return Take(&text);
}

std::string Json(gxds_serve_event *e) {
  gxds_text text = {};
  gxds_serve_event_render_json(e, &text);
  return Take(&text);
}

TEST(Event, ListeningEndsWithTheAddress) {
  gxds_serve_event e = {};
  e.kind = GXDS_SERVE_LISTENING;
  e.detail = gxds_str_dup(gxds_str_z("127.0.0.1:18000"));
  EXPECT_EQ(Text(&e), "listening on 127.0.0.1:18000");
  EXPECT_EQ(Json(&e), "{\"event\":\"listening\",\"address\":\"127.0.0.1:18000\"}");
  gxds_serve_event_fini(&e);
}

TEST(Event, AnErrorNamesFileLineAndField) {
  gxds_serve_event e = {};
  e.kind = GXDS_SERVE_ERROR;
  e.file = gxds_str_dup(gxds_str_z("a.yaml"));
  e.line = 7;
  e.field = gxds_str_dup(gxds_str_z("x.y"));
  e.detail = gxds_str_dup(gxds_str_z("no such field"));
  EXPECT_EQ(Text(&e), "error: a.yaml:7: field x.y: no such field");
  EXPECT_EQ(Json(&e),
            "{\"event\":\"error\",\"file\":\"a.yaml\",\"line\":7,\"field\":\"x.y\","
            "\"detail\":\"no such field\"}");
  gxds_serve_event_fini(&e);
}

TEST(Event, LongListsOfNamesAreCutForPeopleOnly) {
  gxds_serve_event e = {};
  e.kind = GXDS_SERVE_SUBSCRIBED;
  e.type = &gxds_file_types[GXDS_FILE_ENDPOINTS];
  for (int i = 0; i < 10; i++) {
    gxds_serve_event_add_name(&e, View(std::to_string(i)));
  }
  EXPECT_EQ(Text(&e), "EDS subscribed 0, 1, 2, 3, 4, 5, 6, 7, and 2 more");
  EXPECT_EQ(
      Json(&e),
      "{\"event\":\"subscribed\",\"type\":\"type.googleapis.com/"
      "envoy.config.endpoint.v3.ClusterLoadAssignment\",\"names\":[\"0\",\"1\",\"2\",\"3\",\"4\","
      "\"5\",\"6\",\"7\",\"8\",\"9\"]}");
  gxds_serve_event_fini(&e);
}

TEST(Event, TextOfClientsCannotDriveATerminal) {
  gxds_serve_event e = {};
  e.kind = GXDS_SERVE_NACK;
  e.type = &gxds_file_types[GXDS_FILE_CLUSTER];
  e.node = gxds_str_dup(gxds_str_z("n\x1b[2J"));
  e.detail = gxds_str_dup(gxds_str_z("line 1\nline 2 \xff"));
  EXPECT_EQ(Text(&e), "n\\x1b[2J: CDS NACK: line 1\\x0aline 2 \xff");
  EXPECT_EQ(Json(&e),
            "{\"event\":\"nack\",\"client\":{\"node\":\"n\\u001b[2J\",\"peer\":\"\"},"
            "\"type\":\"type.googleapis.com/envoy.config.cluster.v3.Cluster\",\"detail\":\"line "
            "1\\nline 2 \ufffd\"}");
  gxds_serve_event_fini(&e);
}

TEST(Event, LoadsAreReadable) {
  gxds_serve_event e = {};
  e.kind = GXDS_SERVE_LOAD;
  e.service = "lrs";
  gxds_serve_load *l = gxds_serve_event_add_load(&e);
  l->cluster = gxds_str_dup(gxds_str_z("green"));
  l->eds_service = gxds_str_dup(gxds_str_z("svc"));
  l->has_locality = true;
  l->zone = gxds_str_dup(gxds_str_z("z"));
  l->issued = 3;
  l->successful = 2;
  l->error = 1;
  l->total_issued = 30;
  gxds_serve_load_add_metric(l, gxds_str_z("cpu_utilization"), 3, 1.5);
  gxds_serve_load_add_metric(l, gxds_str_z("named_metrics.q"), 1, 4);
  l = gxds_serve_event_add_load(&e);
  l->cluster = gxds_str_dup(gxds_str_z("green"));
  l->total_dropped = 5;
  gxds_serve_load_add_drop(l, gxds_str_z("lb"), 4);
  EXPECT_EQ(Text(&e),
            "lrs load\n"
            "    green (svc) /z/: 3 issued, 2 ok, 1 failed, 0 in progress (in all 30 issued, 0 ok, "
            "0 failed); cpu_utilization 1.5 of 3, named_metrics.q 4 of 1\n"
            "    green: 5 dropped (lb 4)");
  gxds_serve_event_fini(&e);
}

}  // namespace
