// A Cluster's transport_socket (A29).
#include "resources/tls.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const char kType[] = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

std::string Instance(const char* name) { return "{'instance_name':'" + std::string(name) + "'}"; }
// A validation context with a valid CA.
std::string Validation(const std::string& more) {
  return "'validation_context':{'ca_certificate_provider_instance':" + Instance("a_provider") +
         (more.empty() ? "" : ",") + more + "}";
}
std::string Upstream(const std::string& fields) {
  return "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}},"
         "'transport_socket':{'name':'tls','typed_config':{'@type':'type.googleapis.com/" +
         std::string(kType) + "'" + fields + "}}}";
}
std::string Common(const std::string& fields) {
  return Upstream(",'common_tls_context':{" + fields + "}");
}

class Tls {
 public:
  explicit Tls(const std::string& common)
      : result_(decoder_.Good(gxds_cluster_type, Common(common))) {}
  const gxds_tls* operator->() const { return gxds_cluster_tls(&result_.As<gxds_cluster>()); }

 private:
  Decoder decoder_;
  Decoded result_;
};

TEST(Tls, IsNotConfiguredWithoutATransportSocket) {  // A29.8
  Decoder d;
  Decoded result =
      d.Good(gxds_cluster_type,
             "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}}");
  EXPECT_EQ(gxds_cluster_tls(&result.As<gxds_cluster>()), nullptr);
}

TEST(Tls, NamesCertificateProviders) {  // A29.8
  Tls t(
      "'validation_context':{'ca_certificate_provider_instance':"
      "{'instance_name':'a_provider','certificate_name':'root'}},"
      "'tls_certificate_provider_instance':"
      "{'instance_name':'b_provider','certificate_name':'leaf'}");
  EXPECT_EQ(ToString(t->ca.instance_name), "a_provider");
  EXPECT_EQ(ToString(t->ca.certificate_name), "root");
  EXPECT_EQ(ToString(t->identity.instance_name), "b_provider");
  EXPECT_EQ(ToString(t->identity.certificate_name), "leaf");
  EXPECT_EQ(t->san_count, 0u);
}

TEST(Tls, NeedsNoIdentity) {  // A29.14
  Tls t(Validation(""));
  EXPECT_EQ(ToString(t->ca.instance_name), "a_provider");
  EXPECT_EQ(ToString(t->ca.certificate_name), "");
  EXPECT_EQ(ToString(t->identity.instance_name), "");
}

TEST(Tls, CombinedValidationContext) {  // A29.10
  Tls t(
      "'combined_validation_context':{'default_validation_context':"
      "{'ca_certificate_provider_instance':{'instance_name':'b_provider'},"
      "'match_subject_alt_names':[{'exact':'a'}]},"
      "'validation_context_certificate_provider_instance':{'instance_name':'a_provider'}}");
  EXPECT_EQ(ToString(t->ca.instance_name), "b_provider") << "goes before the older field";
  EXPECT_EQ(t->san_count, 1u);
}

TEST(Tls, SystemRootCerts) {  // A82.1
  Tls t("'validation_context':{'system_root_certs':{},'match_subject_alt_names':[{'exact':'a'}]}");
  EXPECT_TRUE(t->system_roots);
  EXPECT_EQ(ToString(t->ca.instance_name), "");
  EXPECT_EQ(t->ca.provider, nullptr);
  EXPECT_EQ(t->san_count, 1u);
  Tls combined(
      "'combined_validation_context':{'default_validation_context':{'system_root_certs':{}}}");
  EXPECT_TRUE(combined->system_roots);
}

TEST(Tls, AProviderGoesBeforeSystemRootCerts) {  // A82.2
  Tls t(Validation("'system_root_certs':{}"));
  EXPECT_FALSE(t->system_roots);
  EXPECT_EQ(ToString(t->ca.instance_name), "a_provider");
}

TEST(Tls, SoDoesAProviderInItsOlderField) {  // A82.2
  Tls t(
      "'combined_validation_context':{'default_validation_context':{'system_root_certs':{}},"
      "'validation_context_certificate_provider_instance':{'instance_name':'a_provider'}}");
  EXPECT_FALSE(t->system_roots);
  EXPECT_EQ(ToString(t->ca.instance_name), "a_provider");
}

