#include "xds_resolver/route_table.h"

#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/base64.h"
#include "test/xds_resolver/made_up_routes.h"

namespace {

using made_up::Header;
using made_up::Route;
using made_up::S;
using made_up::Str;
using made_up::Z;

int g_regexes = 0;
int g_regexes_tried = 0;

struct Expression {
  regex_t compiled;
  std::string text;
};

const gxds_host *FakeHost() {
  static const gxds_host host = [] {
    gxds_host h = {};
    h.regex_create = [](gxds_str text) -> void * {
      auto *regex = new Expression{{}, Str(text)};
      if (regcomp(&regex->compiled, ("^(" + Str(text) + ")$").c_str(), REG_EXTENDED | REG_NOSUB) ==
          0) {
        g_regexes++;
        return regex;
      }
      delete regex;
      return nullptr;
    };
    h.regex_full_match = [](const void *regex, gxds_str text) {
      g_regexes_tried++;
      return regexec(&static_cast<const Expression *>(regex)->compiled, Str(text).c_str(), 0,
                     nullptr, 0) == 0;
    };
    // The expressions of these tests have no operator after a letter.
    h.regex_range = [](const void *regex, int, gxds_str *least, gxds_str *most) {
      const std::string &text = static_cast<const Expression *>(regex)->text;
      const std::string from = text.substr(0, text.find_first_of(".["));
      const std::string to = from + '\xff';
      *least = gxds_str_dup(gxds_str_of(from.data(), from.size()));
      *most = gxds_str_dup(gxds_str_of(to.data(), to.size()));
      return true;
    };
    h.regex_destroy = [](void *regex) {
      g_regexes--;
      regfree(&static_cast<Expression *>(regex)->compiled);
      delete static_cast<Expression *>(regex);
    };
    return h;
  }();
  return &host;
}

int g_headers_looked_up = 0;

gxds_random g_random = {42};
gxds_random *Random() { return &g_random; }

const gxds_route_channel kChannel = {0, Z("greeter.example")};

using Metadata = std::map<std::string, std::string>;

bool Lookup(void *arg, gxds_str name, gxds_str *value) {
  g_headers_looked_up++;
  auto *metadata = static_cast<const Metadata *>(arg);
  auto it = metadata->find(Str(name));
  if (it == metadata->end()) return false;
  *value = S(it->second);
  return true;
}

class Table {
 public:
  explicit Table(std::vector<Route> routes, gxds_duration of_listener = -1,
                 const gxds_host *host = FakeHost(), std::vector<gxds_http_filter> filters = {},
                 gxds_http_filter_overrides of_host = {})
      : filters_(std::move(filters)) {
    gxds_listener *listener = &made_up::NewListener("listener")->l;
    listener->max_stream_duration = of_listener;
    listener->filters = filters_.data();
    listener->filter_count = filters_.size();
    for (Route &r : routes) {
      if (r.clusters.empty() && r.action == GXDS_ROUTE_CLUSTERS) r.clusters = {{"default", 1}};
    }
    config_ = made_up::NewRouteConfig("rc", {{{"*"}, std::move(routes), of_host}});
    const gxds_virtual_host *vh = &config_->virtual_hosts[0];
    names_ = Targets(vh);
    table_ = gxds_route_table_create(config_, vh, listener, names_, host);
    made_up::Unref(listener);
    made_up::Unref(config_);
  }
  ~Table() {
    gxds_route_table_destroy(table_);
    gxds_names_unref(names_);
    EXPECT_EQ(g_regexes, regexes_before_);
    EXPECT_EQ(made_up::g_alive, alive_before_);
  }

  // The clusters, and the names that stand for plugins.
  static const gxds_names *Targets(const gxds_virtual_host *vh) {
    const gxds_names *clusters = gxds_route_cluster_names(vh);
    const gxds_plugins *plugins = gxds_plugins_of(vh);
    std::vector<gxds_str> all(clusters->names, clusters->names + clusters->count);
    for (size_t i = 0; plugins && i < plugins->count; i++) all.push_back(plugins->items[i].name);
    const gxds_names *targets = gxds_names_create(all.data(), all.size());
    gxds_plugins_unref(plugins);
    gxds_names_unref(clusters);
    return targets;
  }

