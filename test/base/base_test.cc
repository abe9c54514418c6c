#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>

#include "base/backoff.h"
#include "base/error.h"
#include "base/errors.h"
#include "base/random.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text.h"
#include "base/time.h"
#include "base/utf8.h"
#include "test/support/made_locale.h"

namespace {

std::string Take(gxds_status status) {
  gxds_text text = {};
  gxds_status_render(&status, &text);
  std::string s(text.data, text.size);
  gxds_text_fini(&text);
  gxds_status_fini(&status);
  return s;
}

TEST(Str, OrderIsThatOfBytesAndAPrefixComesFirst) {
  EXPECT_LT(gxds_str_compare(gxds_str_z("ab"), gxds_str_z("abc")), 0);
  EXPECT_GT(gxds_str_compare(gxds_str_z("b"), gxds_str_z("abc")), 0);
  EXPECT_EQ(gxds_str_compare(gxds_str_z(nullptr), gxds_str_z("")), 0);
  EXPECT_LT(gxds_str_compare(gxds_str_z("a"), gxds_str_z("\xff")), 0);
}

TEST(Str, CaseIsIgnoredOnlyByNocase) {
  EXPECT_FALSE(gxds_str_equal(gxds_str_z("Ab"), gxds_str_z("aB")));
  EXPECT_TRUE(gxds_str_equal_nocase(gxds_str_z("Ab"), gxds_str_z("aB")));
  EXPECT_FALSE(gxds_str_equal_nocase(gxds_str_z("Ab"), gxds_str_z("aBc")));
}

TEST(Str, CaseIsIgnoredTheSameInEveryLocale) {
  EXPECT_TRUE(gxds_str_equal_nocase(gxds_str_z("@AIZ[`aiz{"), gxds_str_z("@aiz[`AIZ{")));
  EXPECT_FALSE(gxds_str_equal_nocase(gxds_str_z("@"), gxds_str_z("`")));
  EXPECT_FALSE(gxds_str_equal_nocase(gxds_str_of("a\0b", 3), gxds_str_of("a\0c", 3)));
  gxds_test::MadeLocale locale("tr_TR");  // where "I" is no capital "i"
  if (!locale.made()) GTEST_SKIP() << "localedef makes no tr_TR.UTF-8 here";
  EXPECT_TRUE(gxds_str_equal_nocase(gxds_str_z("AIZ"), gxds_str_z("aiz")));
}

TEST(Str, StartsAndEndsWith) {
  EXPECT_TRUE(gxds_str_starts_with(gxds_str_z("abc"), gxds_str_z("ab")));
  EXPECT_FALSE(gxds_str_starts_with(gxds_str_z("a"), gxds_str_z("ab")));
  EXPECT_TRUE(gxds_str_ends_with(gxds_str_z("abc"), gxds_str_z("bc")));
  EXPECT_FALSE(gxds_str_ends_with(gxds_str_z("c"), gxds_str_z("bc")));
  EXPECT_TRUE(gxds_str_ends_with(gxds_str_z("c"), gxds_str_z("")));
}

TEST(Str, TakesBytesOffItsFront) {
  gxds_str rest = gxds_str_z("abcde");
  EXPECT_TRUE(gxds_str_equal(gxds_str_take(&rest, 2), gxds_str_z("ab")));
  EXPECT_TRUE(gxds_str_equal(rest, gxds_str_z("cde")));
  EXPECT_TRUE(gxds_str_equal(gxds_str_from(rest, 1), gxds_str_z("de")));
  EXPECT_TRUE(gxds_str_empty(gxds_str_from(rest, 3)));
}

TEST(Str, IsSetToAPartOfItself) {
  gxds_str s = {nullptr, 0};
  gxds_str_set(&s, gxds_str_z("abcde"));
  gxds_str_set(&s, gxds_str_from(s, 3));
  EXPECT_STREQ(s.data, "de");
  gxds_str_free(&s);
}

TEST(Str, SortsArrays) {
  gxds_str items[] = {gxds_str_z("b"), gxds_str_z("ab"), gxds_str_z("a")};
  qsort(items, 3, sizeof *items, gxds_str_compare_items);
  EXPECT_STREQ(items[0].data, "a");
  EXPECT_STREQ(items[1].data, "ab");
  EXPECT_STREQ(items[2].data, "b");
}

TEST(Str, TrimsBothEnds) {
  for (const char *text : {"a b", " a b", "a b\r\n", "\t\n a b \t"}) {
    const gxds_str s = gxds_str_trim(gxds_str_z(text));
    EXPECT_EQ(std::string(s.data, s.size), "a b");
  }
  EXPECT_EQ(gxds_str_trim(gxds_str_z(" \n ")).size, 0u);
}

TEST(Str, HexadecimalDigitsAreOfEitherCase) {
  const std::string digits = "0123456789abcdefABCDEF";
  for (size_t i = 0; i < digits.size(); i++) {
    EXPECT_EQ(gxds_hex_digit(digits[i]), static_cast<int>(i < 16 ? i : i - 6)) << digits[i];
  }
  for (char other : {'/', ':', '@', 'G', '`', 'g', '\0', '\xff'}) {
    EXPECT_EQ(gxds_hex_digit(other), -1) << other;
  }
}

TEST(Str, NumbersOfABase) {
  uint64_t out = 7;
  EXPECT_TRUE(gxds_str_to_uint64(gxds_str_z("007"), 10, &out) && out == 7);
  EXPECT_TRUE(gxds_str_to_uint64(gxds_str_z("18446744073709551615"), 10, &out) && ~out == 0);
  EXPECT_TRUE(gxds_str_to_uint64(gxds_str_z("aF"), 16, &out) && out == 0xaf);
  EXPECT_TRUE(gxds_str_to_uint64(gxds_str_z("17"), 8, &out) && out == 15);
  for (const char *bad : {"", "-1", "+1", "1 ", "a", "18446744073709551616"}) {
    EXPECT_FALSE(gxds_str_to_uint64(gxds_str_z(bad), 10, &out)) << bad;
  }
  EXPECT_FALSE(gxds_str_to_uint64(gxds_str_z("8"), 8, &out));
  EXPECT_FALSE(gxds_str_to_uint64(gxds_str_z("10000000000000000"), 16, &out));
  EXPECT_EQ(out, 15u) << "it is as it was";
}

TEST(Str, PercentDecoding) {
  gxds_str s = gxds_percent_decode(gxds_str_z("a%2Fb%2fc%2%zz%"));
  EXPECT_STREQ(s.data, "a/b/c%2%zz%");
  gxds_str_free(&s);
}

TEST(Str, Utf8) {
  for (const char *good :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(gxds_str_is_utf8(gxds_str_z(good))) << good;
  }
  for (const char *bad : {"\x80", "a\xff", "\xc3", "\xc3z", "\xc0\xaf", "\xe0\x9f\xbf",
                          "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_FALSE(gxds_str_is_utf8(gxds_str_z(bad))) << bad;
  }
}

TEST(Text, ControlCharactersFromTheNetworkAreEscaped) {
  gxds_text text = {};
  gxds_text_add_escaped(&text, gxds_str_of("a\nb\x1b\\\0c\x7f", 8));
  EXPECT_EQ(std::string(text.data), "a\\x0ab\\x1b\\x5c\\x00c\\x7f");
  gxds_text_fini(&text);
}

TEST(Text, ControlCharactersOfTwoBytesAreEscapedAndOtherCharactersStay) {
  gxds_text text = {};
  gxds_text_add_escaped(&text, gxds_str_z("\xc2\x80 \xc2\x9b \xc2\x9f \xc2\xa0 \xc3\x80 \xc2"));
  EXPECT_EQ(std::string(text.data), "\\xc2\\x80 \\xc2\\x9b \\xc2\\x9f \xc2\xa0 \xc3\x80 \xc2");
  gxds_text_fini(&text);
}

TEST(Text, BytesThatMayNotStayArePercentEncoded) {
  gxds_text text = {};
  gxds_text_add_percent_encoded(&text, gxds_str_z("a/b \xc3\xa9"),
                                [](char c) { return c != '/' && c > ' '; });
  EXPECT_STREQ(text.data, "a%2Fb%20%C3%A9");
  gxds_text_fini(&text);
}

TEST(Text, FormatsAStringOfItsOwn) {
  gxds_str s = gxds_str_format("%d %.*s", 7, GXDS_STR_ARG(gxds_str_z("of nine")));
  EXPECT_STREQ(s.data, "7 of nine");
  EXPECT_EQ(s.size, 9u);
  gxds_str_free(&s);
}

TEST(Text, ReadsAPipeToItsEndOrItsLimit) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "bcd", 3), 3);
  gxds_text t = {};
  gxds_text_add_z(&t, "a");
  EXPECT_TRUE(gxds_text_add_file(&t, ends[0], 2)) << "does not wait for more";
  EXPECT_STREQ(t.data, "abcd");
  close(ends[1]);
  EXPECT_TRUE(gxds_text_add_file(&t, ends[0], 100));
  EXPECT_STREQ(t.data, "abcd");
  close(ends[0]);
  EXPECT_FALSE(gxds_text_add_file(&t, ends[0], 100));
  EXPECT_EQ(errno, EBADF);
  gxds_text_fini(&t);
}