TEST(Tls, OlderFieldsOfTheProtocol) {  // A29
  Tls t(
      "'combined_validation_context':{'default_validation_context':"
      "{'match_subject_alt_names':[{'exact':'a'}]},"
      "'validation_context_certificate_provider_instance':"
      "{'instance_name':'a_provider','certificate_name':'root'}},"
      "'tls_certificate_certificate_provider_instance':"
      "{'instance_name':'b_provider','certificate_name':'leaf'}");
  EXPECT_EQ(ToString(t->ca.instance_name), "a_provider");
  EXPECT_EQ(ToString(t->ca.certificate_name), "root");
  EXPECT_EQ(ToString(t->identity.instance_name), "b_provider");
  EXPECT_EQ(ToString(t->identity.certificate_name), "leaf");
  EXPECT_EQ(t->san_count, 1u);
}

TEST(Tls, SubjectAlternativeNames) {  // A29.20
  Tls t(
      Validation("'match_subject_alt_names':[{'exact':'e'},{'prefix':'p','ignore_case':true},"
                 "{'suffix':'s'},{'contains':'c'},{'safe_regex':{'regex':'r.*'}},{'exact':''}]"));
  ASSERT_EQ(t->san_count, 6u);
  const char* texts[] = {"e", "p", "s", "c", "r.*", ""};
  const gxds_san_match_kind kinds[] = {GXDS_SAN_EXACT,    GXDS_SAN_PREFIX, GXDS_SAN_SUFFIX,
                                       GXDS_SAN_CONTAINS, GXDS_SAN_REGEX,  GXDS_SAN_EXACT};
  for (size_t i = 0; i < t->san_count; i++) {
    EXPECT_EQ(t->sans[i].kind, kinds[i]) << i;
    EXPECT_EQ(ToString(t->sans[i].text), texts[i]) << i;
    EXPECT_EQ(t->sans[i].case_sensitive, i != 1) << i;
  }
}

// The server name in the handshake with an endpoint of that hostname.
std::string ServerName(const std::string& fields, const std::string& hostname) {
  Decoder d;
  Decoded result = d.Good(gxds_cluster_type,
                          Upstream(fields + ",'common_tls_context':{" + Validation("") + "}"));
  return ToString(
      gxds_tls_server_name(gxds_cluster_tls(&result.As<gxds_cluster>()), ToGxds(hostname)));
}

TEST(Sni, IsTheHostnameOfTheEndpointWithAutoHostSni) {  // A101.1, A101.4
  const std::string fields = ",'auto_host_sni':true,'sni':'sni.example'";
  EXPECT_EQ(ServerName(fields, "a.example"), "a.example");
  EXPECT_EQ(ServerName(fields, "a.example:443"), "a.example");
  EXPECT_EQ(ServerName(fields, "a.example:"), "a.example");
}

TEST(Sni, IsTheClustersWithoutAHostname) {  // A101.2
  const std::string fields = ",'auto_host_sni':true,'sni':'sni.example'";
  EXPECT_EQ(ServerName(fields, ""), "sni.example");
  EXPECT_EQ(ServerName(fields, ":443"), "sni.example");
  EXPECT_EQ(ServerName(fields, std::string(256, 'a')), "sni.example") << "TLS has no room for it";
  EXPECT_EQ(ServerName(",'sni':'sni.example'", "a.example"), "sni.example");
  EXPECT_EQ(ServerName(",'auto_host_sni':false,'sni':'sni.example'", "a.example"), "sni.example");
}

TEST(Sni, IsNoneWhereNothingSaysIt) {  // A101.3
  EXPECT_EQ(ServerName("", "a.example"), "");
  EXPECT_EQ(ServerName(",'sni':''", "a.example"), "");
  EXPECT_EQ(ServerName(",'auto_host_sni':true", ""), "");
}

TEST(Sni, IsNoAddress) {  // A101
  const std::string fields = ",'auto_host_sni':true,'sni':'sni.example'";
  for (const char* hostname : {"127.0.0.1", "127.0.0.1:80", "::1", "[::1]", "[::1]:80"}) {
    EXPECT_EQ(ServerName(fields, hostname), "sni.example") << hostname;
  }
  EXPECT_EQ(ServerName(",'sni':'127.0.0.1'", ""), "");
  EXPECT_EQ(ServerName(",'sni':'::1'", ""), "");
}

