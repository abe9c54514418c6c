// The certificates in certs/, and copies of them in files that a test changes.
#ifndef GRPC_XDS_TEST_E2E_CERTIFICATES_H_
#define GRPC_XDS_TEST_E2E_CERTIFICATES_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "test/support/child.h"

namespace gxds_test {

// "ca1.pem", "server1.key", …
std::string Pem(const std::string& name);

// Server credentials with a certificate of authority 1 or 2. With mutual the server demands a
// client certificate of the same authority. kind: the server's certificate, "server" or "rare".
std::shared_ptr<grpc::ServerCredentials> TlsServer(int authority, bool mutual,
                                                   const std::string& kind = "server");

// The files that a client uses: ca.pem, client.pem and client.key, of one authority at a time.
class ClientFiles {
 public:
  explicit ClientFiles(int authority) { Use(authority); }
  void Use(int authority) const;
  std::string ca() const { return files_.path() + "/ca.pem"; }
  std::string certificate() const { return files_.path() + "/client.pem"; }
  std::string key() const { return files_.path() + "/client.key"; }
  // The configuration of a file_watcher, or of tls credentials, that reads the files every second.
  std::string Json(bool with_identity) const;

 private:
  TempDir files_;
};

}  // namespace gxds_test

#endif