  // Both ways of matching, which must agree.
  int64_t Match(const std::string &path, Metadata metadata = {}) {
    const gxds_random before = g_random;
    gxds_route_request request = {S(path), Lookup, &metadata, Random, &kChannel, nullptr};
    int64_t compiled = gxds_route_table_match(table_, &request);
    const gxds_random after = g_random;
    g_random = before;
    int64_t linear = gxds_route_table_match_linear(table_, &request);
    EXPECT_EQ(compiled, linear) << path;
    EXPECT_EQ(g_random.state, after.state) << path;
    return compiled;
  }
  int64_t MatchCompiled(const std::string &path, Metadata metadata = {}) {
    gxds_route_request request = {S(path), Lookup, &metadata, Random, &kChannel, nullptr};
    return gxds_route_table_match(table_, &request);
  }
  gxds_route_result Find(const std::string &path, Metadata metadata = {},
                         gxds_session_text *session = nullptr) {
    gxds_route_request request = {S(path), Lookup, &metadata, Random, &kChannel, session};
    return gxds_route_table_find(table_, &request);
  }
  std::string Cluster(const std::string &path) {
    gxds_route_result r = Find(path);
    if (r.kind != GXDS_ROUTED) return "";
    return Str(names_->names[r.target->cluster]);
  }
  // The text of an RPC's method config; empty: none.
  std::string MethodConfig(const std::string &path) {
    size_t number = Find(path).target->method_config;
    if (number == GXDS_NO_METHOD_CONFIG) return "";
    return Str(gxds_method_configs_text(gxds_route_table_method_configs(table_), number));
  }
  const gxds_route_table *get() { return table_; }
  const gxds_names *names() { return names_; }

