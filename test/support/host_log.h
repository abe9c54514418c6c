// What this process logs through gRPC, our lines among it.
#ifndef GRPC_XDS_TEST_SUPPORT_HOST_LOG_H_
#define GRPC_XDS_TEST_SUPPORT_HOST_LOG_H_

#include <string>
#include <vector>

namespace gxds_test {

// Keeps the lines that are logged while it lives, information and errors. One at a time; any
// thread.
class HostLog {
 public:
  HostLog();
  ~HostLog();

  std::vector<std::string> lines() const;
  // How many lines have that text.
  int Count(const std::string& text) const;
  // Whether a line has all of these.
  bool Has(const std::vector<std::string>& parts) const;
};

}  // namespace gxds_test

#endif
