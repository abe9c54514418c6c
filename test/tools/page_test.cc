// The page of `xds serve --http`: the state that it keeps from events, and changes of weights.
#include <gtest/gtest.h>
#include <jansson.h>

#include <memory>
#include <string>
#include <vector>

#include "files/schema.h"
#include "test/files/support.h"
#include "tools/serve/page/localities.h"
#include "tools/serve/page/state.h"

namespace {

const char kEndpoints[] = R"(
'@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
cluster_name: a
endpoints:
- locality: {region: r, zone: z1}
  load_balancing_weight: 3
  lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 1}}}}]
- locality: {region: r, zone: z1}
  priority: 1
  load_balancing_weight: 1
---
'@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
name: c
)";

struct JsonDeleter {
  void operator()(json_t *j) const { json_decref(j); }
};

class Page : public ::testing::Test {
 protected:
  Page() : state_(gxds_page_state_create()) {}
  ~Page() override {
    gxds_page_state_destroy(state_);
    gxds_file_set_unref(set_);
    gxds_schema_destroy(schema_);
  }

  // Adds an event of the client "n" at the address peer.
  void AddEvent(gxds_serve_event_kind kind, int type, const std::vector<std::string> &names = {},
                const std::string &version = "", const std::string &detail = "",
                const std::string &nonce = "", const std::string &peer = "p",
                const char *service = "ads") {
    gxds_serve_event e = {};
    e.kind = kind;
    e.service = service;
    e.node = gxds_str_dup(gxds_str_z("n"));
    e.peer = gxds_str_dup(View(peer));
    if (type >= 0) e.type = &gxds_file_types[type];
    for (const auto &name : names) gxds_serve_event_add_name(&e, View(name));
    e.version = gxds_str_dup(View(version));
    e.detail = gxds_str_dup(View(detail));
    e.nonce = gxds_str_dup(View(nonce));
    gxds_page_state_on_event(state_, &e);
    gxds_serve_event_fini(&e);
  }
  void Report(uint64_t successful, uint64_t dropped, const std::string &node = "n") {
    gxds_serve_event e = {};
    e.kind = GXDS_SERVE_LOAD;
    e.service = "lrs";
    e.node = gxds_str_dup(View(node));
    e.peer = gxds_str_dup(gxds_str_z("p"));
    gxds_serve_load *l = gxds_serve_event_add_load(&e);
    l->cluster = gxds_str_dup(gxds_str_z("c"));
    l->has_locality = true;
    l->zone = gxds_str_dup(gxds_str_z("z1"));
    l->successful = successful;
    gxds_serve_load *d = gxds_serve_event_add_load(&e);
    d->cluster = gxds_str_dup(gxds_str_z("c"));
    d->total_dropped = dropped;
    gxds_page_state_on_event(state_, &e);
    gxds_serve_event_fini(&e);
  }

  // The member of the state at a path of keys and indices, as JSON.
  std::string Get(const std::vector<std::string> &path) {
    gxds_text text = {};
    gxds_page_state_render(state_, &text);
    std::unique_ptr<json_t, JsonDeleter> root(json_loadb(text.data, text.size, 0, nullptr));
    EXPECT_NE(root, nullptr) << std::string(text.data, text.size);
    gxds_text_fini(&text);
    json_t *at = root.get();
    for (const auto &step : path) {
      at = json_is_array(at) ? json_array_get(at, std::stoul(step))
                             : json_object_get(at, step.c_str());
    }
    char *out = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT);
    std::string result = out ? out : "nothing";
    free(out);
    return result;
  }

  void Serve() {
    schema_ = gxds_schema_create();
    gxds_file_errors errors = {};
    set_ = Build(schema_, {{"f.yaml", kEndpoints}}, &errors);
    EXPECT_EQ(Take(&errors), "");
  }

  gxds_page_state *state_;
  gxds_schema *schema_ = nullptr;
  const gxds_file_set *set_ = nullptr;
};

TEST_F(Page, ShowsOnlyClientsWithAStream) {
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "1");  // the response to a POST
  EXPECT_EQ(Get({"clients"}), "[]");
}