 private:
  const int alive_before_ = made_up::g_alive;
  const int regexes_before_ = g_regexes;
  const std::vector<gxds_http_filter> filters_;
  const gxds_route_config *config_;
  const gxds_names *names_;
  const gxds_route_table *table_;
};

Route Prefix(const std::string &text) { return {GXDS_PATH_PREFIX, text, {}}; }
Route Exact(const std::string &text) { return {GXDS_PATH_EXACT, text, {}}; }
Route Regex(const std::string &text) { return {GXDS_PATH_REGEX, text, {}}; }
Route Segments(const std::string &text) { return {GXDS_PATH_SEGMENTS, text, {}}; }
Route NoCase(Route r) {
  r.case_sensitive = false;
  return r;
}
Route With(Header h) {
  Route r = Prefix("");
  r.headers = {std::move(h)};
  return r;
}

TEST(RouteTable, TheFirstRouteThatMatchesWins) {  // A28.6, A28.8
  Table t({Exact("/s/m"), Prefix("/s/"), Prefix("/s/m"), Prefix("")});
  EXPECT_EQ(t.Match("/s/m"), 0);
  EXPECT_EQ(t.Match("/s/mm"), 1);
  EXPECT_EQ(t.Match("/t/m"), 3);
  Table turned({Prefix(""), Exact("/s/m")});
  EXPECT_EQ(turned.Match("/s/m"), 0);
}

TEST(RouteTable, AnRpcThatNoRouteMatchesGoesNowhere) {
  Table t({Exact("/s/m"), Prefix("/t/")});
  EXPECT_EQ(t.Match("/s/other"), -1);
  EXPECT_EQ(t.Find("/s/other").kind, GXDS_ROUTED_NOWHERE);
  Table none({});
  EXPECT_EQ(none.Find("/s/m").kind, GXDS_ROUTED_NOWHERE);
}

TEST(RouteTable, AnExactPathIsTheWholePath) {  // A28.16
  Table t({Exact("/s/m")});
  EXPECT_EQ(t.Match("/s/m"), 0);
  EXPECT_EQ(t.Match("/s/mm"), -1);
  EXPECT_EQ(t.Match("/s/"), -1);
  EXPECT_EQ(t.Match("/S/m"), -1);
}

// Like Envoy's path_separated_prefix.
TEST(RouteTable, APathSeparatedPrefixMatchesWholeSegments) {
  struct {
    Route route;
    std::vector<std::string> match;
    std::vector<std::string> no_match;
  } cases[] = {
      {Segments("/foo"),
       {"/foo", "/foo/", "/foo/bar"},
       {"/foobar", "/foobar/x", "/fo", "/FOO/bar", "/", "", "/x/foo", "/foo.bar/x"}},
      {Segments("/foo/bar"), {"/foo/bar", "/foo/bar/"}, {"/foo/barx", "/foo", "/foo/", "/foo/b"}},
      {NoCase(Segments("/Foo")), {"/foo", "/FOO/bar", "/fOO/"}, {"/foobar", "/FO"}},
  };
  // Tested alone, and in a table with lookup by hash.
  for (const auto &c : cases) {
    for (int others : {0, 10}) {
      std::vector<Route> routes(others, Exact("/other/m"));
      routes.push_back(c.route);
      Table t(routes);
      for (const auto &path : c.match) EXPECT_EQ(t.Match(path), others) << path;
      for (const auto &path : c.no_match) EXPECT_EQ(t.Match(path), -1) << path;
    }
  }
}

TEST(RouteTable, CaseIsIgnoredWhereTheRouteSaysSo) {  // A28.27
  Table t({NoCase(Exact("/Svc/Get")), NoCase(Prefix("/OTHER/")), Prefix("/other/")});
  EXPECT_EQ(t.Match("/sVC/gET"), 0);
  EXPECT_EQ(t.Match("/other/x"), 1);
  EXPECT_EQ(t.Match("/Other/"), 1);
  EXPECT_EQ(t.Match("/othe"), -1);
}

TEST(RouteTable, ARegexMatchesTheWholePathAndCaseMatters) {  // A28.17
  Table t({NoCase(Regex("/[a-z]+/m")), Prefix("/abc/")});
  EXPECT_EQ(t.Match("/abc/m"), 0);
  EXPECT_EQ(t.Match("/abc/mm"), 1);
  EXPECT_EQ(t.Match("/ABC/m"), -1);
}

TEST(RouteTable, ARegexIsTriedOnlyOnPathsWithItsBeginning) {
  std::vector<Route> routes;
  for (int i = 0; i < 100; i++) routes.push_back(Regex("/s" + std::to_string(i) + "/[a-z]"));
  routes.push_back(Regex(".*/last"));
  Table t(routes);
  g_regexes_tried = 0;
  EXPECT_EQ(t.MatchCompiled("/s42/x"), 42);
  EXPECT_EQ(g_regexes_tried, 1);
  EXPECT_EQ(t.MatchCompiled("/s42/last"), 100);
  EXPECT_EQ(g_regexes_tried, 3);
}

TEST(RouteTable, AHeaderIsLookedUpOnceForManyRoutes) {
  std::vector<Route> routes;
  for (int i = 0; i < 100; i++) {
    routes.push_back(With({GXDS_HEADER_EXACT, "k", "v" + std::to_string(i)}));
  }
  routes.push_back(With({GXDS_HEADER_EXACT, "other", "x"}));
  routes.push_back(With({GXDS_HEADER_EXACT, "k", "last"}));
  Table t(routes);
  g_headers_looked_up = 0;
  EXPECT_EQ(t.MatchCompiled("/", {{"k", "v99"}}), 99);
  EXPECT_EQ(g_headers_looked_up, 1);
  EXPECT_EQ(t.MatchCompiled("/", {{"k", "last"}, {"other", "y"}}), 101);
  EXPECT_EQ(g_headers_looked_up, 4);
}

TEST(RouteTable, ARegexThatDoesNotCompileMatchesNothing) {
  Table t({Regex("("), With({GXDS_HEADER_REGEX, "k", "("})});
  EXPECT_EQ(t.Match("(", {{"k", "("}}), -1);
  static const gxds_host without = {};
  Table none({Regex(".*"), With({GXDS_HEADER_REGEX, "k", ".*"})}, -1, &without);
  EXPECT_EQ(none.Match("/s/m", {{"k", "v"}}), -1);
}

struct HeaderCase {
  Header header;
  std::vector<std::string> match;
  std::vector<std::string> no_match;
};

TEST(RouteTable, HeadersMatchByEveryKindAndInverted) {  // A28.20, A28.21
  const std::vector<HeaderCase> cases = {
      {{GXDS_HEADER_EXACT, "k", "Value"}, {"Value"}, {"value", "Value1", ""}},
      {{GXDS_HEADER_EXACT, "k", "Value", false}, {"Value", "vALUE"}, {"Value1"}},
      {{GXDS_HEADER_PREFIX, "k", "Va"}, {"Va", "Value"}, {"value", "V", "xVa"}},
      {{GXDS_HEADER_PREFIX, "k", "Va", false}, {"value", "VAL"}, {"V"}},
      {{GXDS_HEADER_SUFFIX, "k", "ue"}, {"ue", "value"}, {"valUe", "e", "uex"}},
      {{GXDS_HEADER_SUFFIX, "k", "ue", false}, {"valUE"}, {"e"}},
      {{GXDS_HEADER_CONTAINS, "k", "al"}, {"al", "value", "xal"}, {"vAlue", "a", ""}},
      {{GXDS_HEADER_CONTAINS, "k", "al", false}, {"vAlue", "VAL"}, {"a"}},
      {{GXDS_HEADER_REGEX, "k", "v[0-9]+"}, {"v1", "v12"}, {"v", "xv1", "v1x"}},
      {{GXDS_HEADER_RANGE, "k", "", true, false, true, -5, 10},
       {"-5", "0", "9", "+3", " 7 "},
       {"-6", "10", "x", "", "1x", "1.0", "99999999999999999999", "-", "+", "0x1"}},
      {{GXDS_HEADER_RANGE, "k", "", true, false, true, INT64_MIN, INT64_MAX},
       {"-9223372036854775808", "9223372036854775806"},
       {"-9223372036854775809", "9223372036854775807", "9223372036854775808"}},
  };
  for (HeaderCase c : cases) {
    for (bool invert : {false, true}) {
      c.header.invert = invert;
      Table t({With(c.header)});
      SCOPED_TRACE(c.header.kind);
      for (const auto &v : c.match) EXPECT_EQ(t.Match("/", {{"k", v}}), invert ? -1 : 0) << v;
      for (const auto &v : c.no_match) EXPECT_EQ(t.Match("/", {{"k", v}}), invert ? 0 : -1) << v;
      EXPECT_EQ(t.Match("/", {{"other", "Value"}}), -1) << "absent never matches";
    }
  }
}

TEST(RouteTable, PresenceMatchesEitherWay) {  // A28.20
  for (bool present : {false, true}) {
    for (bool invert : {false, true}) {
      Table t({With({GXDS_HEADER_PRESENT, "k", "", true, invert, present})});
      EXPECT_EQ(t.Match("/", {{"k", ""}}), present != invert ? 0 : -1);
      EXPECT_EQ(t.Match("/", {}), present == invert ? 0 : -1);
    }
  }
}

// Like Envoy: a missing header is compared as an empty value.
TEST(RouteTable, AMissingHeaderMayCountAsAnEmptyOne) {
  const struct {
    Header header;
    bool when_empty;  // whether the matcher, if it is not inverted, matches an empty value
    bool when_v;
  } cases[] = {
      {{GXDS_HEADER_EXACT, "k", "v"}, false, true},
      {{GXDS_HEADER_EXACT, "k", ""}, true, false},
      {{GXDS_HEADER_PREFIX, "k", ""}, true, true},
      {{GXDS_HEADER_SUFFIX, "k", "v"}, false, true},
      {{GXDS_HEADER_CONTAINS, "k", ""}, true, true},
      {{GXDS_HEADER_REGEX, "k", "[a-z]*"}, true, true},
      {{GXDS_HEADER_REGEX, "k", "[a-z]+"}, false, true},
      {{GXDS_HEADER_RANGE, "k", "", true, false, true, -5, 10}, false, false},
      {{GXDS_HEADER_PRESENT, "k", "", true, false, true}, true, true},
      {{GXDS_HEADER_PRESENT, "k", "", true, false, false}, false, false},
  };
  for (const auto &c : cases) {
    for (bool invert : {false, true}) {
      Header header = c.header;
      header.invert = invert;
      header.missing_is_empty = true;
      Table t({With(header)});
      SCOPED_TRACE(header.kind);
      EXPECT_EQ(t.Match("/", {}), c.when_empty != invert ? 0 : -1) << "missing";
      EXPECT_EQ(t.Match("/", {{"k", ""}}), c.when_empty != invert ? 0 : -1) << "empty";
      EXPECT_EQ(t.Match("/", {{"k", "v"}}), c.when_v != invert ? 0 : -1);
    }
  }
}

// Istio's withoutHeaders: by value, and by presence.
TEST(RouteTable, RpcsWithoutAHeaderAreThoseThatLackItOrHaveAnotherValue) {
  Header not_bob = {GXDS_HEADER_EXACT, "user", "bob", true, true};
  not_bob.missing_is_empty = true;
  Header no_trace = {GXDS_HEADER_PRESENT, "trace", "", true, true, true};
  Route r = Prefix("");
  r.headers = {not_bob, no_trace};
  Table t({r});
  EXPECT_EQ(t.Match("/", {}), 0);
  EXPECT_EQ(t.Match("/", {{"user", "amy"}}), 0);
  EXPECT_EQ(t.Match("/", {{"user", "bob"}}), -1);
  EXPECT_EQ(t.Match("/", {{"trace", "1"}}), -1);
}

TEST(RouteTable, BinaryHeadersAreNeverSeen) {  // A28.9
  Table t({With({GXDS_HEADER_PRESENT, "trace-bin", "", true, false, true}),
           With({GXDS_HEADER_PRESENT, "trace-bin", "", true, false, false})});
  EXPECT_EQ(t.Match("/", {{"trace-bin", "x"}}), 1);
  Header empty = {GXDS_HEADER_EXACT, "trace-bin", ""};
  empty.missing_is_empty = true;
  Table as_missing({With(empty)});
  EXPECT_EQ(as_missing.Match("/", {{"trace-bin", "x"}}), 0);
}

TEST(RouteTable, ContentTypeIsWhatTheTransportWillSend) {  // A28.10
  Table t({With({GXDS_HEADER_EXACT, "content-type", "application/grpc"})});
  EXPECT_EQ(t.Match("/", {}), 0);
  EXPECT_EQ(t.Match("/", {{"content-type", "text/html"}}), 0);
}

TEST(RouteTable, TheMethodOfEveryRpcIsPost) {
  Table t(
      {With({GXDS_HEADER_EXACT, ":method", "GET"}), With({GXDS_HEADER_EXACT, ":method", "POST"})});
  EXPECT_EQ(t.Match("/", {}), 1);
  EXPECT_EQ(t.Match("/", {{":method", "GET"}}), 1);
}

// Like Envoy: routes can match the path and authority that the request is sent with. Other gRPC
// clients match neither (A28: custom metadata only).
TEST(RouteTable, PathAndAuthorityAreThoseOfTheRequest) {
  Table path({With({GXDS_HEADER_SUFFIX, ":path", "/Get"})});
  EXPECT_EQ(path.Match("/s/Get", {}), 0);
  EXPECT_EQ(path.Match("/s/Put", {{":path", "/s/Get"}}), -1);
  Table authority({With({GXDS_HEADER_EXACT, ":authority", "greeter.example"})});
  EXPECT_EQ(authority.Match("/", {}), 0) << "the channel's";
  EXPECT_EQ(authority.Match("/", {{":authority", "other.example"}}), -1) << "the RPC's own";
}

// Like gRPC's other clients: it is not known yet whether the connection will be secure.
TEST(RouteTable, TheSchemeIsNeverSeen) {
  Table t({With({GXDS_HEADER_PRESENT, ":scheme", "", true, false, true}),
           With({GXDS_HEADER_PRESENT, ":scheme", "", true, false, false})});
  EXPECT_EQ(t.Match("/", {{":scheme", "https"}}), 1);
}

TEST(RouteTable, EveryHeaderOfARouteMustMatch) {  // A28.7
  Route r = Prefix("");
  r.headers = {{GXDS_HEADER_EXACT, "a", "1"}, {GXDS_HEADER_EXACT, "b", "2"}};
  Table t({r});
  EXPECT_EQ(t.Match("/", {{"a", "1"}, {"b", "2"}}), 0);
  EXPECT_EQ(t.Match("/", {{"a", "1"}, {"b", "3"}}), -1);
  EXPECT_EQ(t.Match("/", {{"a", "1"}}), -1);
}

TEST(RouteTable, AFractionOfTheRpcsMatches) {  // A28.24
  Route some = Prefix("");
  some.fraction_per_million = 250000;
  Route none = Prefix("");
  none.fraction_per_million = 0;
  Route all = Prefix("");
  all.fraction_per_million = 1000000;
  Table t({none, some, all});
  int count[3] = {};
  for (int i = 0; i < 20000; i++) count[t.Match("/s/m")]++;
  EXPECT_EQ(count[0], 0);
  EXPECT_NEAR(count[1], 5000, 300);
  EXPECT_EQ(count[1] + count[2], 20000);
}

TEST(RouteTable, ClustersArePickedByWeight) {  // A28.30
  Table t({{GXDS_PATH_PREFIX, "", {{"b", 30}, {"a", 10}, {"c", 60}}}});
  std::map<std::string, int> count;
  for (int i = 0; i < 20000; i++) count[t.Cluster("/s/m")]++;
  EXPECT_NEAR(count["a"], 2000, 200);
  EXPECT_NEAR(count["b"], 6000, 300);
  EXPECT_NEAR(count["c"], 12000, 300);
}

TEST(RouteTable, WeightsMaySumUpTo32Bits) {
  Table t({{GXDS_PATH_PREFIX, "", {{"a", 1}, {"b", UINT32_MAX - 1}}}});
  for (int i = 0; i < 1000; i++) EXPECT_EQ(t.Cluster("/s/m"), "b");
}

TEST(RouteTable, ARouteThatAClientCannotFollowIsAnError) {  // A28.28
  Route other = Prefix("/a");
  other.action = GXDS_ROUTE_NON_FORWARDING;
  Route unknown = Prefix("/b");
  unknown.action = GXDS_ROUTE_UNSUPPORTED;
  Table t({other, unknown, Prefix("")});
  EXPECT_EQ(t.Find("/a").kind, GXDS_ROUTED_IN_ERROR);
  EXPECT_EQ(t.Find("/b").kind, GXDS_ROUTED_IN_ERROR);
  EXPECT_EQ(t.Find("/c").kind, GXDS_ROUTED);
}

std::string Timeout(const std::string &duration) {
  return R"({"methodConfig":[{"name":[{}],"timeout":")" + duration + "\"}]}";
}

