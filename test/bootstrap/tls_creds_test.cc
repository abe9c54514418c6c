#include "bootstrap/tls_creds.h"

#include <gtest/gtest.h>

#include "test/bootstrap/fake_host.h"

namespace {

using grpc_xds_test::ToGxds;
using grpc_xds_test::ToString;

// Returns "ca|certificate|key|nanoseconds", or all errors.
std::string Read(const std::string& json) {
  gxds_tls_creds c;
  gxds_errors errors = {};
  gxds_path at = {nullptr, "config", -1, nullptr};
  std::string out;
  if (gxds_tls_creds_init(&c, ToGxds(json), &at, &errors)) {
    out = ToString(c.ca_certificate_file) + "|" + ToString(c.certificate_file) + "|" +
          ToString(c.private_key_file) + "|" + std::to_string(c.refresh_interval);
    gxds_tls_creds_fini(&c);
  } else {
    gxds_status status = gxds_errors_status(&errors, "E");
    out = ToString(status.message);
    gxds_status_fini(&status);
  }
  gxds_errors_fini(&errors);
  return out;
}

TEST(TlsCreds, EveryFieldIsOptional) {  // A65.6, A65.7
  EXPECT_EQ(Read(""), "|||600000000000");
  EXPECT_EQ(Read("{}"), "|||600000000000");
  EXPECT_EQ(Read(R"({"ca_certificate_file":"/ca","unknown":1})"), "/ca|||600000000000");
  EXPECT_EQ(Read(R"({"certificate_file":"/c","private_key_file":"/k"})"), "|/c|/k|600000000000");
}

TEST(TlsCreds, DurationsAreThoseOfProtobuf) {  // A65.8
  const std::string wrong =
      "E: [field:config.refresh_interval error:is not a duration, as "
      "\"600s\" is]";
  const struct {
    const char* text;
    std::string expected;
  } cases[] = {
      {"1s", "|||1000000000"},
      {"0.25s", "|||250000000"},
      {"1.000000001s", "|||1000000001"},
      {"315576000000s", "|||9223372036854775807"},
      {"315576000001s", wrong},
      {"1.0000000001s", wrong},
      {"1.s", wrong},
      {".5s", wrong},
      {"-1s", wrong},
      {"1", wrong},
      {"1m", wrong},
      {"1s ", wrong},
      {"s", wrong},
      {"", wrong},
      {"0s", "E: [field:config.refresh_interval error:must be positive]"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Read(R"({"refresh_interval":")" + std::string(c.text) + "\"}"), c.expected) << c.text;
  }
}

TEST(TlsCreds, EveryErrorIsReported) {  // A65.9
  EXPECT_EQ(Read("[]"), "E: [field:config error:is not an object]");
  EXPECT_EQ(Read("{"), "E: [field:config error:is not an object]");
  EXPECT_EQ(Read(R"({"ca_certificate_file":1,"certificate_file":[],"refresh_interval":5})"),
            "E: [field:config.ca_certificate_file error:is not a string; "
            "field:config.certificate_file error:is not a string; "
            "field:config.refresh_interval error:is not a string]");
}

TEST(TlsCreds, ACertificateNeedsItsKey) {  // A65.5
  const std::string both =
      "E: [field:config error:\"certificate_file\" and \"private_key_file\" must be both set or "
      "both unset]";
  EXPECT_EQ(Read(R"({"certificate_file":"/c"})"), both);
  EXPECT_EQ(Read(R"({"private_key_file":"/k","certificate_file":""})"), both);
}

}  // namespace
