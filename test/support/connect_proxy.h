// A real HTTP proxy on 127.0.0.1 that serves CONNECT only.
#ifndef GRPC_XDS_TEST_SUPPORT_CONNECT_PROXY_H_
#define GRPC_XDS_TEST_SUPPORT_CONNECT_PROXY_H_

#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gxds_test {

class ConnectProxy {
 public:
  ConnectProxy();
  ~ConnectProxy();
  ConnectProxy(const ConnectProxy&) = delete;

  int port() const { return port_; }
  // From now on requests get this status, "403 Forbidden"; empty: a tunnel.
  void Refuse(std::string status);
  // The targets of the requests so far, in order: "127.0.0.1:80".
  std::vector<std::string> requested() const;

 private:
  void Accept();
  void Serve(int client);
  // Reads a request and returns its target. Empty: the client closed the connection, or did not
  // send CONNECT.
  static std::string ReadTarget(int client);
  static int ConnectTo(const std::string& target);
  static void Carry(int client, int server);

  int listener_;
  int port_;
  mutable std::mutex mu_;
  std::string refusal_;
  std::vector<std::string> requested_;
  std::set<int> open_;
  bool stopped_ = false;
  std::vector<std::thread> tunnels_;
  std::thread acceptor_;  // last: it uses all of the above
};

}  // namespace gxds_test

#endif
