// Serialized load reports of backends, field by field.
#ifndef GRPC_XDS_TEST_LB_POLICIES_ORCA_ORCA_BYTES_H_
#define GRPC_XDS_TEST_LB_POLICIES_ORCA_ORCA_BYTES_H_

#include <string.h>

#include <string>

namespace orca_test {

inline std::string Double(unsigned number, double value) {
  std::string out(1, static_cast<char>(number << 3 | 1));
  char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  return out + std::string(bytes, sizeof bytes);
}

// At most 127 bytes.
inline std::string Part(unsigned number, const std::string &bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

inline std::string Cpu(double value) { return Double(1, value); }
inline std::string Memory(double value) { return Double(2, value); }
inline std::string Application(double value) { return Double(9, value); }
inline std::string Named(const std::string &name, double value) {
  return Part(8, Part(1, name) + Double(2, value));
}

}  // namespace orca_test

#endif
