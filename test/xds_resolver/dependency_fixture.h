// A dependency manager with a made-up xDS client. Everything that it does is recorded.
// Notifications without a watch, and leaked references, fail the test.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_DEPENDENCY_FIXTURE_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_DEPENDENCY_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/xds_resolver/made_up_routes.h"
#include "xds_resolver/dependency_manager.h"

namespace made_up {

using Strings = std::vector<std::string>;

class Dependencies : public ::testing::Test {
 protected:
  using Key = std::pair<std::string, std::string>;  // {"CDS", name}

  void SetUp() override {
    g_alive = 0;
    gxds_dependency_manager_options options = {};
    options.listener_name = Z("listener");
    options.data_plane_authority = Z("authority");
    options.node_id = Z("node1");
    m_ = gxds_dependency_manager_create(&options);
    Settle();
  }

  void TearDown() override {
    gxds_dependency_manager_destroy(m_);
    gxds_config_unref(config_);
    gxds_names_unref(route_clusters_);
    EXPECT_EQ(g_alive, 0) << "resources that somebody still holds";
  }

  // Settles once and carries out the actions.
  void Settle() {
    gxds_dependency_manager_settle(m_);
    while (const gxds_dependency_action *a = gxds_dependency_manager_next_action(m_)) Do(a);
    gxds_dependency_manager_validate(m_);
    EXPECT_EQ(gxds_dependency_manager_watch_count(m_), watches_.size());
  }

  void Do(const gxds_dependency_action *a) {
    Key key = {a->type ? a->type->short_name : "DNS", Str(a->name)};
    switch (a->kind) {
      case GXDS_DEPENDENCY_WATCH:
      case GXDS_DEPENDENCY_DNS_START:
        EXPECT_EQ(watches_.count(key), 0u) << key.first << " " << key.second << " watched twice";
        EXPECT_GT(a->token, last_token_) << "tokens are never reused";
        last_token_ = a->token;
        watches_[key] = a->token;
        names_[a->token] = key;
        Log("+" + key.first + " " + key.second);
        break;
      case GXDS_DEPENDENCY_UNWATCH:
      case GXDS_DEPENDENCY_DNS_STOP:
        key = names_.at(a->token);
        EXPECT_EQ(watches_.erase(key), 1u);
        Log("-" + key.first + " " + key.second);
        break;
      case GXDS_DEPENDENCY_DNS_RERESOLVE:
        Log("again " + names_.at(a->token).second);
        break;
      case GXDS_DEPENDENCY_PUBLISH:
        gxds_config_unref(config_);
        gxds_names_unref(route_clusters_);
        config_ = gxds_config_ref(a->config);
        route_clusters_ = gxds_names_ref(a->route_targets);
        failure_.clear();
        Log("publish");
        break;
      case GXDS_DEPENDENCY_FAIL:
        EXPECT_EQ(a->status.code, GXDS_UNAVAILABLE);
        gxds_config_unref(config_);
        config_ = nullptr;
        failure_ = Str(a->status.message);
        Log("fail");
        break;
    }
  }

  void Log(const std::string &line) { log_.push_back(line); }
  // The actions since the last call.
  Strings TakeLog() { return std::exchange(log_, {}); }

  uint64_t Token(const std::string &type, const std::string &name) {
    auto it = watches_.find({type, name});
    EXPECT_TRUE(it != watches_.end()) << "nobody waits for " << type << " " << name;
    return it == watches_.end() ? 0 : it->second;
  }
  bool Watched(const std::string &type, const std::string &name) {
    return watches_.count({type, name}) > 0;
  }

  // ---- events without settling; each takes ownership of the reference ----
  void Notify(const gxds_listener *l) { NotifyResource("LDS", "listener", &l->base); }
  void Notify(const gxds_route_config *r) { NotifyResource("RDS", Str(r->name), &r->base); }
  void Notify(const gxds_cluster *c) { NotifyResource("CDS", Str(c->name), &c->base); }
  void Notify(const gxds_endpoints *e) { NotifyResource("EDS", NameOf(e), &e->base); }
  void NotifyResource(const char *type, const std::string &name, const gxds_resource *r) {
    gxds_dependency_manager_on_source(m_, Token(type, name), Z("xds.example"));
    gxds_dependency_manager_on_resource(m_, Token(type, name), r, nullptr);
    gxds_resource_unref(r);
  }
  void NotifyError(const std::string &type, const std::string &name, const char *why = "gone") {
    const gxds_error *error = NewError(why, GXDS_NOT_FOUND);
    gxds_dependency_manager_on_resource(m_, Token(type, name), nullptr, error);
    gxds_error_unref(error);
  }
  void NotifyAmbient(const std::string &type, const std::string &name, const char *why) {
    const gxds_error *error = NewError(why);
    gxds_dependency_manager_on_ambient_error(m_, Token(type, name), error);
    gxds_error_unref(error);
  }
  void NotifyDns(const std::string &name, const gxds_endpoints *e, const char *why = nullptr) {
    gxds_status s = why ? gxds_status_make(GXDS_UNAVAILABLE, "%s", why) : gxds_status_ok();
    gxds_dependency_manager_on_dns(m_, Token("DNS", name), e, &s);
    gxds_status_fini(&s);
    if (e) Unref(e);
  }

