#include "bootstrap/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace {

class Source : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("GRPC_XDS_BOOTSTRAP");
    unsetenv("GRPC_XDS_BOOTSTRAP_CONFIG");
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::string path = testing::TempDir() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // Loads the bootstrap and keeps the result.
  void Load(const gxds_host* host = nullptr) {
    gxds_str out;
    gxds_str where;
    gxds_status status = gxds_bootstrap_find(host, gxds_str_z("xds:///a"), &out, &where);
    code_ = status.code;
    error_.assign(status.message.data ? status.message.data : "");
    text_.assign(out.data ? out.data : "", out.size);
    where_.assign(where.data ? where.data : "", where.size);
    gxds_str_free(&out);
    gxds_str_free(&where);
    gxds_status_fini(&status);
  }
  gxds_code code_;
  std::string error_, text_, where_;
};

TEST_F(Source, AbsentNamesBothVariables) {
  Load();
  EXPECT_EQ(code_, GXDS_NOT_FOUND);
  EXPECT_THAT(error_, testing::StartsWith("Environment variables GRPC_XDS_BOOTSTRAP or "
                                          "GRPC_XDS_BOOTSTRAP_CONFIG not defined"));
}

TEST_F(Source, FileComesFirst) {  // A27.2
  std::string path = Write("first.json", "{\"a\": 1}");
  setenv("GRPC_XDS_BOOTSTRAP", path.c_str(), 1);
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{}", 1);
  Load();
  EXPECT_EQ(code_, GXDS_OK);
  EXPECT_EQ(text_, "{\"a\": 1}");
  EXPECT_EQ(where_, "file " + path + " (GRPC_XDS_BOOTSTRAP)");
}

TEST_F(Source, ConfigIsTheJsonItself) {
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{\"b\": 2}", 1);
  Load();
  EXPECT_EQ(code_, GXDS_OK);
  EXPECT_EQ(text_, "{\"b\": 2}");
  EXPECT_EQ(where_, "environment variable GRPC_XDS_BOOTSTRAP_CONFIG");
}

TEST_F(Source, ReadAnewEachTime) {
  std::string path = Write("anew.json", "old");
  setenv("GRPC_XDS_BOOTSTRAP", path.c_str(), 1);
  Load();
  EXPECT_EQ(text_, "old");
  Write("anew.json", "new");
  Load();
  EXPECT_EQ(text_, "new");
}

TEST_F(Source, FileWithoutEndIsReadWhole) {  // larger than one read, and with zero bytes
  std::string text(200000, 'x');
  text[1000] = 0;
  setenv("GRPC_XDS_BOOTSTRAP", Write("long.json", text).c_str(), 1);
  Load();
  EXPECT_EQ(text_, text);
}

TEST_F(Source, MissingFileIsNamedAndNothingElseIsTried) {
  setenv("GRPC_XDS_BOOTSTRAP", "/nowhere/b.json", 1);
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{}", 1);
  Load();
  EXPECT_EQ(code_, GXDS_NOT_FOUND);
  EXPECT_EQ(error_,
            "cannot open the xDS bootstrap file /nowhere/b.json (GRPC_XDS_BOOTSTRAP): "
            "No such file or directory");
}

TEST_F(Source, UnreadableFileIsAnError) {
  std::string directory = testing::TempDir();
  setenv("GRPC_XDS_BOOTSTRAP", directory.c_str(), 1);
  Load();
  EXPECT_EQ(code_, GXDS_UNAVAILABLE);
  EXPECT_EQ(error_, "cannot read the xDS bootstrap from file " + directory +
                        " (GRPC_XDS_BOOTSTRAP): Is a directory");
}

TEST_F(Source, SizeIsBounded) {
  setenv("GRPC_XDS_BOOTSTRAP", "/dev/zero", 1);
  Load();
  EXPECT_EQ(code_, GXDS_INVALID_ARGUMENT);
  EXPECT_EQ(error_,
            "the xDS bootstrap in file /dev/zero (GRPC_XDS_BOOTSTRAP) is larger than the "
            "16777216 bytes allowed");
}

TEST_F(Source, HostsFallbackComesLast) {  // google-c2p sets it
  gxds_host host = {};
  Load(&host);
  EXPECT_EQ(code_, GXDS_NOT_FOUND);
  host.fallback_bootstrap = [](gxds_str*) { return false; };
  Load(&host);
  EXPECT_EQ(code_, GXDS_NOT_FOUND);
  host.fallback_bootstrap = [](gxds_str* out) {
    *out = gxds_str_dup(gxds_str_z("{\"c\": 3}"));
    return true;
  };
  Load(&host);
  EXPECT_EQ(code_, GXDS_OK);
  EXPECT_EQ(text_, "{\"c\": 3}");
  EXPECT_EQ(where_, "gRPC's own fallback bootstrap");
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{}", 1);
  Load(&host);
  EXPECT_EQ(text_, "{}");
  setenv("GRPC_XDS_BOOTSTRAP", "/nowhere/b.json", 1);
  Load(&host);
  EXPECT_EQ(code_, GXDS_NOT_FOUND);  // a wrong path is an error, not a missing bootstrap
}

TEST_F(Source, HostsBootstrapForTheTargetComesFirst) {
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG", "{}", 1);
  gxds_host host = {};
  host.target_bootstrap = [](gxds_str target, gxds_str* out) {
    if (!gxds_str_equal(target, gxds_str_z("xds:///a"))) return false;
    *out = gxds_str_dup(gxds_str_z("{\"c\": 3}"));
    return true;
  };
  Load(&host);
  EXPECT_EQ(code_, GXDS_OK);
  EXPECT_EQ(text_, "{\"c\": 3}");
  EXPECT_EQ(where_, "gRPC's own bootstrap for this target");
  host.target_bootstrap = [](gxds_str, gxds_str*) { return false; };
  Load(&host);
  EXPECT_EQ(text_, "{}");
}

}  // namespace