TEST(Text, GrowsBeyondItsFirstCapacity) {
  gxds_text text = {};
  std::string expected;
  for (int i = 0; i < 1000; i++) {
    gxds_text_addf(&text, "%d,", i);
    expected += std::to_string(i) + ",";
  }
  gxds_str taken = gxds_text_take(&text);
  EXPECT_EQ(std::string(taken.data, taken.size), expected);
  EXPECT_EQ(text.size, 0u);
  gxds_str_free(&taken);
}

TEST(Status, RendersAsTheHostDoes) {
  EXPECT_EQ(Take(gxds_status_ok()), "OK");
  EXPECT_EQ(Take(gxds_status_make(GXDS_UNAVAILABLE, "no %s", "way")), "UNAVAILABLE: no way");
}

TEST(Status, ControlCharactersOfTheNetworkAreEscaped) {
  EXPECT_EQ(Take(gxds_status_make(GXDS_UNAVAILABLE, "cluster %s: \\x07", "a\nb\x1b[31m\x7f")),
            "UNAVAILABLE: cluster a\\x0ab\\x1b[31m\\x7f: \\x07");
}

TEST(Status, CopiesAreEqualAndIndependent) {
  gxds_status a = gxds_status_make(GXDS_INTERNAL, "x");
  gxds_status b = gxds_status_copy(&a);
  EXPECT_TRUE(gxds_status_equal(&a, &b));
  gxds_status_fini(&a);
  EXPECT_FALSE(gxds_status_equal(&a, &b));
  EXPECT_EQ(Take(b), "INTERNAL: x");
}