  // ---- the same, settled ----
  template <typename Resource>
  void Send(const Resource *r) {
    Notify(r);
    Settle();
  }
  void SendError(const std::string &type, const std::string &name, const char *why = "gone") {
    NotifyError(type, name, why);
    Settle();
  }
  void SendAmbient(const std::string &type, const std::string &name, const char *why) {
    NotifyAmbient(type, name, why);
    Settle();
  }
  void SendDns(const std::string &name, const gxds_endpoints *e, const char *why = nullptr) {
    NotifyDns(name, e, why);
    Settle();
  }
  void Subscribe(const std::string &name) {
    gxds_dependency_manager_subscribe(m_, S(name));
    Settle();
  }
  void Unsubscribe(const std::string &name) {
    gxds_dependency_manager_unsubscribe(m_, S(name));
    Settle();
  }
  void Hold(const std::string &name, bool held) {
    gxds_dependency_manager_hold(m_, S(name), held);
    Settle();
  }

  // Sends an inline listener with routes to these clusters.
  void Route(const Strings &clusters) { Send(InlineListener(RoutesTo(clusters))); }
  // Sends an EDS cluster of that name, with endpoints.
  void Leaf(const std::string &name) {
    Send(EdsCluster(name));
    Send(NewEndpoints(name));
  }
  void Start(const Strings &leaves) {
    Route(leaves);
    for (const auto &name : leaves) Leaf(name);
    ASSERT_TRUE(config_ != nullptr);
    TakeLog();
  }

  // ---- what was published ----
  const gxds_cluster_entry *Entry(const std::string &name) {
    const gxds_cluster_entry *e = config_ ? gxds_config_cluster(config_, S(name)) : nullptr;
    EXPECT_TRUE(e != nullptr) << name << " is not in the snapshot";
    static const gxds_cluster_entry none = {};
    return e ? e : &none;
  }
  Strings Leaves(const std::string &name) {
    const gxds_cluster_entry *e = Entry(name);
    EXPECT_EQ(e->kind, GXDS_ENTRY_AGGREGATE) << name << " " << Str(gxds_cluster_entry_why(e));
    Strings out;
    for (size_t i = 0; i < e->leaf_cluster_count; i++) out.push_back(Str(e->leaf_clusters[i]));
    return out;
  }
  // The note without its origin. The origin must occur exactly once.
  std::string Note(const std::string &name) {
    const std::string origin = "(xDS server xds.example) (node ID:node1)";
    std::string note = Words(Entry(name)->resolution_note);
    size_t at = note.find(origin);
    EXPECT_TRUE(at != std::string::npos && at + origin.size() == note.size()) << note;
    return note.substr(0, at > 0 ? at - 1 : 0);
  }
  Strings Roots() { return ToStrings(config_->roots); }
  static Strings ToStrings(const gxds_names *n) {
    Strings out;
    for (size_t i = 0; n && i < n->count; i++) out.push_back(Str(n->names[i]));
    return out;
  }
  // Every cluster of the snapshot, sorted.
  Strings Clusters() {
    Strings out;
    if (!config_) return out;
    gxds_cluster_map_each(
        config_->clusters,
        [](void *arg, const gxds_cluster_entry *e) {
          static_cast<Strings *>(arg)->push_back(Str(e->name));
        },
        &out);
    std::sort(out.begin(), out.end());
    return out;
  }

  gxds_dependency_manager *m_ = nullptr;
  std::map<Key, uint64_t> watches_;
  std::map<uint64_t, Key> names_;
  uint64_t last_token_ = 0;
  Strings log_;
  const gxds_config *config_ = nullptr;
  const gxds_names *route_clusters_ = nullptr;
  std::string failure_;
};

}  // namespace made_up

#endif
