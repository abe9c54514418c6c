#include "test/e2e/certificates.h"

#include <fstream>
#include <sstream>

namespace gxds_test {

std::string Pem(const std::string& name) {
  std::ifstream file(Runfile("test/e2e/certs/" + name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<grpc::ServerCredentials> TlsServer(int authority, bool mutual,
                                                   const std::string& kind) {
  const std::string n = std::to_string(authority);
  grpc::SslServerCredentialsOptions options(
      mutual ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_root_certs = Pem("ca" + n + ".pem");
  options.pem_key_cert_pairs.push_back({Pem(kind + n + ".key"), Pem(kind + n + ".pem")});
  return grpc::SslServerCredentials(options);
}

void ClientFiles::Use(int authority) const {
  const std::string n = std::to_string(authority);
  files_.Write("ca.pem", Pem("ca" + n + ".pem"));
  files_.Write("client.key", Pem("client" + n + ".key"));
  files_.Write("client.pem", Pem("client" + n + ".pem"));
}

std::string ClientFiles::Json(bool with_identity) const {
  std::string json = R"({"ca_certificate_file":")" + ca() + R"(","refresh_interval":"1s")";
  if (with_identity) {
    json += R"(,"certificate_file":")" + certificate() + R"(","private_key_file":")" + key() + "\"";
  }
  return json + "}";
}

}  // namespace gxds_test
