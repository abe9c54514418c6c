// The base of the tests of resources/: messages as JSON, and a decode call.
#ifndef GRPC_XDS_TEST_RESOURCES_DECODING_H_
#define GRPC_XDS_TEST_RESOURCES_DECODING_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "resources/resources.h"
#include "test/support/proto_json.h"
#include "upb/upb.h"

namespace grpc_xds_test {

inline std::string ToString(gxds_str s) {
  return std::string(s.data == nullptr ? "" : s.data, s.size);
}
inline gxds_str ToGxds(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

// Whether the host's decoder refuses keys of maps that are not UTF-8.
#ifdef GXDS_HOST_DECODES_KEYS
constexpr bool kDecodesKeys = true;
#else
constexpr bool kDecodesKeys = false;
#endif

// JSON in single quotes, which are easier to read in C++; no text here contains one.
inline std::string Json(std::string text) {
  for (char& c : text) {
    if (c == '\'') c = '"';
  }
  return text;
}

inline const char* MessageOf(const gxds_resource_type& type) {
  return type.type_url + sizeof("type.googleapis.com/") - 1;
}

// A serialized message.
inline std::string Proto(const char* message, const std::string& json) {
  gxds_str bytes = {nullptr, 0};
  gxds_text error = {nullptr, 0, 0};
  bool ok = gxds_test_proto_from_json(message, ToGxds(Json(json)), &bytes, &error);
  EXPECT_TRUE(ok) << ToString(gxds_text_str(&error)) << "\n" << json;
  std::string result = ToString(bytes);
  gxds_str_free(&bytes);
  gxds_text_fini(&error);
  return result;
}
inline std::string Resource(const gxds_resource_type& type, const std::string& json) {
  return Proto(MessageOf(type), json);
}

// Fields on the wire, for messages that JSON cannot express.
inline std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string Field(uint64_t number, const std::string& bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + bytes;
}
inline std::string Number(uint64_t number, uint64_t value) {
  return Varint(number << 3) + Varint(value);
}
inline std::string Any(const std::string& type_url, const std::string& value) {
  return Field(1, type_url) + Field(2, value);
}

// The result of decoding. It holds a reference to the resource.
class Decoded {
 public:
  Decoded(gxds_status status, gxds_decoded decoded) : status_(status), decoded_(decoded) {}
  Decoded(Decoded&& other) noexcept
      : status_(std::exchange(other.status_, {})), decoded_(std::exchange(other.decoded_, {})) {}
  Decoded& operator=(Decoded&&) = delete;
  ~Decoded() {
    gxds_status_fini(&status_);
    gxds_decoded_fini(&decoded_);
    gxds_resource_unref(decoded_.resource);
  }

  gxds_code code() const { return status_.code; }
  std::string message() const { return ToString(status_.message); }
  std::string name() const { return ToString(decoded_.name); }
  const gxds_resource* resource() const { return decoded_.resource; }
  // The resource in its own type. Only if there is one.
  template <typename T>
  const T& As() const {
    return *reinterpret_cast<const T*>(decoded_.resource);
  }

 private:
  gxds_status status_;
  gxds_decoded decoded_;
};

// Decodes with one server, a bootstrap with two certificate providers, which is never freed, and a
// host. The host refuses a regular expression with "(" and without ")". Its registry has the policy
// myorg.MyLb, and accepts any config without the word "bad".
class Decoder {
 public:
  Decoder() {
    server_.uri = gxds_str_z("xds.example:443");
    server_list_ = &server_;
    bootstrap_.refs.count = 1;
    bootstrap_.servers = &server_list_;
    bootstrap_.server_count = 1;
    providers_[0].instance_name = gxds_str_z("a_provider");
    providers_[1].instance_name = gxds_str_z("b_provider");
    bootstrap_.certificate_providers = providers_;
    bootstrap_.certificate_provider_count = 2;
    host_.lb_policy_exists = [](gxds_str name) { return ToString(name) == "myorg.MyLb"; };
    host_.lb_config_check = [](gxds_str json, const gxds_path* at, gxds_errors* errors) {
      if (ToString(json).find("bad") == std::string::npos) return;
      gxds_errors_add(errors, at, "the registry's words");
    };
    host_.regex_check = [](gxds_str regex) {
      return ToString(regex).find('(') == std::string::npos ||
             ToString(regex).find(')') != std::string::npos;
    };
  }
  Decoder(const Decoder&) = delete;

  // previous: the last good resource of that name.
  Decoded Decode(const gxds_resource_type& type, const std::string& bytes,
                 const gxds_resource* previous = nullptr) {
    gxds_decode_context context = {};
    context.bootstrap = &bootstrap_;
    context.server = &server_;
    context.host = &host_;
    context.previous = [](void* arg, gxds_str) { return static_cast<const gxds_resource*>(arg); };
    context.previous_arg = const_cast<gxds_resource*>(previous);
    gxds_decoded decoded = {};
    gxds_status status = type.decode(&context, ToGxds(bytes), &decoded);
    return Decoded(status, decoded);
  }
  // The same for a message that must be valid.
  Decoded Good(const gxds_resource_type& type, const std::string& json,
               const gxds_resource* previous = nullptr) {
    Decoded result = Decode(type, Resource(type, json), previous);
    EXPECT_EQ(result.message(), "") << json;
    if (result.resource() == nullptr) abort();
    return result;
  }

  // Sets whether later resources come from a server with the feature trusted_xds_server.
  void Trust(bool trusted) { server_.trusted_xds_server = trusted; }
  // The same for the feature endpoint_weights.
  void UseEndpointWeights() { server_.endpoint_weights = true; }
  // The same for the feature lb_subsets.
  void UseSubsets(bool use = true) { server_.lb_subsets = use; }

  // Sets the host's shortest retry backoff for later resources.
  void SetShortestRetryBackoff(gxds_duration d) { host_.shortest_retry_backoff = d; }

  const gxds_bootstrap_server* server() const { return &server_; }
  const gxds_bootstrap& bootstrap() const { return bootstrap_; }

 private:
  gxds_bootstrap_server server_ = {};
  const gxds_bootstrap_server* server_list_ = nullptr;
  gxds_bootstrap_certificate_provider providers_[2] = {};
  gxds_bootstrap bootstrap_ = {};
  gxds_host host_ = {};
};

// A resource that must be refused.
struct Malformed {
  const char* name;      // of the test
  std::string bytes;     // of a resource named "foo", unless it cannot be parsed
  std::string expected;  // the whole status message
};

#ifdef REFUSED_BY_A_CHANNEL
// In test/e2e/malformed.cc: a channel refuses it, and its RPCs go on.
void ExpectRefused(const gxds_resource_type& type, const Malformed& malformed);
#else
inline void ExpectRefused(const gxds_resource_type& type, const Malformed& malformed) {
  Decoder decoder;
  Decoded result = decoder.Decode(type, malformed.bytes);
  EXPECT_EQ(result.code(), GXDS_INVALID_ARGUMENT);
  EXPECT_EQ(result.message(), malformed.expected);
  EXPECT_EQ(result.resource(), nullptr);
  bool unparsable = malformed.expected.rfind("Can't parse ", 0) == 0;
  EXPECT_EQ(result.name(), unparsable ? "" : "foo");
}
#endif

// One test for each malformed resource: MALFORMED_SUITE(Listener, gxds_listener_type,
// AllMalformed()).
#define MALFORMED_SUITE(suite, type, cases)                                  \
  class suite : public testing::TestWithParam<Malformed> {};                 \
  TEST_P(suite, IsRefusedWithAllErrors) { ExpectRefused(type, GetParam()); } \
  INSTANTIATE_TEST_SUITE_P(                                                  \
      Malformed, suite, testing::ValuesIn(cases),                            \
      [](const testing::TestParamInfo<Malformed>& info) { return std::string(info.param.name); })

// Bytes that are no message of any type, always the same for a seed.
inline std::string RandomBytes(uint64_t seed, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    out.push_back(static_cast<char>(seed >> 56));
  }
  return out;
}

}  // namespace grpc_xds_test

#endif