// A31's table.
TEST(RouteTable, TheTimeoutIsTheRoutesElseTheListeners) {  // A31.13, A31.15
  auto timed = [](const std::string &path, gxds_duration d) {
    Route r = Prefix(path);
    r.max_stream_duration = d;
    return r;
  };
  std::vector<Route> routes = {timed("/own", 3 * GXDS_SECOND), timed("/unlimited", 0),
                               timed("/same", 3 * GXDS_SECOND), Prefix("")};
  Table t(routes, 10 * GXDS_SECOND);
  EXPECT_EQ(t.MethodConfig("/own"), Timeout("3.000000000s"));
  EXPECT_EQ(t.MethodConfig("/unlimited"), "");
  EXPECT_EQ(t.MethodConfig("/x"), Timeout("10.000000000s"));
  EXPECT_EQ(t.Find("/same").target->method_config, t.Find("/own").target->method_config);
  EXPECT_EQ(gxds_method_configs_count(gxds_route_table_method_configs(t.get())), 2u);
}

TEST(RouteTable, WithoutAnyTimeoutThereIsNoLimit) {  // A31.16
  for (gxds_duration of_listener : {gxds_duration{-1}, gxds_duration{0}}) {
    Table t({Prefix("")}, of_listener);
    EXPECT_EQ(t.MethodConfig("/x"), "");
  }
}

