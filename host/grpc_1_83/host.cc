#include "host/host_get.h"

#include <grpc/support/port_platform.h>
#include <re2/re2.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "host/grpc_common/services.h"
#include "src/core/config/core_configuration.h"
#include "src/core/credentials/transport/transport_credentials.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/util/json/json.h"
#include "src/core/util/json/json_args.h"
#include "src/core/util/json/json_reader.h"
#include "src/core/util/validation_errors.h"
#include "src/core/xds/grpc/certificate_provider_store.h"

namespace grpc_xds {

namespace {

using grpc_core::CoreConfiguration;
using grpc_core::Json;

std::string ToString(gxds_str s) { return std::string(s.data, s.size); }

// The config of a registry's entry; without one, the empty object, as the host has it.
absl::StatusOr<Json> ParseConfig(gxds_str config_json) {
  if (gxds_str_empty(config_json)) return Json::FromObject({});
  return grpc_core::JsonParse(absl::string_view(config_json.data, config_json.size));
}

void AddError(gxds_errors* errors, const gxds_path* at, const std::string& text) {
  gxds_errors_add(errors, at, "%s", text.c_str());
}

void AddFieldError(gxds_errors* errors, const gxds_path* up, const char* field,
                   const std::string& text) {
  gxds_path at = {up, field, -1, nullptr};
  AddError(errors, &at, text);
}

bool CredsSupported(gxds_str type) {
  return CoreConfiguration::Get().channel_creds_registry().IsSupported(ToString(type));
}

void CredsCheck(gxds_str type, gxds_str config_json, const gxds_path* at, gxds_errors* errors) {
  auto config = ParseConfig(config_json);
  grpc_core::ValidationErrors wrong;
  if (config.ok() &&
      CoreConfiguration::Get().channel_creds_registry().ParseConfig(
          ToString(type), *config, grpc_core::JsonArgs(), &wrong) != nullptr &&
      wrong.ok()) {
    return;
  }
  const std::string what =
      absl::StrCat("invalid config for channel creds type \"", ToString(type), "\"");
  AddError(errors, at, wrong.ok() ? what : wrong.message(what));
}

grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json) {
  auto config = ParseConfig(config_json);
  if (!config.ok()) return nullptr;
  const auto& registry = CoreConfiguration::Get().channel_creds_registry();
  grpc_core::ValidationErrors wrong;
  auto parsed = registry.ParseConfig(ToString(type), *config, grpc_core::JsonArgs(), &wrong);
  if (parsed == nullptr || !wrong.ok()) return nullptr;
  // Of certificate providers that a config names: none of the bootstrap's does.
  auto no_providers = grpc_core::MakeRefCounted<grpc_core::CertificateProviderStore>(
      grpc_core::CertificateProviderStore::PluginDefinitionMap());
  return registry.CreateChannelCreds(std::move(parsed), *no_providers).release();
}

void LbConfigCheck(gxds_str json, const gxds_path* at, gxds_errors* errors) {
  auto config = grpc_core::JsonParse(absl::string_view(json.data, json.size));
  if (!config.ok()) return AddError(errors, at, std::string(config.status().message()));
  auto parsed = CoreConfiguration::Get().lb_policy_registry().ParseLoadBalancingConfig(*config);
  if (!parsed.ok()) AddError(errors, at, std::string(parsed.status().message()));
}

bool LbPolicyExists(gxds_str name) {
  return CoreConfiguration::Get().lb_policy_registry().LoadBalancingPolicyExists(
      absl::string_view(name.data, name.size), nullptr);
}

// The host's options, but for the log: what is wrong is told to the control plane.
bool RegexCheck(gxds_str regex) {
  return RE2(absl::string_view(regex.data, regex.size), RE2::Quiet).ok();
}

void* RegexCreate(gxds_str regex) {
  auto re = std::make_unique<RE2>(absl::string_view(regex.data, regex.size), RE2::Quiet);
  return re->ok() ? re.release() : nullptr;
}

bool RegexFullMatch(const void* regex, gxds_str text) {
  return RE2::FullMatch(absl::string_view(text.data, text.size), *static_cast<const RE2*>(regex));
}

bool RegexRange(const void* regex, int longest, gxds_str* least, gxds_str* most) {
  std::string from, to;
  if (!static_cast<const RE2*>(regex)->PossibleMatchRange(&from, &to, longest)) return false;
  *least = gxds_str_dup(gxds_str_of(from.data(), from.size()));
  *most = gxds_str_dup(gxds_str_of(to.data(), to.size()));
  return true;
}

gxds_str RegexReplace(const void* regex, gxds_str text, gxds_str rewrite) {
  std::string out = ToString(text);
  RE2::GlobalReplace(&out, *static_cast<const RE2*>(regex),
                     absl::string_view(rewrite.data, rewrite.size));
  return gxds_str_dup(gxds_str_of(out.data(), out.size()));
}

void RegexDestroy(void* regex) { delete static_cast<RE2*>(regex); }

void CertificateProviderCheck(gxds_str plugin_name, gxds_str config_json, const gxds_path* at,
                              gxds_errors* errors) {
  auto* factory =
      CoreConfiguration::Get().certificate_provider_registry().LookupCertificateProviderFactory(
          ToString(plugin_name));
  if (factory == nullptr) {
    return AddFieldError(errors, at, "plugin_name",
                         absl::StrCat("Unrecognized plugin name: ", ToString(plugin_name)));
  }
  auto config = ParseConfig(config_json);
  if (!config.ok()) {
    return AddFieldError(errors, at, "config", std::string(config.status().message()));
  }
  grpc_core::ValidationErrors wrong;
  factory->CreateCertificateProviderConfig(*config, grpc_core::JsonArgs(), &wrong);
  if (!wrong.ok()) AddFieldError(errors, at, "config", wrong.message("errors"));
}

bool Traces(gxds_trace trace) {
  return trace == GXDS_TRACE_XDS_CLIENT && GRPC_TRACE_FLAG_ENABLED(xds_client);
}

// 1.83 draws a backoff from 0.8 to 1.2 times that of the policy, in whole milliseconds. A retry
// after zero runs at once and has no timer handle; the retry filter takes that for a cancelled one,
// and the RPC hangs.
constexpr gxds_duration kShortestRetryBackoff = 2 * GXDS_MILLISECOND;

gxds_host MakeHost() {
  gxds_host host = {};
  host.traces = Traces;
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
  host.target_bootstrap = TargetBootstrap;
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
