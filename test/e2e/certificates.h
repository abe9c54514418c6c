// The certificates in certs/, and files of them that a test changes.
#ifndef GRPC_XDS_TEST_E2E_CERTIFICATES_H_
#define GRPC_XDS_TEST_E2E_CERTIFICATES_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "test/support/child.h"

namespace gxds_test {

// "ca1.pem", "server1.key", …
std::string Pem(const std::string& name);

// A server of authority 1 or 2; with mutual it demands a client's certificate of the same. kind: of
// its certificate: "server", or "rare".
std::shared_ptr<grpc::ServerCredentials> TlsServer(int authority, bool mutual,
                                                   const std::string& kind = "server");

// What a client is told to use: ca.pem, client.pem and client.key, of one authority at a time.
class ClientFiles {
 public:
  explicit ClientFiles(int authority) { Use(authority); }
  void Use(int authority) const;
  std::string ca() const { return files_.path() + "/ca.pem"; }
  std::string certificate() const { return files_.path() + "/client.pem"; }
  std::string key() const { return files_.path() + "/client.key"; }
  // The configuration of a file_watcher, or of tls credentials, that looks at them every second.
  std::string Json(bool with_identity) const;

 private:
  TempDir files_;
};

}  // namespace gxds_test

#endif