// "auto", "= LITERAL", or "" for none.
std::string Show(const gxds_host_rewrite *rewrite) {
  if (rewrite == nullptr) return "";
  return rewrite->kind == GXDS_HOST_REWRITE_AUTO ? "auto" : "= " + Str(rewrite->literal);
}

TEST(RouteTable, DecidesWhatBecomesOfTheAuthority) {  // A81.7
  Route by_itself = Prefix("/auto/");
  by_itself.host_rewrite = gxds_host_rewrite{GXDS_HOST_REWRITE_AUTO, {}};
  Route literal = Prefix("/literal/");
  literal.host_rewrite = gxds_host_rewrite{GXDS_HOST_REWRITE_LITERAL, Z("a.example")};
  Route plugin = made_up::PluginRoute("/plugin/", "p", "[]");
  plugin.host_rewrite = gxds_host_rewrite{GXDS_HOST_REWRITE_AUTO, {}};
  Table t({by_itself, literal, plugin, Prefix("")});
  EXPECT_EQ(Show(t.Find("/auto/m").target->host_rewrite), "auto");
  EXPECT_EQ(Show(t.Find("/literal/m").target->host_rewrite), "= a.example");
  EXPECT_EQ(Show(t.Find("/plugin/m").target->host_rewrite), "auto");
  EXPECT_EQ(t.Find("/x").target->host_rewrite, nullptr);
}

