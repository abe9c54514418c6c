#include "transport/jwt.h"

#include <gtest/gtest.h>

#include <string>

#include "test/transport/jwt_text.h"

namespace gxds_test {
namespace {

// Returns the error; "": none, and *out is the expiry.
std::string Expiry(const std::string& token, gxds_time* out) {
  const char* why = gxds_jwt_expiry(gxds_str_of(token.data(), token.size()), out);
  return why ? why : "";
}

gxds_time Valid(const std::string& token) {
  gxds_time expiry = -1;
  EXPECT_EQ(Expiry(token, &expiry), "") << token;
  return expiry;
}

std::string Wrong(const std::string& token) {
  gxds_time expiry = -1;
  std::string why = Expiry(token, &expiry);
  EXPECT_EQ(expiry, -1) << token;
  return why;
}

TEST(Jwt, ExpiryIsInSecondsSince1970) {
  EXPECT_EQ(Valid(Token("a", 1)), GXDS_SECOND);
  EXPECT_EQ(Valid(Token("a", 1700000000)), 1700000000 * GXDS_SECOND);
  EXPECT_EQ(Valid(TokenOf(R"({"exp":2.5})")), 2500 * GXDS_MILLISECOND);
  EXPECT_EQ(Valid(TokenOf(R"({"exp":1.7e9,"nested":{"exp":1},"s":"\u0000"})")),
            1700000000 * GXDS_SECOND);
}

TEST(Jwt, WhatIsFarAwayIsNever) {
  EXPECT_EQ(Valid(Token("a", 9223372036)), GXDS_TIME_NEVER);
  EXPECT_EQ(Valid(Token("a", INT64_MAX)), GXDS_TIME_NEVER);
  EXPECT_EQ(Valid(TokenOf(R"({"exp":1e300})")), GXDS_TIME_NEVER);
  EXPECT_EQ(Valid(Token("a", 9223372035)), 9223372035 * GXDS_SECOND);
}

TEST(Jwt, OtherClaimsMayBeOfAnySize) {
  EXPECT_EQ(Valid(TokenOf(R"({"jti":123456789012345678901234567890,"exp":7})")), 7 * GXDS_SECOND);
  EXPECT_EQ(Wrong(TokenOf(R"({"jti":1e999,"exp":7})")), "has a payload that is not a JSON object");
}

TEST(Jwt, EveryLengthOfPayloadIsDecodedPaddedOrNot) {
  for (const char* padding : {"", "a", "ab", "abc"}) {
    std::string payload = Base64Url(R"({"exp":7,"p":")" + std::string(padding) + "\"}");
    EXPECT_EQ(Valid("e30." + payload + ".s"), 7 * GXDS_SECOND) << padding;
    while (payload.size() % 4) payload += '=';
    EXPECT_EQ(Valid("e30." + payload + ".s"), 7 * GXDS_SECOND) << padding;
  }
}

TEST(Jwt, WhatIsNoneIsRefusedWithItsReason) {
  const std::string payload = Base64Url(R"({"exp":7})");
  EXPECT_EQ(Wrong(""), "is empty");
  EXPECT_EQ(Wrong("e30." + payload + ".s\nx"), "has a character that no JWT has");
  EXPECT_EQ(Wrong("e30." + payload + ".s x"), "has a character that no JWT has");
  EXPECT_EQ(Wrong(std::string("e30.") + payload + ".s" + '\0'), "has a character that no JWT has");
  EXPECT_EQ(Wrong("e30+." + payload + ".s"), "has a character that no JWT has");
  EXPECT_EQ(Wrong(payload), "does not have the three parts of a JWT");
  EXPECT_EQ(Wrong("e30." + payload), "does not have the three parts of a JWT");
  EXPECT_EQ(Wrong("e30." + payload + ".s.s"), "does not have the three parts of a JWT");
  EXPECT_EQ(Wrong("e30." + payload + "===.s"), "has a payload that is not base64url");
  EXPECT_EQ(Wrong("e30.a=b=.s"), "has a payload that is not base64url");
  EXPECT_EQ(Wrong("e30.abcde.s"), "has a payload that is not base64url");
  EXPECT_EQ(Wrong("e30..s"), "has a payload that is not a JSON object");
  EXPECT_EQ(Wrong(TokenOf("[]")), "has a payload that is not a JSON object");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":7)")), "has a payload that is not a JSON object");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":7}x)")), "has a payload that is not a JSON object");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":1e999})")), "has a payload that is not a JSON object");
}

TEST(Jwt, ExpMustBeAPositiveNumber) {
  EXPECT_EQ(Wrong(TokenOf(R"({"sub":"a"})")), "has no \"exp\"");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":"7"})")), "has an \"exp\" that is not a number");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":null})")), "has an \"exp\" that is not a number");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":true})")), "has an \"exp\" that is not a number");
  EXPECT_EQ(Wrong(Token("a", 0)), "has an \"exp\" that is not positive");
  EXPECT_EQ(Wrong(Token("a", -7)), "has an \"exp\" that is not positive");
  EXPECT_EQ(Wrong(TokenOf(R"({"exp":-0.5})")), "has an \"exp\" that is not positive");
}

}  // namespace
}  // namespace gxds_test
