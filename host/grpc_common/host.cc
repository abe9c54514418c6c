#include "host/host_get.h"

#include <grpc/support/port_platform.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "host/grpc_common/core_credentials.h"
#include "host/grpc_common/core_policy.h"
#include "host/grpc_common/services.h"

namespace grpc_xds {
namespace {

using grpc_core::CoreConfiguration;

void AddError(gxds_errors* errors, const gxds_path* at, const std::string& text) {
  gxds_errors_add(errors, at, "%s", text.c_str());
}

void AddFieldError(gxds_errors* errors, const gxds_path* up, const char* field,
                   const std::string& text) {
  gxds_path at = {up, field, -1, nullptr};
  AddError(errors, &at, text);
}

bool CredsSupported(gxds_str type) {
  return CoreConfiguration::Get().channel_creds_registry().IsSupported(Text(type));
}

void LbConfigCheck(gxds_str json, const gxds_path* at, gxds_errors* errors) {
  auto config = ParseJson(absl::string_view(json.data, json.size));
  if (!config.ok()) return AddError(errors, at, std::string(config.status().message()));
  auto parsed = CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*config);
  if (!parsed.ok()) AddError(errors, at, std::string(parsed.status().message()));
}

bool LbPolicyExists(gxds_str name) {
  return CoreConfiguration::Get().lb_policy_registry().LoadBalancingPolicyExists(
      absl::string_view(name.data, name.size), nullptr);
}

// Uses the host's options, but without RE2's log, because errors are reported to the control plane.
bool RegexCheck(gxds_str regex) {
  return RE2(re2::StringPiece(regex.data, regex.size), RE2::Quiet).ok();
}

void* RegexCreate(gxds_str regex) {
  auto re = std::make_unique<RE2>(re2::StringPiece(regex.data, regex.size), RE2::Quiet);
  return re->ok() ? re.release() : nullptr;
}

bool RegexFullMatch(const void* regex, gxds_str text) {
  return RE2::FullMatch(re2::StringPiece(text.data, text.size), *static_cast<const RE2*>(regex));
}

bool RegexRange(const void* regex, int longest, gxds_str* least, gxds_str* most) {
  std::string from, to;
  if (!static_cast<const RE2*>(regex)->PossibleMatchRange(&from, &to, longest)) return false;
  *least = gxds_str_dup(gxds_str_of(from.data(), from.size()));
  *most = gxds_str_dup(gxds_str_of(to.data(), to.size()));
  return true;
}

gxds_str RegexReplace(const void* regex, gxds_str text, gxds_str rewrite) {
  std::string out = Text(text);
  RE2::GlobalReplace(&out, *static_cast<const RE2*>(regex),
                     re2::StringPiece(rewrite.data, rewrite.size));
  return gxds_str_dup(gxds_str_of(out.data(), out.size()));
}

void RegexDestroy(void* regex) { delete static_cast<RE2*>(regex); }

void CertificateProviderCheck(gxds_str plugin_name, gxds_str config_json, const gxds_path* at,
                              gxds_errors* errors) {
  auto* factory =
      CoreConfiguration::Get().certificate_provider_registry().LookupCertificateProviderFactory(
          Text(plugin_name));
  if (factory == nullptr) {
    return AddFieldError(errors, at, "plugin_name",
                         absl::StrCat("Unrecognized plugin name: ", Text(plugin_name)));
  }
  auto config = ParseConfigText(config_json);
  if (!config.ok()) {
    return AddFieldError(errors, at, "config", std::string(config.status().message()));
  }
  std::string wrong;
  ReadProviderConfig(factory, *config, &wrong);
  if (!wrong.empty()) AddFieldError(errors, at, "config", wrong);
}

gxds_host MakeHost() {
  gxds_host host = {};
  host.traces = TracesEngine;
  host.clock_distance = ClockDistance;
  host.shortest_retry_backoff = kShortestRetryBackoff;
  host.creds_supported = CredsSupported;
  host.creds_check = CredsCheck;
  host.creds_create = CredsCreate;
  host.lb_config_check = LbConfigCheck;
  host.lb_policy_exists = LbPolicyExists;
  host.regex_check = RegexCheck;
  host.regex_create = RegexCreate;
  host.regex_full_match = RegexFullMatch;
  host.regex_range = RegexRange;
  host.regex_replace = RegexReplace;
  host.regex_destroy = RegexDestroy;
  host.certificate_provider_check = CertificateProviderCheck;
  host.certificate_provider_get = CertificateProviderGet;
#ifdef GXDS_GRPC_1_83
  host.target_bootstrap = TargetBootstrap;
#endif
  host.fallback_bootstrap = FallbackBootstrap;
  host.dns_start = DnsStart;
  host.dns_reresolve = DnsReresolve;
  host.dns_stop = DnsStop;
  return host;
}

}  // namespace
}  // namespace grpc_xds

const gxds_host* gxds_host_get(void) {
  static const gxds_host host = grpc_xds::MakeHost();
  return &host;
}
