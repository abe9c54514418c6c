#include "lb_policies/printable/printable.h"

#include "base/text.h"

namespace grpc_xds {

std::string Printable(absl::string_view s) {
  gxds_text text = {};
  for (;;) {
    const size_t size = s.find('\\');
    const absl::string_view part = s.substr(0, size);
    gxds_text_add_escaped(&text, gxds_str_of(part.data(), part.size()));
    if (size == absl::string_view::npos) break;
    gxds_text_add_z(&text, "\\");
    s.remove_prefix(size + 1);
  }
  std::string out(text.data, text.size);
  gxds_text_fini(&text);
  return out;
}

}  // namespace grpc_xds
