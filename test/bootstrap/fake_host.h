// A gxds_host with the credentials "insecure", "fake" and "picky" (whose config must be
// {"ok":true}), and the certificate provider "file_watcher".
#ifndef GRPC_XDS_TEST_BOOTSTRAP_FAKE_HOST_H_
#define GRPC_XDS_TEST_BOOTSTRAP_FAKE_HOST_H_

#include <string>

#include "base/host.h"

namespace grpc_xds_test {

inline std::string ToString(gxds_str s) { return std::string(s.data, s.size); }
inline gxds_str ToGxds(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

inline const gxds_host* FakeHost() {
  static const gxds_host host = [] {
    gxds_host h = {};
    h.creds_supported = [](gxds_str type) {
      std::string name = ToString(type);
      return name == "insecure" || name == "fake" || name == "picky";
    };
    h.creds_check = [](gxds_str type, gxds_str config, const gxds_path* at, gxds_errors* errors) {
      if (ToString(type) == "picky" && ToString(config) != "{\"ok\":true}") {
        gxds_errors_add(errors, at, "invalid config for channel creds type \"picky\"");
      }
    };
    h.certificate_provider_check = [](gxds_str plugin_name, gxds_str, const gxds_path* at,
                                      gxds_errors* errors) {
      if (ToString(plugin_name) == "file_watcher") return;
      gxds_path field = {at, "plugin_name", -1, nullptr};
      gxds_errors_add(errors, &field, "Unrecognized plugin name: %s",
                      ToString(plugin_name).c_str());
    };
    return h;
  }();
  return &host;
}

}  // namespace grpc_xds_test

#endif
