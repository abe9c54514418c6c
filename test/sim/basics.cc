#include "test/sim/basics.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace gxds_sim {

gxds_duration Random::Magnitude(gxds_duration least, gxds_duration most) {
  double ratio = static_cast<double>(most) / static_cast<double>(least);
  double factor = std::exp2(std::log2(ratio) * gxds_random_unit(&state_));
  return static_cast<gxds_duration>(static_cast<double>(least) * factor);
}

void Fail(const char *kind, const char *format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  throw Failure{kind, text};
}

}  // namespace gxds_sim
