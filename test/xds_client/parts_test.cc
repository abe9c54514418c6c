// The small parts: names, deadlines, the queue of actions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/deadlines.h"
#include "base/random.h"
#include "test/xds_client/test_types.h"
#include "xds_client/actions.h"
#include "xds_client/resource_name.h"

namespace gxds_test {
namespace {

using ::testing::ElementsAre;

const char kType[] = "type.googleapis.com/test.v3.Foo";

// The canonical form; for a new-style name "authority|form"; or "refused".
std::string Parse(const std::string &text) {
  gxds_resource_name name;
  if (!gxds_resource_name_init(&name, Str(text), gxds_str_z(kType))) return "refused";
  std::string out = String(name.canonical);
  if (name.federated) out = String(name.authority) + "|" + out;
  gxds_resource_name_fini(&name);
  return out;
}

TEST(ResourceName, OldStyleStaysAsItIs) {
  EXPECT_EQ(Parse("foo"), "foo");
  EXPECT_EQ(Parse("a/b?c=d#e %zz"), "a/b?c=d#e %zz");
  EXPECT_EQ(Parse("xdstpx"), "xdstpx");
  EXPECT_EQ(Parse("gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(ResourceName, NewStyleIsCanonical) {  // A47.14
  struct {
    const char *text;
    const char *expected;
  } table[] = {
      {"xdstp://a/test.v3.Foo/id", "a|xdstp://a/test.v3.Foo/id"},
      {"xdstp:///test.v3.Foo/id", "|xdstp:///test.v3.Foo/id"},
      {"xdstp:/test.v3.Foo/id", "|xdstp:///test.v3.Foo/id"},
      {"xdstp:test.v3.Foo/id", "|xdstp:///test.v3.Foo/id"},
      {"xdstp://a/test.v3.Foo/x/y/z", "a|xdstp://a/test.v3.Foo/x/y/z"},
      {"xdstp://a/test.v3.Foo/", "a|xdstp://a/test.v3.Foo/"},
      {"xdstp://a/test.v3.Foo/id?b=2&a=1", "a|xdstp://a/test.v3.Foo/id?a=1&b=2"},
      {"xdstp://a/test.v3.Foo/id?a=1&a=2&b", "a|xdstp://a/test.v3.Foo/id?a=2&b="},
      {"xdstp://a/test.v3.Foo/id?=1&&a=1=2", "a|xdstp://a/test.v3.Foo/id?a=1%3D2"},
      {"xdstp://a/test.v3.Foo/id?a=%26%3d", "a|xdstp://a/test.v3.Foo/id?a=%26%3D"},
      {"xdstp://a/test.v3.Foo/id?a=1#fragment", "a|xdstp://a/test.v3.Foo/id?a=1"},
      {"xdstp://a/test.v3.Foo/%69%64%20", "a|xdstp://a/test.v3.Foo/id%20"},
      {"xdstp://a/test.v3.Foo/%zz%4", "a|xdstp://a/test.v3.Foo/%25zz%254"},
      {"xdstp://a%41:8080/test.v3.Foo/id", "aA:8080|xdstp://aA:8080/test.v3.Foo/id"},
      {"xdstp://a/test.v3.Foo/gr\xc3\xbcn", "a|xdstp://a/test.v3.Foo/gr%C3%BCn"},
      {"xdstp://a/test%2ev3.Foo/id", "a|xdstp://a/test.v3.Foo/id"},
  };
  for (const auto &row : table) EXPECT_EQ(Parse(row.text), row.expected) << row.text;
}

TEST(ResourceName, CanonicalFormIsItsOwn) {
  for (const char *text : {"xdstp://a/test.v3.Foo/%zz?b=%26&a=1#f", "xdstp:/test.v3.Foo/a%20b"}) {
    std::string canonical = Parse(text);
    canonical = canonical.substr(canonical.find('|') + 1);
    std::string again = Parse(canonical);
    EXPECT_EQ(again.substr(again.find('|') + 1), canonical);
  }
}

TEST(ResourceName, RefusesWhatIsNone) {
  EXPECT_EQ(Parse(""), "refused");
  EXPECT_EQ(Parse(std::string(GXDS_RESOURCE_NAME_BYTES_MAX, 'x')).size(),
            static_cast<size_t>(GXDS_RESOURCE_NAME_BYTES_MAX));
  EXPECT_EQ(Parse(std::string(GXDS_RESOURCE_NAME_BYTES_MAX + 1, 'x')), "refused");
  for (const char *text :
       {"xdstp:", "xdstp://", "xdstp://a", "xdstp://a/", "xdstp://a/test.v3.Bar/id",
        "xdstp://a//test.v3.Foo/id", "xdstp://a/test.v3.Foo/id?", "xdstp://a/test.v3.Foo/id?a b",
        "xdstp://a/test.v3.Foo/id#a b", "xdstp://a/test.v3.Foox/id"}) {
    EXPECT_EQ(Parse(text), "refused") << text;
  }
}

TEST(ResourceName, RefusesWhatIsNotUtf8) {
  for (const char *text :
       {"\x80", "a\xff", "\xc0\xaf", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf8\x88\x80"}) {
    EXPECT_EQ(Parse(text), "refused");
  }
}

TEST(Deadlines, ComeByTimeThenInTheOrderOfSetting) {
  gxds_deadlines q = {};
  gxds_deadline d[4] = {};
  for (uint32_t i = 0; i < 4; i++) d[i].kind = i & 3;
  gxds_deadlines_set(&q, &d[0], 20);
  gxds_deadlines_set(&q, &d[1], 10);
  gxds_deadlines_set(&q, &d[2], 20);
  gxds_deadlines_set(&q, &d[3], 10);
  EXPECT_EQ(gxds_deadlines_next(&q), 10);
  EXPECT_EQ(gxds_deadlines_take_due(&q, 9, UINT64_MAX), nullptr);
  std::vector<int> order;
  while (gxds_deadline *due = gxds_deadlines_take_due(&q, 20, UINT64_MAX))
    order.push_back(due->kind);
  EXPECT_THAT(order, ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(gxds_deadlines_next(&q), GXDS_TIME_NEVER);
  gxds_deadlines_fini(&q);
}

TEST(Deadlines, MovedOneComesAfterThoseOfItsNewTime) {
  gxds_deadlines q = {};
  gxds_deadline a = {}, b = {};
  gxds_deadlines_set(&q, &a, 10);
  gxds_deadlines_set(&q, &b, 10);
  gxds_deadlines_set(&q, &a, 10);
  EXPECT_EQ(gxds_deadlines_take_due(&q, 10, UINT64_MAX), &b);
  gxds_deadlines_cancel(&q, &a);
  gxds_deadlines_cancel(&q, &a);
  EXPECT_EQ(gxds_deadlines_take_due(&q, 10, UINT64_MAX), nullptr);
  gxds_deadlines_fini(&q);
}

TEST(Deadlines, AgreeWithAModel) {
  gxds_random random = {7};
  gxds_deadlines q = {};
  std::vector<gxds_deadline> d(50);
  std::vector<std::pair<std::pair<gxds_time, int>, int>> model;  // {time, order}, and the deadline
  int order = 0;
  for (int step = 0; step < 20000; step++) {
    int i = static_cast<int>(gxds_random_next(&random) % d.size());
    model.erase(std::remove_if(model.begin(), model.end(), [&](auto &m) { return m.second == i; }),
                model.end());
    if (gxds_random_next(&random) % 4 == 0) {
      gxds_deadlines_cancel(&q, &d[i]);
    } else {
      gxds_time at = static_cast<gxds_time>(gxds_random_next(&random) % 30);
      gxds_deadlines_set(&q, &d[i], at);
      model.push_back({{at, order++}, i});
    }
    gxds_deadlines_validate(&q);
    auto first = std::min_element(model.begin(), model.end());
    ASSERT_EQ(gxds_deadlines_next(&q), first == model.end() ? GXDS_TIME_NEVER : first->first.first);
    if (gxds_random_next(&random) % 8) continue;
    gxds_deadline *due = gxds_deadlines_take_due(&q, GXDS_TIME_NEVER, UINT64_MAX);
    ASSERT_EQ(due ? due - d.data() : -1, first == model.end() ? -1 : first->second);
    if (due) model.erase(first);
  }
  gxds_deadlines_fini(&q);
}

const gxds_error *MakeError(const char *message) {
  gxds_text text = {};
  gxds_text_add_z(&text, message);
  return gxds_error_create(GXDS_NOT_FOUND, &text, Str(""), Str(""));
}

TEST(Actions, ComeInOrderAndKeepWhatTheyName) {
  gxds_actions q = {};
  const gxds_error *error = MakeError("no such thing");
  for (int round = 0; round < 3; round++) {  // the ring wraps around
    for (uint64_t i = 0; i < 25; i++) {
      gxds_action a = {};
      a.kind = GXDS_ACTION_AMBIENT_ERROR;
      a.watch = i;
      a.error = i % 2 ? error : nullptr;
      gxds_actions_push(&q, &a, gxds_str_dup(Str(std::to_string(i))));
    }
    for (uint64_t i = 0; i < 20; i++) {
      const gxds_action *a = gxds_actions_pop(&q);
      ASSERT_NE(a, nullptr);
      EXPECT_EQ(a->watch, (i + (round ? 25 - 5 * round : 0)) % 25);
      EXPECT_EQ(String(a->bytes), std::to_string(a->watch));
      EXPECT_EQ(a->error, a->watch % 2 ? error : nullptr);
    }
  }
  gxds_actions_fini(&q);
  EXPECT_EQ(error->refs.count, 1);
  gxds_error_unref(error);
}

}  // namespace
}  // namespace gxds_test