TEST_F(Page, CountsTheStreamsOfClientsThatItDoesNotShow) {
  const auto on_all = [&](gxds_serve_event_kind kind, size_t count) {
    for (size_t i = 0; i < count; ++i) AddEvent(kind, -1, {}, "", "", "", std::to_string(i));
  };
  on_all(GXDS_SERVE_STREAM_OPEN, GXDS_PAGE_CLIENTS_MAX);
  EXPECT_EQ(Get({"hidden_streams"}), "0");
  for (const std::string peer : {"a", "b"}) {
    AddEvent(GXDS_SERVE_STREAM_OPEN, -1, {}, "", "", "", peer);
    AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "1", "", "", peer);
  }
  EXPECT_EQ(Get({"hidden_streams"}), "2");
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1, {}, "", "", "", "a");
  on_all(GXDS_SERVE_STREAM_CLOSE, GXDS_PAGE_CLIENTS_MAX);
  EXPECT_EQ(Get({"hidden_streams"}), "1");
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1, {}, "", "", "", "b");
  EXPECT_EQ(Get({"hidden_streams"}), "0");
  EXPECT_EQ(Get({"clients"}), "[]");
}

// Its next stream may find room on the page.
TEST_F(Page, ForgetsAHiddenStreamThatClosesWhenItsClientIsShown) {
  for (size_t i = 0; i < GXDS_PAGE_CLIENTS_MAX; ++i) {
    AddEvent(GXDS_SERVE_STREAM_OPEN, -1, {}, "", "", "", std::to_string(i));
  }
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1, {}, "", "", "", "0");
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1, {}, "", "", "", "p", "lrs");
  EXPECT_EQ(Get({"hidden_streams"}), "1");
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1);
  EXPECT_EQ(Get({"hidden_streams"}), "0");
}

TEST_F(Page, ShowsWhatAClientSubscribedToAndHolds) {
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_SUBSCRIBED, GXDS_FILE_CLUSTER, {"b", "a"});
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "1");
  AddEvent(GXDS_SERVE_ACK, GXDS_FILE_CLUSTER, {}, "1");
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "2");
  EXPECT_EQ(Get({"clients", "0", "node"}), R"("n")");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "type"}), R"("CDS")");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "names"}), R"(["a","b"])");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "accepted"}), R"("1")");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "pushed"}), R"("2")");
  AddEvent(GXDS_SERVE_UNSUBSCRIBED, GXDS_FILE_CLUSTER, {"b"});
  EXPECT_EQ(Get({"clients", "0", "types", "0", "names"}), R"(["a"])");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "subscribed"}), "1");
}

TEST_F(Page, ShowsARefusalUntilSomethingIsAccepted) {
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_SUBSCRIBED, GXDS_FILE_CLUSTER, {"a"});
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "2");
  AddEvent(GXDS_SERVE_NACK, GXDS_FILE_CLUSTER, {}, "1", "too bad");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "refused"}), R"("2")");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "why"}), R"("too bad")");
  AddEvent(GXDS_SERVE_ACK, GXDS_FILE_CLUSTER, {}, "3");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "refused"}), R"("")");
}

TEST_F(Page, AnAckOfDeltaNamesItsResponseByTheNonce) {
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_SUBSCRIBED, GXDS_FILE_CLUSTER, {"a"});
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "1", "", "n1");
  AddEvent(GXDS_SERVE_PUSH, GXDS_FILE_CLUSTER, {"a"}, "2", "", "n2");
  AddEvent(GXDS_SERVE_ACK, GXDS_FILE_CLUSTER, {}, "", "", "n1");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "accepted"}), R"("")");
  AddEvent(GXDS_SERVE_ACK, GXDS_FILE_CLUSTER, {}, "", "", "n2");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "accepted"}), R"("2")");
}

TEST_F(Page, ForgetsAClientWhoseLastStreamCloses) {
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1);
  EXPECT_EQ(Get({"clients", "0", "ads"}), "1");
  AddEvent(GXDS_SERVE_STREAM_CLOSE, -1);
  EXPECT_EQ(Get({"clients"}), "[]");
}

TEST_F(Page, NamesBeyondTheLimitAreCountedOnly) {
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  std::vector<std::string> names;
  for (int i = 0; i < 150; i++) names.push_back("name-" + std::to_string(i));
  AddEvent(GXDS_SERVE_SUBSCRIBED, GXDS_FILE_CLUSTER, names);
  EXPECT_EQ(Get({"clients", "0", "types", "0", "subscribed"}), "150");
  EXPECT_NE(Get({"clients", "0", "types", "0", "names", "99"}), "nothing");
  EXPECT_EQ(Get({"clients", "0", "types", "0", "names", "100"}), "nothing");
  AddEvent(GXDS_SERVE_UNSUBSCRIBED, GXDS_FILE_CLUSTER, names);
  EXPECT_EQ(Get({"clients", "0", "types", "0", "subscribed"}), "nothing");
}

