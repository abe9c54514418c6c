// Tokens for tests: JWTs with an invalid signature.
#ifndef GRPC_XDS_TEST_TRANSPORT_JWT_TEXT_H_
#define GRPC_XDS_TEST_TRANSPORT_JWT_TEXT_H_

#include <cstdint>
#include <string>

namespace gxds_test {

inline std::string Base64Url(const std::string& bytes) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char c : bytes) {
    bits = bits << 8 | c;
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63];
  return text;
}

inline std::string TokenOf(const std::string& claims) {
  return Base64Url(R"({"alg":"none"})") + "." + Base64Url(claims) + ".c2lnbmF0dXJl";
}

// exp: seconds since 1970.
inline std::string Token(const std::string& subject, int64_t exp) {
  return TokenOf(R"({"sub":")" + subject + R"(","exp":)" + std::to_string(exp) + "}");
}

}  // namespace gxds_test

#endif
