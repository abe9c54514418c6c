// What channelz shows of a channel and its control plane: the same as with the host's own xDS
// (channelz_on_host_test), and the errors of resources.
#include <grpc/grpc.h>
#include <grpc/support/alloc.h>
#include <jansson.h>

#include <cstring>

#include "test/e2e/e2e.h"
#include "test/e2e/resources_json.h"

namespace gxds_test {
namespace {

struct Event {
  std::string severity;
  std::string description;
};

struct Seen {
  std::string state;
  std::vector<Event> events;
};

std::string Text(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  return text != nullptr ? text : "";
}

// gRPC 1.83 adds the resolver's scheme to a target without one, and its events have no severity.
bool Is183() { return strcmp(grpc_version_string(), "56.0.0") == 0; }

// The newest top-level channel to that target.
Seen Look(const std::string& target) {
  Seen seen;
  for (intptr_t from = 0;;) {
    char* text = grpc_channelz_get_top_channels(from);
    json_t* page = json_loads(text, 0, nullptr);
    EXPECT_NE(page, nullptr) << text;
    gpr_free(text);
    size_t i;
    json_t* channel;
    json_array_foreach(json_object_get(page, "channel"), i, channel) {
      from = std::stol(Text(json_object_get(channel, "ref"), "channelId")) + 1;
      const json_t* data = json_object_get(channel, "data");
      const std::string shown = Text(data, "target");
      if (shown != target && !(Is183() && shown == "dns:///" + target)) continue;
      seen = {Text(json_object_get(data, "state"), "state"), {}};
      size_t j;
      json_t* event;
      json_array_foreach(json_object_get(json_object_get(data, "trace"), "events"), j, event) {
        seen.events.push_back({Text(event, "severity"), Text(event, "description")});
      }
    }
    const bool end = json_is_true(json_object_get(page, "end"));
    json_decref(page);
    if (end) return seen;
  }
}

// The number of events with that severity and those words.
size_t Count(const Seen& seen, const std::string& severity, const std::string& words) {
  size_t count = 0;
  for (const Event& e : seen.events) {
    count += (Is183() || e.severity == severity) && e.description.find(words) != std::string::npos;
  }
  return count;
}

std::string Print(const Seen& seen) {
  std::string text = seen.state;
  for (const Event& e : seen.events) text += "\n" + e.severity + " " + e.description;
  return text;
}

const char kTarget[] = "xds:///greeter.example";

TEST(Channelz, ShowsTheTraceAndTheStateOfAChannel) {
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Client client(kTarget, plane.Bootstrap());
  ASSERT_EQ(client.Call().name, "a");
  const Seen seen = Look(kTarget);
  EXPECT_EQ(seen.state, "READY");
  for (const char* words : {"Resolution event: Service config changed",
                            "Channel state change to CONNECTING", "Channel state change to READY",
                            "Created new LB policy \"xds_cluster_manager_experimental\"",
                            "Created new LB policy \"cds_experimental\""}) {
    EXPECT_GE(Count(seen, "CT_INFO", words), 1u) << words << ", but " << Print(seen);
  }
}

TEST(Channelz, ShowsTheChannelToTheControlPlane) {
  Backend a("a");
  ControlPlane plane;
  plane.Set(SimpleMesh({&a}));
  plane.Start();
  Client client(kTarget, plane.Bootstrap());
  ASSERT_EQ(client.Call().name, "a");
  const Seen seen = Look(plane.address());
  EXPECT_EQ(seen.state, "READY");
  EXPECT_GE(Count(seen, "CT_INFO", "Channel state change to READY"), 1u) << Print(seen);
}

#ifndef WITHOUT_PLUGIN

struct Wrong {
  const char* name;
  std::vector<std::string> resources;
  const char* words;
};

const std::string kToA = VirtualHost(RouteTo("a"));

std::vector<Wrong> AllWrong() {
  return {
      {"Listener", {SocketListener()}, "LDS resource greeter.example: not an API listener"},
      {"Routes",
       {RdsListener(), Routes(VirtualHost(R"({"route":{"cluster":"a"}})"))},
       "RDS resource routes: invalid resource: "},
      {"VirtualHost",
       {RdsListener(), Routes(VirtualHost(RouteTo("a"), "other.example"))},
       "RDS resource routes: no virtual host for greeter.example"},
      {"Cluster",
       {RdsListener(), Routes(kToA), Typed("envoy.config.cluster.v3.Cluster", R"("name":"a")")},
       "CDS resource a: invalid resource: "},
      {"AggregateCluster",
       {RdsListener(), Routes(kToA), AggregateCluster("a", R"("x")")},
       "CDS resource x: does not exist"},
      {"Endpoints",
       {RdsListener(), Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({1}, 1))},
       "EDS resource a: invalid resource: "},
  };
}

// A channel of ours, with faulty resources from the control plane.
class Faults : public testing::Test {
 protected:
  void Start(const std::string& resources, const std::string& server_feature = "") {
    plane_.WriteFile("resources.json", resources);
    plane_.Start();
    // No event may be dropped during a read, because gRPC 1.51 has no lock there.
    grpc::ChannelArguments args;
    args.SetInt("grpc.max_channel_trace_event_memory_per_node", 1 << 20);
    client_ = std::make_unique<Client>(kTarget, plane_.Bootstrap(server_feature), args, nullptr,
                                       kImpatience);
  }
  std::string Good() const {
    return Document({RdsListener(), Routes(kToA), EdsCluster("a"),
                     Endpoints("a", LocalityOf({backend_.port()}))});
  }
  // Makes RPCs meanwhile, which may fail.
  testing::AssertionResult Shows(const char* severity, const std::string& words) {
    auto result = client_->CallUntil(
        [&](const Reply&) { return Count(Look(kTarget), severity, words) > 0; }, true);
    return result ? result : result << "; seen: " << Print(Look(kTarget));
  }
  size_t CountNow(const char* severity, const std::string& words) {
    return Count(Look(kTarget), severity, words);
  }

