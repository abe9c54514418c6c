#include "transport/dump.h"

#include <sys/wait.h>
#include <unistd.h>

#include "test/transport/on_reactor.h"

namespace grpc_xds {
namespace {

std::string Dump(gxds_dump_form form, const std::string &host) {
  gxds_str out;
  EXPECT_TRUE(gxds_clients_dump(form, gxds_str_of(host.data(), host.size()), &out));
  std::string text(out.data, out.size);
  gxds_str_free(&out);
  return text;
}

TEST(Dump, WithoutAReactorIsTheHosts) {
  EXPECT_EQ(Dump(GXDS_DUMP_MERGED, "host"), "host");
  EXPECT_EQ(Dump(GXDS_DUMP_BY_CLIENT, "host"), "");
  { ReactorUse use; }
  EXPECT_EQ(Dump(GXDS_DUMP_MERGED, "host"), "host");
}

TEST(Dump, WithoutClientsIsTheHosts) {
  ReactorUse use;
  EXPECT_EQ(Dump(GXDS_DUMP_MERGED, "host"), "host");
  EXPECT_EQ(Dump(GXDS_DUMP_BY_CLIENT, "host"), "");
}

TEST(Dump, OnTheReactorDoesNotWaitForIt) {
  ReactorUse use;
  OnReactor([] { EXPECT_EQ(Dump(GXDS_DUMP_MERGED, "host"), "host"); });
}

TEST(Dump, InTheChildOfAForkDoesNotWait) {
  ReactorUse use;
  OnReactor([] {});  // the reactor runs
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(Dump(GXDS_DUMP_MERGED, "host") == "host" ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(Dump(GXDS_DUMP_MERGED, "host"), "host");
}

}  // namespace
}  // namespace grpc_xds
