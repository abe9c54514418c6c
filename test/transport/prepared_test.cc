#include "transport/prepared.h"

#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootstrap/bootstrap.h"
#include "test/support/forks_during.h"
#include "transport/reactor.h"

namespace {

const gxds_host* Host() {
  static const gxds_host host = [] {
    gxds_host h{};
    h.creds_supported = [](gxds_str) { return false; };  // so "tls" is ours
    return h;
  }();
  return &host;
}

// The credentials of a client whose server has the certificate of this number.
gxds_prepared* Prepare(int number) {
  const std::string json =
      R"({"xds_servers":[{"server_uri":"x:1","channel_creds":[{"type":"tls","config":)"
      R"({"ca_certificate_file":"/)" +
      std::to_string(number) + R"("}}]}]})";
  const gxds_str text = gxds_str_of(json.data(), json.size());
  const gxds_bootstrap* bootstrap = nullptr;
  EXPECT_EQ(gxds_bootstrap_parse(text, Host(), &bootstrap, nullptr).code, GXDS_OK);
  gxds_prepared* prepared = gxds_clients_prepare(bootstrap, Host());
  gxds_bootstrap_unref(bootstrap);
  return prepared;
}

// The end of "tls" credentials joins the thread that reads their files, and the child has no
// threads of its parent.
TEST(Prepared, EndsThatOfItsParentInTheChildOfAFork) {
  constexpr int kClients = 4;
  grpc_init();
  gxds_reactor_expect_forks();
  std::vector<gxds_prepared*> of_parent;
  for (int i = 0; i < kClients; ++i) of_parent.push_back(Prepare(i));
  EXPECT_EQ(gxds_test::StatusOfChild([&] {
              for (gxds_prepared* prepared : of_parent) gxds_prepared_destroy(prepared);
              return 0;
            }),
            0);
  for (gxds_prepared* prepared : of_parent) gxds_prepared_destroy(prepared);
  grpc_shutdown();
}

}  // namespace
