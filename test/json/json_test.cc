#include "json/json.h"

#include <gtest/gtest.h>

#include <string>

namespace {

// What is read of {"a": VALUE}: the number, or what is wrong.
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
  const std::string wrong = "wrong: [field:a error:failed to parse number]";
  for (const char *value : {"-1", "1.5", "\"\"", "\"+\"", "\"1 \"", "\"0x1\"", "\"-1\"",
                            "\"18446744073709551616\"", "\"99999999999999999999\""}) {
    EXPECT_EQ(ReadNumber(value), wrong) << value;
  }
  EXPECT_EQ(ReadNumber("true"), "wrong: [field:a error:is not a number]");
}

TEST(Json, AllThatIsWrongIsSaid) {
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

}  // namespace