TEST(Sni, ItsValidationIsPartOfTheTls) {  // A101.5
  Decoder d;
  Decoded with = d.Good(gxds_cluster_type, Upstream(",'auto_sni_san_validation':true,"
                                                    "'common_tls_context':{" +
                                                    Validation("") + "}"));
  EXPECT_TRUE(gxds_cluster_tls(&with.As<gxds_cluster>())->auto_sni_san_validation);
  EXPECT_FALSE(Tls(Validation(""))->auto_sni_san_validation);
}

TEST(Sni, MayHave255Characters) {  // A101.8
  EXPECT_EQ(ServerName(",'sni':'" + std::string(255, 'a') + "'", ""), std::string(255, 'a'));
}

TEST(Tls, WhatIsHarmlessIsIgnored) {  // A29.18, A29.31
  Decoder d;
  d.Good(gxds_cluster_type,
         Upstream(",'allow_renegotiation':true,'max_session_keys':3,"
                  "'common_tls_context':{'alpn_protocols':['h2'],'tls_certificates':[{}],"
                  "'tls_certificate_provider_instance':{'instance_name':'b_provider'}," +
                  Validation("'trusted_ca':{'filename':'/x'},'allow_expired_certificate':true,"
                             "'require_signed_certificate_timestamp':false,"
                             "'trust_chain_verification':'ACCEPT_UNTRUSTED'") +
                  "}"));
}

const std::string kAt =
    "field:transport_socket.typed_config.value[" + std::string(kType) + "].common_tls_context";
const std::string kUnsupported = " error:feature unsupported";

Malformed Rule(const char* name, const std::string& json, const std::string& errors) {
  return {name, Resource(gxds_cluster_type, json),
          "errors validating Cluster resource: [" + errors + "]"};
}
// The error of a validation context with this additional field.
Malformed Field(const char* name, const std::string& more, const std::string& error) {
  return Rule(name, Common(Validation(more)), kAt + ".validation_context." + error);
}

std::vector<Malformed> Providers() {
  const std::string none = " error:no CA certificate provider instance configured";
  const std::string unknown =
      ".instance_name error:unrecognized certificate provider instance name: ";
  return {
      Rule("NothingInIt", Upstream(""), kAt + none),
      // A29.9
      Rule("NoValidation", Common(""), kAt + none),
      // A29.11
      Rule("NoAuthorities", Common("'validation_context':{}"), kAt + none),
      Rule("NoAuthoritiesButAnIdentity",
           Common("'tls_certificate_provider_instance':" + Instance("a_provider")), kAt + none),
      // A29.11
      Rule("CombinedOfNothing", Common("'combined_validation_context':{}"), kAt + none),
      // A82.3
      Rule("SystemRootCertsAreNoneForAnUnknownProvider",
           Common("'validation_context':{'system_root_certs':{},"
                  "'ca_certificate_provider_instance':" +
                  Instance("c") + "}"),
           kAt + ".validation_context.ca_certificate_provider_instance" + unknown + "c"),
      // A29.12
      Rule(
          "AuthoritiesUnknown",
          Common("'validation_context':{'ca_certificate_provider_instance':" + Instance("c") + "}"),
          kAt + ".validation_context.ca_certificate_provider_instance" + unknown + "c"),
      Rule("AuthoritiesWithoutAName",
           Common("'validation_context':{'ca_certificate_provider_instance':{}}"),
           kAt + none + "; " + kAt + ".validation_context.ca_certificate_provider_instance" +
               unknown),
      Rule("CombinedAuthoritiesUnknown",
           Common("'combined_validation_context':{'default_validation_context':"
                  "{'ca_certificate_provider_instance':" +
                  Instance("c") + "}}"),
           kAt +
               ".combined_validation_context.default_validation_context."
               "ca_certificate_provider_instance" +
               unknown + "c"),
      Rule("OlderAuthoritiesUnknown",
           Common("'combined_validation_context':{"
                  "'validation_context_certificate_provider_instance':" +
                  Instance("a") + "}"),
           kAt + ".combined_validation_context.validation_context_certificate_provider_instance" +
               unknown + "a"),
      // A29.16
      Rule("IdentityUnknown",
           Common(Validation("") + ",'tls_certificate_provider_instance':" + Instance("z")),
           kAt + ".tls_certificate_provider_instance" + unknown + "z"),
      Rule("OlderIdentityUnknown",
           Common(Validation("") +
                  ",'tls_certificate_certificate_provider_instance':" + Instance("z")),
           kAt + ".tls_certificate_certificate_provider_instance" + unknown + "z"),
  };
}

