// Why RPCs failed, and whether memory grows.
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
  // Of the backend that it was sent to; 0: none, or the host does not say, which it does not of an
  // RPC that it gave up at its deadline.
  int port = 0;
  std::string message;
};

enum class Cause {
  kKilled,   // the connection broke, or was broken, when its backend was killed or ended
  kStopped,  // no answer before the deadline from a backend that stood still
  kUnexplained
};

// When which backend was not there.
class Outages {
 public:
  // A client that is short of processor time learns of a broken connection only so much later, and
  // sends RPCs on it until then. Likewise one that began so long before its backend stood still may
  // have been sent then, and one may end so long after it went on.
  static constexpr Time kNotice = std::chrono::seconds(2);

  void Killed(int port, Time at) { kills_.emplace_back(port, at); }
  void Stopped(int port, Time at) { stops_.push_back({port, at, Time::max()}); }
  // Of one that is stopped, and will go on or is killed.
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

  // Rises by more than chance explains: by more than three errors (one in a thousand).
  bool Rises() const { return slope > 3 * error; }
};
// At least 3 points.
Line FitLine(const std::vector<Point>& points);

}  // namespace gxds_soak

#endif