TEST(RouteTable, AWeightedClustersOwnAuthorityComesBeforeTheRoutes) {  // E2.5
  Route r = Prefix("");
  r.clusters = {{"own", 1}, {"other", 1}};
  r.host_rewrite = gxds_host_rewrite{GXDS_HOST_REWRITE_AUTO, {}};
  r.first_cluster_host_rewrite = gxds_host_rewrite{GXDS_HOST_REWRITE_LITERAL, Z("own.example")};
  Table t({r});
  std::set<std::string> seen;
  for (int i = 0; i < 100; i++) {
    const gxds_route_result found = t.Find("/x");
    seen.insert(Str(t.names()->names[found.target->cluster]) + " " +
                Show(found.target->host_rewrite));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"own = own.example", "other auto"}));
}

TEST(RouteTable, ARouteToAPluginGoesToThePluginsChild) {
  Route timed = made_up::PluginRoute("/timed/", "p", "[]");
  timed.max_stream_duration = GXDS_SECOND;
  Table t({timed, made_up::PluginRoute("/s/", "p", "[]"), Prefix("")});
  EXPECT_EQ(t.Cluster("/s/m"), "cluster_specifier_plugin:p@s");
  EXPECT_EQ(t.Cluster("/timed/m"), "cluster_specifier_plugin:p@s");
  EXPECT_EQ(t.Cluster("/x"), "default");
  EXPECT_EQ(t.MethodConfig("/timed/m"), Timeout("1.000000000s"));
  EXPECT_EQ(t.MethodConfig("/s/m"), "");
}

gxds_http_filter Filter(const char *name, gxds_http_filter_kind kind, const char *json) {
  return {Z(name), kind, Z(json), {}};
}

