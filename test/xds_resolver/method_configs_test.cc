#include "xds_resolver/method_configs.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace {

std::string Str(gxds_str s) { return std::string(s.data, s.size); }

class MethodConfigs : public ::testing::Test {
 protected:
  void SetUp() override { set_ = gxds_method_configs_create(); }
  void TearDown() override { gxds_method_configs_destroy(set_); }

  static gxds_method_config Timed(gxds_duration timeout) {
    static const gxds_http_filter_overrides none = {};
    gxds_method_config c = {};
    c.timeout = timeout;
    for (auto &overrides : c.overrides) overrides = &none;
    return c;
  }
  static size_t Add(gxds_method_configs *set, gxds_duration timeout) {
    const gxds_method_config c = Timed(timeout);
    return gxds_method_configs_add(set, &c);
  }

  gxds_method_configs *set_;
};

TEST_F(MethodConfigs, AnEmptyOneIsNone) {
  EXPECT_EQ(Add(set_, 0), GXDS_NO_METHOD_CONFIG);
  EXPECT_EQ(gxds_method_configs_count(set_), 0u);
}

TEST_F(MethodConfigs, EqualOnesAreOne) {
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < 100; i++) {
      EXPECT_EQ(Add(set_, static_cast<gxds_duration>(i + 1) * GXDS_MILLISECOND), i);
    }
  }
  EXPECT_EQ(gxds_method_configs_count(set_), 100u);
  EXPECT_EQ(Str(gxds_method_configs_text(set_, 2)),
            R"({"methodConfig":[{"name":[{}],"timeout":"0.003000000s"}]})");
}

// The host counts in milliseconds, and to it zero means no limit.
TEST_F(MethodConfigs, TheTimeoutIsRoundedUpToAMillisecond) {  // A31.13
  struct Case {
    gxds_duration given, timeout;
  };
  const gxds_duration last = INT64_MAX / GXDS_MILLISECOND * GXDS_MILLISECOND;
  for (const Case &c : std::initializer_list<Case>{{1, GXDS_MILLISECOND},
                                                   {GXDS_MILLISECOND, GXDS_MILLISECOND},
                                                   {GXDS_MILLISECOND + 1, 2 * GXDS_MILLISECOND},
                                                   {3 * GXDS_SECOND, 3 * GXDS_SECOND},
                                                   {INT64_MAX, last}}) {
    EXPECT_EQ(gxds_method_configs_timeout(set_, Add(set_, c.given)), c.timeout) << c.given;
  }
  EXPECT_EQ(Str(gxds_method_configs_text(set_, 0)),
            R"({"methodConfig":[{"name":[{}],"timeout":"0.001000000s"}]})");
}

// In this way an update finds what it shares with the update before.
TEST_F(MethodConfigs, AreFoundByTheTextOfAnotherSet) {
  Add(set_, GXDS_SECOND);
  Add(set_, 2 * GXDS_SECOND);
  gxds_method_configs *next = gxds_method_configs_create();
  Add(next, 2 * GXDS_SECOND);
  Add(next, 3 * GXDS_SECOND);
  EXPECT_EQ(gxds_method_configs_find(set_, gxds_method_configs_text(next, 0)), 1u);
  EXPECT_EQ(gxds_method_configs_find(set_, gxds_method_configs_text(next, 1)),
            GXDS_NO_METHOD_CONFIG);
  gxds_method_configs_destroy(next);
}

TEST_F(MethodConfigs, OverridesOfAnotherKindOfFilterDoNotCount) {  // A39
  const gxds_http_filter filter = {gxds_str_z("f"), GXDS_HTTP_FILTER_FAULT, gxds_str_z("{}"), {}};
  const gxds_http_filter_override other[] = {
      {gxds_str_z("f"), GXDS_HTTP_FILTER_ROUTER, gxds_str_z(""), {}}};
  const gxds_http_filter_overrides overrides = {other, 1};
  gxds_method_config c = Timed(0);
  c.filters = &filter;
  c.filter_count = 1;
  c.overrides[1] = &overrides;
  const size_t number = gxds_method_configs_add(set_, &c);
  EXPECT_EQ(gxds_method_configs_timeout(set_, number), 0);
  EXPECT_EQ(Str(gxds_method_configs_text(set_, number)),
            R"({"methodConfig":[{"name":[{}],"faultInjectionPolicy":[{}]}]})");
}

}  // namespace
