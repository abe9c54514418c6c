#include "test/soak/account.h"

#include <algorithm>
#include <cmath>

namespace gxds_soak {

void Outages::StopEnded(int port, Time at) {
  std::find_if(stops_.rbegin(), stops_.rend(), [&](const Stop& s) { return s.port == port; })->to =
      at;
}

Cause Outages::Explain(const Failure& f) const {
  // CANCELLED comes from a server that ends.
  if (f.code == grpc::StatusCode::UNAVAILABLE || f.code == grpc::StatusCode::CANCELLED) {
    // An RPC whose connection broke before it was sent names no backend.
    const bool killed = std::any_of(kills_.begin(), kills_.end(), [&](const auto& kill) {
      return (f.port == 0 || f.port == kill.first) && kill.second <= f.ended &&
             f.began <= kill.second + kNotice;
    });
    if (killed) return Cause::kKilled;
  }
  if (f.code == grpc::StatusCode::DEADLINE_EXCEEDED) {
    const bool stopped = std::any_of(stops_.begin(), stops_.end(), [&](const Stop& stop) {
      return (f.port == 0 || f.port == stop.port) && stop.from <= f.began + kNotice &&
             f.ended - kNotice <= stop.to;
    });
    if (stopped) return Cause::kStopped;
  }
  return Cause::kUnexplained;
}

Line FitLine(const std::vector<Point>& points) {
  const double n = static_cast<double>(points.size());
  double x = 0, y = 0;
  for (const Point& p : points) {
    x += p.x / n;
    y += p.y / n;
  }
  double xx = 0, xy = 0;
  for (const Point& p : points) {
    xx += (p.x - x) * (p.x - x);
    xy += (p.x - x) * (p.y - y);
  }
  Line line;
  line.slope = xy / xx;
  double residuals = 0;
  for (const Point& p : points) {
    const double r = p.y - y - line.slope * (p.x - x);
    residuals += r * r;
  }
  line.error = std::sqrt(residuals / (n - 2) / xx);
  return line;
}

}  // namespace gxds_soak
