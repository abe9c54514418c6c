// The exports and dependencies of the libraries, which are part of their contract with every
// program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include "test/plugin/process.h"

namespace {

using gxds_test::Runfile;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::string OutputOf(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char bytes[4096];
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, pipe)) > 0;) out.append(bytes, size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

// Omits objects that exist once in a process, whichever library defines them (type u, and contexts
// of threads): static variables of inline functions of gRPC 1.83. gRPC 1.51 has none.
std::set<std::string> Exports(const std::string& library) {
  std::istringstream lines(OutputOf("nm -D --defined-only --format=posix " + Runfile(library)));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, type;
    words >> name >> type;
    const bool is_one = type == "u" || name.find("ThreadLocalContext") != std::string::npos;
    if (!is_one || HOST_NUMBER != std::string("56")) names.insert(name);
  }
  return names;
}

std::set<std::string> Needs(const std::string& library) {
  std::istringstream lines(OutputOf("readelf -dW " + Runfile(library)));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    size_t begin = line.find('[') + 1;
    names.insert(line.substr(begin, line.find(']') - begin));
  }
  return names;
}

TEST(Symbols, LoaderExportsTheApiAndTwoFunctionsOfTheHost) {
  EXPECT_THAT(
      Exports("libgrpc_xds.so"),
      UnorderedElementsAre("grpc_dump_xds_configs", "grpc_init", "grpc_xds_dump_client_status",
                           "grpc_xds_dump_metrics", "grpc_xds_plugin_register",
                           "grpc_xds_register_policy", "grpc_xds_version"));
}

TEST(Symbols, LoaderNeedsTheCLibraryAlone) {
  EXPECT_THAT(Needs("libgrpc_xds.so"), ElementsAre("libc.so.6"));
}

// So it exports no name of libgrpc, which would then use our constructors or layouts.
TEST(Symbols, ImplementationExportsItsEntries) {
  EXPECT_THAT(Exports("grpc_xds/libgrpc_xds_impl_" HOST_RELEASE ".so"),
              UnorderedElementsAre("grpc_xds_impl_dump_client_status", "grpc_xds_impl_dump_metrics",
                                   "grpc_xds_impl_merge_dump", "grpc_xds_impl_register",
                                   "grpc_xds_impl_register_policy", "grpc_xds_impl_version"));
}

TEST(Symbols, ImplementationIsLinkedToTheHost) {
  EXPECT_THAT(Needs("grpc_xds/libgrpc_xds_impl_" HOST_RELEASE ".so"),
              testing::Contains("libgrpc.so." HOST_NUMBER));
}

}  // namespace