TEST(Utf8, MembersOfAnObjectAreSeparatedByCommas) {
  const gxds_str list[] = {gxds_str_z("x"), gxds_str_z("\"")};
  gxds_text text{};
  gxds_text_add_z(&text, "{");
  gxds_utf8_add_member_if_any(&text, "none", gxds_str_z(""));
  gxds_utf8_add_member(&text, "a", gxds_str_z(""));
  gxds_utf8_add_member_if_any(&text, "b", gxds_str_z("y"));
  gxds_utf8_add_list(&text, "c", list, 2);
  gxds_utf8_add_list(&text, "d", nullptr, 0);
  gxds_text_add_z(&text, "}");
  EXPECT_STREQ(text.data, R"({"a":"","b":"y","c":["x","\""],"d":[]})");
  gxds_text_fini(&text);
}

TEST(Errors, NoneIsOk) {
  gxds_errors errors = {};
  EXPECT_EQ(Take(gxds_errors_status(&errors, "prefix")), "OK");
}

TEST(Errors, AreSortedByPathAndThoseOfOnePathStandTogether) {
  gxds_errors errors = {};
  gxds_path root = {nullptr, "endpoints", 3, nullptr};
  gxds_path weight = {&root, "weight", -1, nullptr};
  gxds_path address = {&root, "address", -1, nullptr};
  gxds_errors_add(&errors, &weight, "must be positive");
  gxds_errors_add(&errors, &address, "field not present");
  gxds_errors_add(&errors, &weight, "too %s", "big");
  EXPECT_EQ(Take(gxds_errors_status(&errors, "errors validating EDS resource")),
            "INVALID_ARGUMENT: errors validating EDS resource: "
            "[field:endpoints[3].address error:field not present; "
            "field:endpoints[3].weight errors:[must be positive; too big]]");
  gxds_errors_fini(&errors);
}