TEST_F(Page, LoadAddsUp) {
  Report(5, 1);
  Report(9, 2);
  EXPECT_EQ(Get({"loads", "0", "successful"}), "14");
  EXPECT_EQ(Get({"loads", "1", "dropped"}), "3");
  EXPECT_EQ(Get({"loads", "2"}), "nothing");
}

TEST_F(Page, ShowsTheLoadOfNewClientsAfterAnyNumberOfEarlierOnes) {
  for (size_t i = 0; i < GXDS_PAGE_LOADS_MAX; ++i) Report(1, 0, std::to_string(i));
  Report(1, 0, "new");
  EXPECT_EQ(Get({"loads", "0", "successful"}), std::to_string(GXDS_PAGE_LOADS_MAX + 1));
}

TEST_F(Page, ProblemsStayUntilTheFilesAreGood) {
  AddEvent(GXDS_SERVE_ERROR, -1, {}, "", "no such field");
  EXPECT_NE(Get({"problems", "0"}).find("no such field"), std::string::npos);
  AddEvent(GXDS_SERVE_RESOURCES, -1, {}, "", "1 LDS");
  EXPECT_EQ(Get({"problems"}), "[]");
  EXPECT_EQ(Get({"resources"}), R"("1 LDS")");
}

TEST_F(Page, EveryChangeHasANumberOfItsOwn) {
  uint64_t before = gxds_page_state_number(state_);
  AddEvent(GXDS_SERVE_STREAM_OPEN, -1);
  EXPECT_GT(gxds_page_state_number(state_), before);
}

TEST_F(Page, ShowsTheLocalitiesThatAreServed) {
  Serve();
  gxds_page_state_set_resources(state_, set_);
  EXPECT_EQ(Get({"localities"}),
            R"([{"resource":"a","region":"r","zone":"z1","sub_zone":"","priority":0,"weight":3,)"
            R"("endpoints":1},{"resource":"a","region":"r","zone":"z1","sub_zone":"",)"
            R"("priority":1,"weight":1,"endpoints":0}])");
}

TEST_F(Page, AWeightChangesOneLocalityAndSharesTheRest) {
  Serve();
  gxds_page_weight weight = {gxds_str_z("a"), 1, gxds_str_z("r"), gxds_str_z("z1"), {}, 7};
  gxds_status status;
  const gxds_file_set *changed = gxds_page_localities_reweigh(set_, &weight, &status);
  ASSERT_NE(changed, nullptr) << String(status.message);
  gxds_page_state_set_resources(state_, changed);
  EXPECT_EQ(Get({"localities", "0", "weight"}), "3");
  EXPECT_EQ(Get({"localities", "1", "weight"}), "7");
  EXPECT_EQ(changed->types[GXDS_FILE_CLUSTER].entries[0].resource,
            set_->types[GXDS_FILE_CLUSTER].entries[0].resource);
  EXPECT_EQ(changed->types[GXDS_FILE_CLUSTER].version, set_->types[GXDS_FILE_CLUSTER].version);
  EXPECT_NE(changed->types[GXDS_FILE_ENDPOINTS].version, set_->types[GXDS_FILE_ENDPOINTS].version);
  EXPECT_EQ(String(changed->types[GXDS_FILE_ENDPOINTS].entries[0].file), "f.yaml");
  gxds_file_set_unref(changed);
}

TEST_F(Page, ChangingAWeightAgainAndAgainDoesNotMakeTheResourceGrow) {
  Serve();
  gxds_status status;
  size_t size = set_->types[GXDS_FILE_ENDPOINTS].entries[0].resource->bytes.size;
  for (uint32_t weight = 1; weight <= 5; weight++) {
    gxds_page_weight to = {gxds_str_z("a"), 1, gxds_str_z("r"), gxds_str_z("z1"), {}, weight};
    const gxds_file_set *changed = gxds_page_localities_reweigh(set_, &to, &status);
    ASSERT_NE(changed, nullptr) << String(status.message);
    EXPECT_EQ(changed->types[GXDS_FILE_ENDPOINTS].entries[0].resource->bytes.size, size);
    gxds_file_set_unref(set_);
    set_ = changed;
  }
}

TEST_F(Page, AWeightOfNoLocalityIsRefusedWithAReason) {
  Serve();
  gxds_page_weight weight = {gxds_str_z("a"), 2, gxds_str_z("r"), gxds_str_z("z1"), {}, 7};
  gxds_status status;
  EXPECT_EQ(gxds_page_localities_reweigh(set_, &weight, &status), nullptr);
  EXPECT_EQ(String(status.message),
            "no locality {region=r, zone=z1, sub_zone=} of priority 2 in a ClusterLoadAssignment "
            "named a");
  gxds_status_fini(&status);
}

}  // namespace
