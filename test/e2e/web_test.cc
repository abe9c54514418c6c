// Configuration from web servers: `xds serve --rest`, and a directory behind Apache.
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "test/e2e/certificates.h"
#include "test/e2e/e2e.h"

namespace gxds_test {
namespace {

const char kTarget[] = "xds:///greeter.example";

std::string Bootstrap(const std::vector<std::string>& servers) {
  std::string list;
  for (const auto& s : servers) list += (list.empty() ? "" : ",") + s;
  return R"({"xds_servers":[)" + list + R"(],"node":{"id":"test-node"}})";
}

void ExpectAllAnsweredBy(Client* client, const std::string& backend) {
  for (int i = 0; i < 100; i++) {
    Reply reply = client->Call();
    ASSERT_EQ(reply.name, backend) << reply.status.error_message();
  }
}

// ---- xds serve, in both forms ----

class Web : public testing::TestWithParam<const char*> {
 protected:
  Web() {
    plane_.AlsoServeRest();
    plane_.Set(SimpleMesh({&a_}));
    plane_.Start();
  }
  std::string Server() const { return plane_.WebServerJson(GetParam()); }

  Backend a_{"a"}, b_{"b"};
  ControlPlane plane_;
};

TEST_P(Web, RpcsFollowTheConfiguration) {
  Client client(kTarget, Bootstrap({Server()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane_.Set(SimpleMesh({&b_}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
  ExpectAllAnsweredBy(&client, "b");
  EXPECT_EQ(plane_.Count({R"("service":"lrs")"}), 0u) << "no load is reported to a web server";
}

TEST_P(Web, WhileTheServerIsAwayRpcsGoOn) {
  Client client(kTarget, Bootstrap({Server()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  plane_.Kill();
  ExpectAllAnsweredBy(&client, "a");
  plane_.Set(SimpleMesh({&b_}));
  plane_.Start();
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST_P(Web, FilesWithErrorsAreNotServedAndTheLastGoodStateStays) {
  Client client(kTarget, Bootstrap({Server()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  const size_t mark = plane_.Mark();
  plane_.WriteFile("mesh.json", "{");
  ASSERT_NE(plane_.Wait({R"("event":"error")"}, mark), "");
  ExpectAllAnsweredBy(&client, "a");
  plane_.Set(SimpleMesh({&b_}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST_P(Web, ServerIsFallenBackToAndFrom) {  // A71
  ControlPlane grpc;
  grpc.Set(SimpleMesh({&b_}));
  grpc.Start();
  grpc.Kill();
  Client client(kTarget, Bootstrap({grpc.ServerJson(), Server()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  grpc.Start();
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  plane_.Kill();
  Client other(kTarget, Bootstrap({Server(), grpc.ServerJson()}));
  ASSERT_TRUE(other.CallUntilAnsweredBy("b"));
  plane_.Start();
  EXPECT_TRUE(other.CallUntilAnsweredBy("a"));
}

TEST_P(Web, AServerThatNeverRespondsFailsRpcsWithTheReason) {
  plane_.Kill();
  Client client(kTarget, Bootstrap({Server()}));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const std::string path = GetParam() == std::string("rest") ? "/v3/discovery:listeners: Failed to "
                                                             : "/xds-index.json: Failed to ";
  EXPECT_NE(reply.status.error_message().find(path), std::string::npos)
      << reply.status.error_message();
}

TEST_P(Web, AResourceThatIsRefusedIsNackedLikeAnyAndRpcsGoOn) {
  Client client(kTarget, Bootstrap({Server()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  const size_t mark = plane_.Mark();
  Mesh bad = SimpleMesh({&a_});
  bad.clusters[0].more = R"("lb_policy":"MAGLEV")";
  plane_.Set(bad);
  ASSERT_NE(plane_.Wait({R"("event":"warning")"}, mark), "") << "clients will refuse it";
  if (GetParam() == std::string("rest")) {
    EXPECT_NE(plane_.Wait({R"("event":"nack")", R"("service":"rest")", R"("node":"test-node")",
                           "Cluster", "lb_policy"},
                          mark),
              "");
  }
  ExpectAllAnsweredBy(&client, "a");
  plane_.Set(SimpleMesh({&b_}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

INSTANTIATE_TEST_SUITE_P(Forms, Web, testing::Values("rest", "files"),
                         [](const auto& info) { return std::string(info.param); });

// ---- a directory behind a web server without xDS ----

class Apache {
 public:
  // tls: the authority of its certificate; 0: no TLS. mutual: it demands a client certificate.
  explicit Apache(int tls = 0, bool mutual = false)
      : port_(KeptPort()), tls_(tls), mutual_(mutual) {
    for (const TempDir* dir : {&root_, &logs_}) chmod(dir->path().c_str(), 0755);
    if (tls) {
      const std::string n = std::to_string(tls);
      logs_.Write("server.pem", Pem("server" + n + ".pem"));
      logs_.Write("server.key", Pem("server" + n + ".key"));
      logs_.Write("ca.pem", Pem("ca" + n + ".pem"));
    }
    logs_.Write("apache.conf", Configuration());
    Start();
  }
  ~Apache() { Stop(); }

  void Start() {
    server_ = std::make_unique<Child>(std::vector<std::string>{
        "/usr/sbin/apache2", "-f", logs_.path() + "/apache.conf", "-D", "FOREGROUND"});
  }
  void Stop() {
    server_->Signal(SIGTERM);
    server_->Wait();
  }
  // Publishes the mesh: first the files, then their index.
  void Publish(const Mesh& mesh) { Publish(mesh.Json()); }
  void Publish(const std::string& json) {
    root_.Write("mesh.json", json);
    Child index({Runfile("tools/xds"), "serve", "--write-index", root_.path()});
    ASSERT_EQ(index.Wait(), 0) << index.Output();
  }
  void Write(const std::string& name, const std::string& text) { root_.Write(name, text); }
  // Waits until that many lines of its log, from that offset on, begin with this.
  bool WaitForLog(const std::string& begin, size_t count = 1, size_t from = 0) const {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      const std::string log = Log();
      size_t found = 0;
      for (size_t at = from; (at = log.find(begin, at)) != std::string::npos; at++) found++;
      if (found >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  std::string Log() const {
    std::ifstream file(logs_.path() + "/access.log");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  // creds: the channel_creds for https:.
  std::string Json(const std::string& creds = R"({"type":"insecure"})") const {
    return std::string(R"({"server_uri":")") + (tls_ ? "https" : "http") +
           "://127.0.0.1:" + std::to_string(port_) + R"(/","channel_creds":[)" + creds +
           R"(],"server_features":["files"],"refresh_delay":"0.1s"})";
  }

 private:
  std::string Configuration() const {
    std::string c;
    for (const char* module : {"mpm_event", "authz_core", "mime", "deflate", "filter", "ssl"}) {
      c += std::string("LoadModule ") + module + "_module /usr/lib/apache2/modules/mod_" + module +
           ".so\n";
    }
    c += "ServerName localhost\nUser nobody\nGroup nogroup\nListen 127.0.0.1:" +
         std::to_string(port_) + "\nPidFile " + logs_.path() + "/pid\nErrorLog " + logs_.path() +
         "/error.log\nTypesConfig /dev/null\nAddType application/json .json\n" +
         "AddOutputFilterByType DEFLATE application/json\nDeflateAlterETag NoChange\n" +
         "FileETag Digest\n" + "CustomLog " + logs_.path() +
         "/access.log \"%r %>s\"\nDocumentRoot " + root_.path() +
         "\n<Directory />\nRequire all granted\n</Directory>\n";
    if (tls_) {
      c += "SSLEngine on\nSSLCertificateFile " + logs_.path() +
           "/server.pem\nSSLCertificateKeyFile " + logs_.path() + "/server.key\n";
      if (mutual_) {
        c += "SSLVerifyClient require\nSSLCACertificateFile " + logs_.path() + "/ca.pem\n";
      }
    }
    return c;
  }

  // In /tmp, because Apache changes to another user if it runs as root.
  TempDir root_{"/tmp"}, logs_{"/tmp"};
  const int port_;
  const int tls_;
  const bool mutual_;
  std::unique_ptr<Child> server_;
};

TEST(WebDirectory, AnyWebServerIsAControlPlane) {
  Backend a("a"), b("b");
  Apache apache;
  apache.Publish(SimpleMesh({&a}));
  Client client(kTarget, Bootstrap({apache.Json()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  apache.Publish(SimpleMesh({&b}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("b"));
  EXPECT_TRUE(apache.WaitForLog("GET /xds-index.json HTTP/1.1 304")) << apache.Log();
  apache.Stop();
  ExpectAllAnsweredBy(&client, "b");
}

TEST(WebDirectory, WhatIsPublishedInHalvesOrWrongIsNotTaken) {
  Backend a("a"), b("b");
  Apache apache;
  apache.Publish(SimpleMesh({&a}));
  Client client(kTarget, Bootstrap({apache.Json()}));
  ASSERT_TRUE(client.CallUntilAnsweredBy("a"));
  size_t from = apache.Log().size();
  apache.Write("mesh.json", SimpleMesh({&b}).Json());  // the index is still the old one
  apache.Write("xds-index.json",
               R"({"version":"x","files":[{"path":"mesh.json","size":1,"sha256":")" +
                   std::string(64, '0') + R"("}]})");
  ASSERT_TRUE(apache.WaitForLog("GET /mesh.json ", 2, from)) << apache.Log();
  ExpectAllAnsweredBy(&client, "a");
  apache.Write("xds-index.json", "{");
  from = apache.Log().size();
  ASSERT_TRUE(apache.WaitForLog("GET /xds-index.json ", 2, from)) << apache.Log();
  ExpectAllAnsweredBy(&client, "a");
  apache.Publish(SimpleMesh({&b}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("b"));
}

TEST(WebDirectory, TheServerIsTrustedByItsAuthority) {
  Backend a("a");
  Apache apache(1);
  apache.Publish(SimpleMesh({&a}));
  ClientFiles files(1);
  Client client(kTarget,
                Bootstrap({apache.Json(R"({"type":"tls","config":)" + files.Json(false) + "}")}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("a"));
}

TEST(WebDirectory, TheClientShowsItsCertificate) {
  Backend a("a");
  Apache apache(1, true);
  apache.Publish(SimpleMesh({&a}));
  ClientFiles files(1);
  Client client(kTarget,
                Bootstrap({apache.Json(R"({"type":"tls","config":)" + files.Json(true) + "}")}));
  EXPECT_TRUE(client.CallUntilAnsweredBy("a"));
  Client stranger(kTarget,
                  Bootstrap({apache.Json(R"({"type":"tls","config":)" + files.Json(false) + "}")}));
  EXPECT_EQ(stranger.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(WebDirectory, AServerOfAnotherAuthorityIsNotTrustedUntilTheFilesSaySo) {
  Backend a("a");
  Apache apache(2);
  apache.Publish(SimpleMesh({&a}));
  ClientFiles files(1);
  Client client(kTarget,
                Bootstrap({apache.Json(R"({"type":"tls","config":)" + files.Json(false) + "}")}));
  Reply reply = client.Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_NE(reply.status.error_message().find("certificate"), std::string::npos)
      << reply.status.error_message();
  EXPECT_EQ(apache.Log().find("GET"), std::string::npos) << "not a byte was asked for";
  files.Use(2);
  EXPECT_TRUE(client.CallUntil([](const Reply& r) { return r.name == "a"; }, true));
}

}  // namespace
}  // namespace gxds_test