TEST(Errors, BeyondTheLimitAreOnlyCounted) {
  gxds_errors errors = {};
  for (int i = 0; i < GXDS_ERRORS_MAX + 7; i++) {
    gxds_path at = {nullptr, "x", i, nullptr};
    gxds_errors_add(&errors, &at, "bad");
  }
  std::string text = Take(gxds_errors_status(&errors, "p"));
  EXPECT_NE(text.find("; and 7 more]"), std::string::npos) << text;
  gxds_errors_fini(&errors);
}

TEST(Errors, MapKeysAreRendered) {
  gxds_errors errors = {};
  gxds_path at = {nullptr, "authorities", -1, "xds.example.com"};
  gxds_errors_add(&errors, &at, "bad");
  EXPECT_EQ(Take(gxds_errors_status(&errors, "p")),
            "INVALID_ARGUMENT: p: [field:authorities[\"xds.example.com\"] error:bad]");
  gxds_errors_fini(&errors);
}

TEST(Backoff, GrowsByItsFactorWithinJitterUpToItsMaximum) {
  gxds_backoff backoff;
  gxds_backoff_init_xds(&backoff);
  gxds_random random = {42};
  double expected = 1e9;
  for (int i = 0; i < 20; i++) {
    auto wait = static_cast<double>(gxds_backoff_next(&backoff, &random));
    EXPECT_GE(wait, expected * 0.8 - 1) << i;
    EXPECT_LE(wait, expected * 1.2 + 1) << i;
    expected = std::min(expected * 1.6, 120e9);
  }
  gxds_backoff_reset(&backoff);
  EXPECT_LE(gxds_backoff_next(&backoff, &random), 1.2e9);
}

TEST(Backoff, AfterAStreamIsTheRestOfItsStepOrARandomPartOfASecond) {
  gxds_random random = {1};
  gxds_backoff backoff;
  gxds_backoff_init_xds(&backoff);
  for (gxds_duration step : {1000, 1600, 2560, 4096}) {
    const gxds_duration lived = 300 * GXDS_MILLISECOND;
    gxds_duration wait = gxds_backoff_after_stream(&backoff, true, lived, &random);
    EXPECT_GE(lived + wait, step * GXDS_MILLISECOND * 8 / 10);
    EXPECT_LE(lived + wait, step * GXDS_MILLISECOND * 12 / 10);
  }
  gxds_duration wait = gxds_backoff_after_stream(&backoff, false, GXDS_SECOND * 3600, &random);
  EXPECT_GE(wait, GXDS_SECOND * 5);  // A57: without a response, a whole step
  EXPECT_LE(gxds_backoff_after_stream(&backoff, true, 20 * GXDS_SECOND, &random),
            GXDS_REOPEN_WITHIN);
  wait = gxds_backoff_after_stream(&backoff, true, 0, &random);
  EXPECT_GE(wait, GXDS_SECOND * 8 / 10);
  EXPECT_LE(wait, GXDS_SECOND * 12 / 10);
}

TEST(Time, NeverStaysNever) {
  EXPECT_EQ(gxds_time_after(5, 3), 8);
  EXPECT_EQ(gxds_time_after(5, GXDS_TIME_NEVER), GXDS_TIME_NEVER);
}

TEST(Ref, TheLastOneIsReported) {
  gxds_ref ref;
  gxds_ref_init(&ref);
  gxds_ref_inc(&ref);
  EXPECT_FALSE(gxds_ref_dec(&ref));
  EXPECT_TRUE(gxds_ref_dec(&ref));
}

std::string Origin(const char *server, const char *node) {
  gxds_text text = {};
  gxds_text_add_origin(&text, gxds_str_z(server), gxds_str_z(node));
  std::string s(text.data ? text.data : "", text.size);
  gxds_text_fini(&text);
  return s;
}

TEST(Origin, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(Origin("s:1", "n"), " (xDS server s:1) (node ID:n)");
  EXPECT_EQ(Origin("s:1", ""), " (xDS server s:1)");
  EXPECT_EQ(Origin("", "n"), " (node ID:n)");
  EXPECT_EQ(Origin("", ""), "");
}