  Backend backend_{"a"};
  ControlPlane plane_;
  std::unique_ptr<Client> client_;
};

class FaultsAtFirst : public Faults, public testing::WithParamInterface<Wrong> {};

TEST_P(FaultsAtFirst, AreShownAsInTheStatusOfRpcs) {
  Start(Document(GetParam().resources));
  ASSERT_FALSE(client_->Call().status.ok());
  const Seen seen = Look(kTarget);
  // The host itself shows the errors that leave the channel without a configuration.
  EXPECT_GE(Count(seen, "CT_INFO", GetParam().words) + Count(seen, "CT_ERROR", GetParam().words),
            1u)
      << Print(seen);
}

INSTANTIATE_TEST_SUITE_P(Channelz, FaultsAtFirst, testing::ValuesIn(AllWrong()),
                         [](const testing::TestParamInfo<Wrong>& info) {
                           return std::string(info.param.name);
                         });

TEST_F(Faults, ThatLeaveTheOldInUseAreShownAsWarnings) {  // A88
  Start(Good());
  ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  const auto endpoints = Endpoints("a", LocalityOf({backend_.port()}));
  for (const auto& [resources, words] : std::vector<std::pair<std::string, std::string>>{
           {Document({ListenerOf(""), Routes(kToA), EdsCluster("a"), endpoints}),
            "LDS resource greeter.example: invalid resource: "},
           {Document({RdsListener(), Routes(VirtualHost(R"({"route":{"cluster":"a"}})")),
                      EdsCluster("a"), endpoints}),
            "RDS resource routes: invalid resource: "},
           {Document({RdsListener(), Routes(kToA), endpoints}),
            "CDS resource a: resource deleted"}}) {
    const std::string well = "xDS: cluster a: well again";
    const size_t before = CountNow("CT_INFO", well);
    plane_.WriteFile("resources.json", resources);
    EXPECT_TRUE(Shows("CT_WARNING", "xDS: cluster a: " + words));
    EXPECT_EQ(client_->Call().name, "a");
    EXPECT_EQ(CountNow("CT_INFO", well), before);
    plane_.WriteFile("resources.json", Good());
    EXPECT_TRUE(
        client_->CallUntil([&](const Reply&) { return CountNow("CT_INFO", well) > before; }));
  }
}

TEST_F(Faults, OfAListenerThatWasGoodAndTheirEndAreShownOnce) {  // A74
  Start(Good());
  ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  const auto with = [&](const std::string& listener) {
    return Document(
        {listener, Routes(kToA), EdsCluster("a"), Endpoints("a", LocalityOf({backend_.port()}))});
  };
  plane_.WriteFile("resources.json", with(SocketListener(80)));
  const std::string words = "xDS: LDS resource greeter.example: not an API listener";
  EXPECT_TRUE(Shows("CT_ERROR", words));
  EXPECT_EQ(CountNow("CT_ERROR", words), 1u);
  const size_t mark = plane_.Mark();
  plane_.WriteFile("resources.json", with(SocketListener(81)));
  ASSERT_NE(plane_.Wait({"\"event\":\"ack\"", "v3.Listener\""}, mark), "");
  plane_.WriteFile("resources.json", Good());
  EXPECT_TRUE(Shows("CT_INFO", "xDS: listener and routes are well again"));
  EXPECT_EQ(CountNow("CT_ERROR", words), 1u);
}

TEST_F(Faults, OfAClusterThatMayNotBeUsedAnyMoreAreErrors) {  // A88
  Start(Good(), "fail_on_data_errors");
  ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  plane_.WriteFile("resources.json", Document({RdsListener(), Routes(kToA)}));
  EXPECT_TRUE(Shows("CT_ERROR", "xDS: cluster a: CDS resource a: resource deleted"));
}

TEST_F(Faults, OfTheControlPlaneAreShown) {  // A57, A88
  Start(Good());
  ASSERT_TRUE(client_->CallUntilAnsweredBy("a"));
  plane_.Kill();
  EXPECT_TRUE(Shows("CT_WARNING", "xDS channel for server " + plane_.address()));
  plane_.Start();
  EXPECT_TRUE(Shows("CT_INFO", "xDS: cluster a: well again"));
}

#endif

}  // namespace
}  // namespace gxds_test
