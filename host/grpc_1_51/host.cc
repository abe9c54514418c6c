#include "host/host_get.h"

#include <grpc/support/port_platform.h>
#include <re2/re2.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "host/grpc_common/services.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/security/certificate_provider/certificate_provider_factory.h"
#include "src/core/lib/security/certificate_provider/certificate_provider_registry.h"
#include "src/core/lib/security/credentials/channel_creds_registry.h"
#include "src/core/lib/security/credentials/credentials.h"

namespace grpc_core {
// The host's: GRPC_TRACE=xds_client goes on working.
extern TraceFlag grpc_xds_client_trace;
}  // namespace grpc_core

namespace grpc_xds {
namespace {

using grpc_core::CoreConfiguration;
using grpc_core::Json;

std::string ToString(gxds_str s) { return std::string(s.data, s.size); }

// The config of a registry's entry; without one, the empty object, as the host has it.
absl::StatusOr<Json> ParseConfig(gxds_str config_json) {
  if (gxds_str_empty(config_json)) return Json(Json::Object());
  return Json::Parse(absl::string_view(config_json.data, config_json.size));
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
  if (config.ok() &&
      CoreConfiguration::Get().channel_creds_registry().IsValidConfig(ToString(type), *config)) {
    return;
  }
  AddError(errors, at,
           absl::StrCat("invalid config for channel creds type \"", ToString(type), "\""));
}

grpc_channel_credentials* CredsCreate(gxds_str type, gxds_str config_json) {
  auto config = ParseConfig(config_json);
  if (!config.ok()) return nullptr;
  return CoreConfiguration::Get()
      .channel_creds_registry()
      .CreateChannelCreds(ToString(type), *config)
      .release();
}

void LbConfigCheck(gxds_str json, const gxds_path* at, gxds_errors* errors) {
  auto config = Json::Parse(absl::string_view(json.data, json.size));
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
  std::string out = ToString(text);
  RE2::GlobalReplace(&out, *static_cast<const RE2*>(regex),
                     re2::StringPiece(rewrite.data, rewrite.size));
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
  grpc_error_handle error;
  auto parsed = factory->CreateCertificateProviderConfig(*config, &error);
  if (!error.ok()) AddFieldError(errors, at, "config", grpc_core::StatusToString(error));
}

bool Traces(gxds_trace trace) {
  return trace == GXDS_TRACE_XDS_CLIENT &&
         GRPC_TRACE_FLAG_ENABLED(grpc_core::grpc_xds_client_trace);
}

gxds_host MakeHost() {
  gxds_host host = {};
  host.traces = Traces;
  host.clock_distance = ClockDistance;
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
