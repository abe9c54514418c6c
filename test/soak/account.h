// Explains failed RPCs, and checks whether memory grows.
#ifndef GRPC_XDS_TEST_SOAK_ACCOUNT_H_
#define GRPC_XDS_TEST_SOAK_ACCOUNT_H_

#include <grpcpp/support/status.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gxds_soak {

using Time = std::chrono::microseconds;  // of the monotonic clock

struct Failure {
  Time began;
  Time ended;
  grpc::StatusCode code;
  // The port of the backend that it was sent to; 0: none, or not known. The host does not report it
  // for an RPC that missed its deadline.
  int port = 0;
  std::string message;
};

enum class Cause {
  kKilled,   // the connection broke, or was already broken, when its backend was killed or ended
  kStopped,  // no response before the deadline from a stopped backend
  kUnexplained
};

// The times at which backends were not available.
class Outages {
 public:
  // A client with little CPU time notices a broken connection up to this much later, and sends RPCs
  // on it until then. Also, an RPC that began up to this long before its backend was stopped may
  // have been sent only then, and one may end this long after the backend continued.
  static constexpr Time kNotice = std::chrono::seconds(2);

  void Killed(int port, Time at) { kills_.emplace_back(port, at); }
  void Stopped(int port, Time at) { stops_.push_back({port, at, Time::max()}); }
  // The stopped backend will continue, or is killed.
  void StopEnded(int port, Time at);

  Cause Explain(const Failure& failure) const;

 private:
  std::vector<std::pair<int, Time>> kills_;
  struct Stop {
    int port;
    Time from;
    Time to;
  };
  std::vector<Stop> stops_;
};

struct Point {
  double x;
  double y;
};

// The straight line through points (least squares) and the standard error of its slope.
struct Line {
  double slope = 0;
  double error = 0;

  // Whether it rises by more than three standard errors (chance: one in a thousand).
  bool Rises() const { return slope > 3 * error; }
};
// At least 3 points.
Line FitLine(const std::vector<Point>& points);

}  // namespace gxds_soak

#endif
