// The lines that this process logs through gRPC, which include our own.
#ifndef GRPC_XDS_TEST_SUPPORT_HOST_LOG_H_
#define GRPC_XDS_TEST_SUPPORT_HOST_LOG_H_

#include <string>
#include <vector>

namespace gxds_test {

// Keeps the lines of information and errors that are logged while it lives. There may be one
// HostLog at a time. Any thread.
class HostLog {
 public:
  HostLog();
  ~HostLog();

  std::vector<std::string> lines() const;
  // How many lines contain that text.
  int Count(const std::string& text) const;
  // Whether a line contains all of the parts.
  bool Has(const std::vector<std::string>& parts) const;
};

}  // namespace gxds_test

#endif