TEST(RouteTable, RoutesHaveTheirRetryPolicy) {  // A44
  const gxds_retry_policy policy = {1u << GXDS_UNAVAILABLE, 2, GXDS_MILLISECOND, GXDS_SECOND};
  Route retried = Prefix("/retried");
  retried.retry_policy = &policy;
  Table t({retried, Prefix("")});
  EXPECT_NE(t.MethodConfig("/retried").find(R"("retryPolicy":{"maxAttempts":3,)"),
            std::string::npos)
      << t.MethodConfig("/retried");
  EXPECT_EQ(t.MethodConfig("/x"), "");
}

// Each instance of the filter reads the item with its own index.
TEST(RouteTable, FiltersGoInTheListenersOrderWithTheConfigInForce) {  // A39
  const gxds_http_filter_override of_host[] = {
      {Z("one"), GXDS_HTTP_FILTER_FAULT, Z("{\"host\":1}"), {}}};
  const gxds_http_filter_override of_route[] = {
      {Z("one"), GXDS_HTTP_FILTER_FAULT, Z("{\"route\":1}"), {}}};
  const gxds_http_filter_override of_cluster[] = {
      {Z("one"), GXDS_HTTP_FILTER_FAULT, Z("{\"cluster\":1}"), {}}};
  Route route = Prefix("/route");
  route.filter_overrides = {of_route, 1};
  Route cluster = Prefix("/cluster");
  cluster.clusters = {{"default", 1}};
  cluster.filter_overrides = {of_route, 1};
  cluster.cluster_filter_overrides = {of_cluster, 1};
  Route host = Prefix("");
  Table t({route, cluster, host, Prefix("/same")}, -1, FakeHost(),
          {Filter("one", GXDS_HTTP_FILTER_FAULT, "{\"listener\":1}"),
           Filter("two", GXDS_HTTP_FILTER_FAULT, "{\"listener\":2}"),
           Filter("router", GXDS_HTTP_FILTER_ROUTER, "")},
          {of_host, 1});
  auto with = [](const std::string &first) {
    return R"({"methodConfig":[{"name":[{}],"faultInjectionPolicy":[)" + first +
           R"(,{"listener":2}]}]})";
  };
  EXPECT_EQ(t.MethodConfig("/route"), with("{\"route\":1}"));
  EXPECT_EQ(t.MethodConfig("/cluster"), with("{\"cluster\":1}"));
  EXPECT_EQ(t.MethodConfig("/x"), with("{\"host\":1}"));
  EXPECT_EQ(gxds_method_configs_count(gxds_route_table_method_configs(t.get())), 3u);
}

TEST(RouteTable, PathsThatMatchVeryManyPrefixesAreStillInOrder) {
  std::vector<Route> routes;
  std::string path = "/";
  for (int i = 0; i < 100; i++) {
    path += "x";
    Route r = Prefix(path);
    r.headers = {{GXDS_HEADER_EXACT, "n", std::to_string(i)}};
    routes.push_back(r);
  }
  Table t(routes);
  EXPECT_EQ(t.Match(path, {{"n", "77"}}), 77);
  EXPECT_EQ(t.Match(path, {{"n", "100"}}), -1);
}

Route RandomRoute(std::mt19937 *rng) {
  static const char *const texts[] = {"",     "/",     "/a",    "/A",    "/a/",
                                      "/a/b", "/A/b",  "/a/bc", "/b/",   "/b/c",
                                      "/B/c", "/a/b/", "x",     "/a/bC", "/b"};
  static const char *const regexes[] = {".*", "/a/.*", "/[ab]/b", "/b"};
  Route r;
  r.kind = static_cast<gxds_path_match_kind>((*rng)() % 4);
  r.text = r.kind == GXDS_PATH_REGEX ? regexes[(*rng)() % 4] : texts[(*rng)() % 15];
  r.case_sensitive = (*rng)() % 2;
  if ((*rng)() % 3 == 0) {
    r.headers.push_back(
        {GXDS_HEADER_EXACT, "k", std::to_string((*rng)() % 2), true, (*rng)() % 2 == 0});
    r.headers.back().missing_is_empty = (*rng)() % 2;
  }
  if ((*rng)() % 4 == 0) r.fraction_per_million = (*rng)() % 1000001;
  return r;
}