std::vector<Malformed> Unsupported() {
  const std::string sans = "match_subject_alt_names[0]";
  return {
      // A29.26
      Field("Spki", "'verify_certificate_spki':['x']", "verify_certificate_spki" + kUnsupported),
      // A29.27
      Field("Hash", "'verify_certificate_hash':['x']", "verify_certificate_hash" + kUnsupported),
      // A29.28
      Field("Timestamp", "'require_signed_certificate_timestamp':true",
            "require_signed_certificate_timestamp" + kUnsupported),
      // A101.8
      Rule("SniTooLong",
           Upstream(",'sni':'" + std::string(256, 'a') + "','common_tls_context':{" +
                    Validation("") + "}"),
           kAt.substr(0, kAt.rfind('.')) + ".sni error:longer than 255 characters"),
      // A29.29
      Field("Crl", "'crl':{}", "crl" + kUnsupported),
      // A29.30
      Field("Validator", "'custom_validator_config':{'name':'x'}",
            "custom_validator_config" + kUnsupported),
      Field("SanOfNoKind", "'match_subject_alt_names':[{}]",
            sans + " error:invalid StringMatcher specified"),
      Field("SanRegexInvalid", "'match_subject_alt_names':[{'safe_regex':{'regex':'('}}]",
            sans + " error:Invalid regex string specified in matcher."),
      Field("SanRegexIgnoringCase",
            "'match_subject_alt_names':[{'safe_regex':{'regex':'a'},'ignore_case':true}]",
            sans + ".ignore_case error:not supported for regex matcher"),
      Rule("ValidationBySds", Common("'validation_context_sds_secret_config':{'name':'x'}"),
           kAt + " error:no CA certificate provider instance configured; " + kAt +
               ".validation_context_sds_secret_config" + kUnsupported),
      // A29.17
      Rule("IdentityInTheMessage", Common(Validation("") + ",'tls_certificates':[{}]"),
           kAt + ".tls_certificates" + kUnsupported),
      // A29.17
      Rule("IdentityBySds",
           Common(Validation("") + ",'tls_certificate_sds_secret_configs':[{'name':'x'}]"),
           kAt + ".tls_certificate_sds_secret_configs" + kUnsupported),
      // A29.25
      Rule("Params", Common(Validation("") + ",'tls_params':{}"),
           kAt + ".tls_params" + kUnsupported),
      // A29.25
      Rule("Handshaker", Common(Validation("") + ",'custom_handshaker':{'name':'x'}"),
           kAt + ".custom_handshaker" + kUnsupported),
      Rule("FaultsOfManyKinds",
           Common("'tls_params':{},'custom_handshaker':{'name':'x'},'tls_certificates':[{}],"
                  "'tls_certificate_sds_secret_configs':[{'name':'x'}],"
                  "'validation_context':{'crl':{},'match_subject_alt_names':[{'exact':'a'},{}]}"),
           kAt + " error:no CA certificate provider instance configured; " + kAt +
               ".custom_handshaker" + kUnsupported + "; " + kAt +
               ".tls_certificate_sds_secret_configs" + kUnsupported + "; " + kAt +
               ".tls_certificates" + kUnsupported + "; " + kAt + ".tls_params" + kUnsupported +
               "; " + kAt + ".validation_context.crl" + kUnsupported + "; " + kAt +
               ".validation_context.match_subject_alt_names[1] error:invalid StringMatcher "
               "specified"),
  };
}

MALFORMED_SUITE(TlsProviders, gxds_cluster_type, Providers());      // A29
MALFORMED_SUITE(TlsUnsupported, gxds_cluster_type, Unsupported());  // A29

TEST(Tls, NoProviderIsKnownWithoutABootstrap) {  // A29.12
  gxds_decode_context context = {};
  gxds_decoded decoded = {};
  std::string bytes = Resource(gxds_cluster_type, Common(Validation("")));
  gxds_status status = gxds_cluster_type.decode(&context, ToGxds(bytes), &decoded);
  Decoded result(status, decoded);
  EXPECT_EQ(result.resource(), nullptr);
}

}  // namespace
}  // namespace grpc_xds_test