const gxds_error *NewError(const char *message, const char *server = "s:1", const char *node = "n",
                           gxds_code code = GXDS_UNAVAILABLE) {
  gxds_text text = {};
  gxds_text_add_z(&text, message);
  return gxds_error_create(code, &text, gxds_str_z(server), gxds_str_z(node));
}

std::string Words(const gxds_error *take_error) {
  gxds_str text = gxds_error_text(take_error);
  std::string s(text.data ? text.data : "", text.size);
  gxds_str_free(&text);
  gxds_error_unref(take_error);
  return s;
}

TEST(Error, EndsWithItsOrigin) {
  EXPECT_EQ(Words(NewError("gone")), "gone (xDS server s:1) (node ID:n)");
  EXPECT_EQ(Words(NewError("gone", "")), "gone (node ID:n)");
  EXPECT_EQ(Words(NewError("gone", "", "")), "gone");
  EXPECT_EQ(Words(NewError("", "s:1", "n", GXDS_OK)), "(xDS server s:1) (node ID:n)");
  EXPECT_EQ(Words(NewError("", "", "n", GXDS_OK)), "(node ID:n)");
  EXPECT_EQ(Words(nullptr), "");
}

TEST(Error, AnEqualOneKeepsTheOneThatIsKnown) {
  const gxds_error *known = NewError("gone");
  const gxds_error *same = gxds_error_renew(known, NewError("gone"));
  EXPECT_EQ(same, known);
  gxds_error_unref(same);
  for (const gxds_error *other :
       {NewError("lost"), NewError("gone", "s:2"), NewError("gone", "s:1", "m"),
        NewError("gone", "s:1", "n", GXDS_NOT_FOUND)}) {
    const gxds_error *kept = gxds_error_renew(known, other);
    EXPECT_EQ(kept, other);
    gxds_error_unref(kept);
  }
  const gxds_error *first = gxds_error_renew(nullptr, known);
  EXPECT_EQ(first, known);
  EXPECT_EQ(known->refs.count, 1);
  gxds_error_unref(first);
}

// Text of an error that looks like an origin is not treated as one.
TEST(Error, TextThatLooksLikeAnOriginIsText) {
  const gxds_error *words = NewError("gone (xDS server s:1)", "", "n");
  const gxds_error *origin = NewError("gone", "s:1", "n");
  EXPECT_FALSE(gxds_error_equal(words, origin));
  EXPECT_FALSE(gxds_error_same_text(words, origin));
  gxds_error_unref(words);
  gxds_error_unref(origin);
}

TEST(Errors, AreReportedOneByOneAsTheyAreRendered) {
  gxds_errors errors = {};
  const gxds_path root = {nullptr, "b", -1, nullptr};
  const gxds_path item = {&root, "c", 3, nullptr};
  gxds_errors_add(&errors, &item, "bad; field:x error:y");
  const gxds_path first = {nullptr, "a", -1, nullptr};
  gxds_errors_add(&errors, &first, "must be set\n");
  gxds_errors_add(&errors, &first, "twice");
  for (int i = 0; i < GXDS_ERRORS_MAX; i++) gxds_errors_add(&errors, &item, "more");
  std::vector<std::string> told;
  gxds_errors_each(
      &errors,
      [](void *arg, gxds_str field, gxds_str error) {
        static_cast<std::vector<std::string> *>(arg)->push_back(
            std::string(field.data ? field.data : "", field.size) + "|" +
            std::string(error.data, error.size));
      },
      &told);
  gxds_errors_fini(&errors);
  ASSERT_EQ(told.size(), GXDS_ERRORS_MAX + 1u);
  EXPECT_EQ(told[0], "a|must be set\\x0a");
  EXPECT_EQ(told[1], "a|twice");
  EXPECT_EQ(told[2], "b.c[3]|bad; field:x error:y");
  EXPECT_EQ(told[GXDS_ERRORS_MAX], "|and 3 more");
}

TEST(Random, NoTwoSeedsAreTheSame) {
  std::set<uint64_t> seeds;
  for (int i = 0; i < 1000; i++) seeds.insert(gxds_random_seed());
  EXPECT_EQ(seeds.size(), 1000u);
}

}  // namespace
