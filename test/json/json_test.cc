#include "json/json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <type_traits>

#include "test/support/made_locale.h"

namespace {

// The number that is read from {"a": VALUE}, or the error.
std::string ReadNumber(const std::string &value) {
  json_t *object = json_loads(("{\"a\":" + value + "}").c_str(), 0, nullptr);
  EXPECT_NE(object, nullptr) << value;
  gxds_errors errors = {};
  uint64_t number = 7;
  const bool read = gxds_json_uint64(object, "a", GXDS_JSON_OPTIONAL, nullptr, &errors, &number);
  gxds_status status = gxds_errors_status(&errors, "wrong");
  std::string out = read ? std::to_string(number) : status.message.size ? status.message.data : "";
  EXPECT_EQ(read, errors.count == 0);
  EXPECT_TRUE(read || number == 7) << "left alone";
  gxds_status_fini(&status);
  gxds_errors_fini(&errors);
  json_decref(object);
  return out;
}

TEST(Json, NumberMayBeText) {
  EXPECT_EQ(ReadNumber("5"), "5");
  EXPECT_EQ(ReadNumber("\"5\""), "5");
  EXPECT_EQ(ReadNumber("\"18446744073709551615\""), "18446744073709551615");
}

TEST(Json, WhatIsNoNumberIsAnError) {
  const std::string wrong = "wrong: [field:a error:failed to parse non-negative number]";
  for (const char *value : {"-1", "1.5", "\"\"", "\"+\"", "\"1 \"", "\"0x1\"", "\"-1\"",
                            "\"18446744073709551616\"", "\"99999999999999999999\""}) {
    EXPECT_EQ(ReadNumber(value), wrong) << value;
  }
  EXPECT_EQ(ReadNumber("true"), "wrong: [field:a error:is not a number]");
}

TEST(Json, EveryErrorIsReported) {
  json_t *object = json_loads(R"({"a":1,"b":"x"})", 0, nullptr);
  gxds_errors errors = {};
  gxds_str text = {};
  uint64_t number = 0;
  EXPECT_FALSE(gxds_json_str(object, "a", GXDS_JSON_OPTIONAL, nullptr, &errors, &text));
  EXPECT_TRUE(gxds_json_str(object, "b", GXDS_JSON_REQUIRED, nullptr, &errors, &text));
  EXPECT_EQ(std::string(text.data, text.size), "x");
  EXPECT_FALSE(gxds_json_str(object, "c", GXDS_JSON_REQUIRED, nullptr, &errors, &text));
  EXPECT_FALSE(gxds_json_uint64(object, "d", GXDS_JSON_REQUIRED, nullptr, &errors, &number));
  EXPECT_FALSE(gxds_json_is_object(json_object_get(object, "a"), nullptr, &errors));
  gxds_status status = gxds_errors_status(&errors, "wrong");
  EXPECT_STREQ(status.message.data,
               "wrong: [field: error:is not an object; field:a error:is not a string; "
               "field:c error:field not present; field:d error:field not present]");
  gxds_status_fini(&status);
  gxds_errors_fini(&errors);
  json_decref(object);
}

TEST(Json, AbsentMemberIsNoErrorWhenItIsOptional) {
  json_t *object = json_object();
  gxds_errors errors = {};
  gxds_str text = {};
  EXPECT_FALSE(gxds_json_str(object, "a", GXDS_JSON_OPTIONAL, nullptr, &errors, &text));
  EXPECT_EQ(errors.count, 0u);
  json_decref(object);
}

// The text of what a reader reads from {"a": VALUE}, or the error.
template <typename T>
std::string Read(bool (*reader)(const json_t *, const char *, gxds_json_presence, const gxds_path *,
                                gxds_errors *, T *),
                 const std::string &value) {
  json_t *object = json_loads(("{\"a\":" + value + "}").c_str(), 0, nullptr);
  EXPECT_NE(object, nullptr) << value;
  gxds_errors errors = {};
  T out = {};
  const bool read = reader(object, "a", GXDS_JSON_REQUIRED, nullptr, &errors, &out);
  gxds_status status = gxds_errors_status(&errors, "wrong");
  std::string text = status.message.size ? status.message.data : "";
  if constexpr (std::is_arithmetic_v<T>) {
    if (read) text = std::to_string(out);
  } else if (read) {
    text = "found";
  }
  EXPECT_EQ(read, errors.count == 0);
  gxds_status_fini(&status);
  gxds_errors_fini(&errors);
  json_decref(object);
  return text;
}

std::string Wrong(const std::string &what) { return "wrong: [field:a error:" + what + "]"; }

TEST(Json, ASmallNumberMustFit) {
  EXPECT_EQ(Read(gxds_json_uint32, "4294967295"), "4294967295");
  EXPECT_EQ(Read(gxds_json_uint32, "4294967296"), Wrong("failed to parse non-negative number"));
  EXPECT_EQ(Read(gxds_json_uint32, "{}"), Wrong("is not a number"));
}

TEST(Json, AFractionMayBeTextToo) {
  EXPECT_EQ(Read(gxds_json_double, "1.5"), "1.500000");
  EXPECT_EQ(Read(gxds_json_double, "-2"), "-2.000000");
  EXPECT_EQ(Read(gxds_json_double, "\"0.25\""), "0.250000");
  for (const char *value : {"\"\"", "\"x\"", "\"1x\"", "\"1\\u00002\""}) {
    json_t *parsed = json_loads((std::string("[") + value + "]").c_str(), JSON_ALLOW_NUL, nullptr);
    if (parsed == nullptr) continue;
    json_t *object = json_object();
    json_object_set(object, "a", json_array_get(parsed, 0));
    gxds_errors errors = {};
    double out = 7;
    EXPECT_FALSE(gxds_json_double(object, "a", GXDS_JSON_OPTIONAL, nullptr, &errors, &out));
    EXPECT_EQ(errors.count, 1u) << value;
    gxds_errors_fini(&errors);
    json_decref(object);
    json_decref(parsed);
  }
}

TEST(Json, AFractionIsReadTheSameInEveryLocale) {
  gxds_test::MadeLocale locale("de_DE");
  if (!locale.made()) GTEST_SKIP() << "localedef makes no de_DE.UTF-8 here";
  ASSERT_EQ(strtod("1,5", nullptr), 1.5);
  double out = 0;
  json_t *object = json_pack("{ss}", "a", "0.25");
  gxds_errors errors = {};
  EXPECT_TRUE(gxds_json_double(object, "a", GXDS_JSON_REQUIRED, nullptr, &errors, &out));
  EXPECT_EQ(out, 0.25);
  gxds_errors_fini(&errors);
  json_decref(object);
  EXPECT_EQ(strtod("1,5", nullptr), 1.5) << "it is the caller's again";
}

TEST(Json, ABooleanIsNoText) {
  EXPECT_EQ(Read(gxds_json_bool, "true"), "1");
  EXPECT_EQ(Read(gxds_json_bool, "false"), "0");
  EXPECT_EQ(Read(gxds_json_bool, "\"true\""), Wrong("is not a boolean"));
}

TEST(Json, ADurationIsSecondsWithAnS) {
  EXPECT_EQ(Read(gxds_json_duration, "\"1s\""), "1000000000");
  EXPECT_EQ(Read(gxds_json_duration, "\"1.5s\""), "1500000000");
  EXPECT_EQ(Read(gxds_json_duration, "\"0.000000001s\""), "1");
  EXPECT_EQ(Read(gxds_json_duration, "\"315576000000s\""), std::to_string(INT64_MAX));
  for (const char *value : {"\"-1s\"", "\"-0.5s\"", "\"315576000001s\""}) {
    EXPECT_EQ(Read(gxds_json_duration, value),
              Wrong("seconds must be in the range [0, 315576000000]"))
        << value;
  }
  EXPECT_EQ(Read(gxds_json_duration, "\"1\""), Wrong("Not a duration (no s suffix)"));
  for (const char *value :
       {"\"s\"", "\"-s\"", "\"x.1s\"", "\"18446744073709551616s\"", "\".5s\""}) {
    EXPECT_EQ(Read(gxds_json_duration, value), Wrong("Not a duration (not a number of seconds)"))
        << value;
  }
  EXPECT_EQ(Read(gxds_json_duration, "\"1.xs\""),
            Wrong("Not a duration (not a number of nanoseconds)"));
  EXPECT_EQ(Read(gxds_json_duration, "\"1.s\""),
            Wrong("Not a duration (not a number of nanoseconds)"));
  EXPECT_EQ(Read(gxds_json_duration, "\"1.0000000001s\""),
            Wrong("Not a duration (too many digits after decimal)"));
  EXPECT_EQ(Read(gxds_json_duration, "1"), Wrong("is not a string"));
}

TEST(Json, AMemberIsOfItsKind) {
  EXPECT_EQ(Read<const json_t *>(gxds_json_object, "{}"), "found");
  EXPECT_EQ(Read<const json_t *>(gxds_json_object, "[]"), Wrong("is not an object"));
  EXPECT_EQ(Read<const json_t *>(gxds_json_array, "[]"), "found");
  EXPECT_EQ(Read<const json_t *>(gxds_json_array, "{}"), Wrong("is not an array"));
}

}  // namespace
