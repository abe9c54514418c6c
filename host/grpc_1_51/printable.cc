#include "host/grpc_1_51/printable.h"

#include "base/text.h"

namespace grpc_xds {

std::string Printable(absl::string_view s) {
  gxds_text text = {};
  gxds_text_add_printable(&text, gxds_str_of(s.data(), s.size()));
  std::string out(text.data, text.size);
  gxds_text_fini(&text);
  return out;
}

}  // namespace grpc_xds