// Table::Match() compares the compiled form with the linear one.
TEST(RouteTable, TheCompiledFormIsTheSameAsTryingEachRoute) {
  std::mt19937 rng(11);
  static const char *const paths[] = {"",      "/",  "/a", "/a/b", "/A/B",  "/a/bc", "/b/c", "/B/C",
                                      "/a/bC", "/c", "x",  "X",    "/a/b/", "/b",    "/b/"};
  int matched = 0;
  for (int round = 0; round < 300; round++) {
    std::vector<Route> routes;
    for (size_t i = rng() % 30; i > 0; i--) routes.push_back(RandomRoute(&rng));
    Table t(routes);
    for (const char *path : paths) {
      for (const char *k : {"0", "1"}) matched += t.Match(path, {{"k", k}}) >= 0;
    }
  }
  EXPECT_GT(matched, 1000);
}

TEST(RouteTable, NamesItsClustersOnce) {  // A74.5
  Table t({{GXDS_PATH_PREFIX, "/1", {{"b", 1}, {"a", 1}}}, {GXDS_PATH_PREFIX, "/2", {{"a", 1}}}});
  const gxds_names *names = t.names();
  ASSERT_EQ(names->count, 2u);
  EXPECT_EQ(Str(names->names[0]), "a");
  EXPECT_EQ(Str(names->names[1]), "b");
}

// The value of a session cookie with that text.
std::string SessionCookie(const std::string &text) {
  gxds_text out = {};
  gxds_text_add_z(&out, "session=");
  gxds_base64_add(&out, S(text));
  std::string result = Str(gxds_text_str(&out));
  gxds_text_fini(&out);
  return result;
}

gxds_http_filter Sessions(const char *cookie, const char *path = "") {
  return {Z("sessions"), GXDS_HTTP_FILTER_STATEFUL_SESSION, Z(cookie), {Z(cookie), Z(path), 0}};
}

class SessionRoutes : public testing::Test {
 protected:
  // The cluster of an RPC with that cookie: "a" (never drawn at random), "b" or "c".
  std::string To(Table &t, const std::string &cookie) {
    gxds_route_result r = t.Find("/s/m", {{"cookie", cookie}}, &text_);
    has_session_ = r.cookie != nullptr;
    return Str(t.names()->names[r.target->cluster]);
  }
  static Route Split() {
    Route r = Prefix("/s/");
    r.clusters = {{"a", 0}, {"b", 1}, {"c", 0}};
    return r;
  }

  gxds_session_text text_;
  bool has_session_ = false;
};

TEST_F(SessionRoutes, ASessionStaysInItsClusterWhileTheRouteHasIt) {  // A60.2
  Table t({Split()}, -1, FakeHost(), {Sessions("session")});
  EXPECT_EQ(To(t, ""), "b");
  EXPECT_TRUE(has_session_) << "it gets a cookie";
  EXPECT_EQ(text_.addresses, 0u);
  EXPECT_EQ(To(t, SessionCookie("1.2.3.4:80;cluster:c")), "c");
  EXPECT_EQ(Str(gxds_str_of(text_.text, text_.addresses)), "1.2.3.4:80");
  EXPECT_EQ(To(t, "x=y; " + SessionCookie("1.2.3.4:80;a")), "a");
  EXPECT_EQ(To(t, SessionCookie("1.2.3.4:80;d")), "b") << "the route has it not";
  EXPECT_EQ(text_.addresses, 10u) << "but the endpoint may be the cluster's too";
  EXPECT_EQ(To(t, SessionCookie("1.2.3.4:80;c")), "c");
  EXPECT_EQ(To(t, SessionCookie("1.2.3.4:80")), "b") << "as before A60";
  EXPECT_EQ(text_.addresses, 10u);
}

TEST_F(SessionRoutes, TheCookieInForceIsTheMostSpecificOnes) {  // A55.3
  const gxds_http_filter_override none[] = {
      {Z("sessions"), GXDS_HTTP_FILTER_STATEFUL_SESSION, Z("{}"), {}}};
  const gxds_http_filter_override other[] = {
      {Z("sessions"), GXDS_HTTP_FILTER_STATEFUL_SESSION, Z("o"), {Z("other"), Z(""), 0}}};
  Route disabled = Prefix("/none/"), own = Prefix("/other/"), rest = Prefix("/");
  disabled.filter_overrides = {none, 1};
  own.cluster_filter_overrides = {other, 1};
  Table t({disabled, own, rest}, -1, FakeHost(), {Sessions("session", "/rest")});
  EXPECT_EQ(t.Find("/none/m", {}, &text_).cookie, nullptr);
  EXPECT_EQ(Str(t.Find("/other/m", {}, &text_).cookie->name), "other");
  EXPECT_EQ(Str(t.Find("/rest/m", {}, &text_).cookie->name), "session");
  EXPECT_EQ(t.Find("/resting", {}, &text_).cookie, nullptr) << "of another path";
  EXPECT_EQ(t.Find("/rest/m").cookie, nullptr) << "nobody asks";
}

}  // namespace
