#include "transport/jwt_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "test/support/child.h"
#include "test/transport/jwt_text.h"

namespace gxds_test {
namespace {

constexpr int64_t kStart = 1700000000;  // seconds since 1970

// A token file, read at made-up times.
class JwtFile : public testing::Test {
 protected:
  JwtFile() : path_(files_.path() + "/token") { Open(path_); }
  ~JwtFile() override { gxds_jwt_file_destroy(file_); }
  void Open(const std::string& path) {
    gxds_jwt_file_destroy(file_);
    file_ = gxds_jwt_file_create(gxds_str_of(path.data(), path.size()), 1);
  }
  void Write(const std::string& text) { files_.Write("token", text); }
  // A token with that subject, which expires that many seconds after kStart.
  static std::string Of(const std::string& subject, int64_t seconds) {
    return Token(subject, kStart + seconds);
  }
  // Sets the time to that many seconds after kStart.
  void At(double seconds) { passed_ = static_cast<gxds_duration>(seconds * GXDS_SECOND); }
  // The token, or the status.
  std::string Get() {
    gxds_str token = {};
    gxds_status status =
        gxds_jwt_file_get(file_, 5 * GXDS_SECOND + passed_, kStart * GXDS_SECOND + passed_, &token);
    std::string text(token.data ? token.data : "", token.size);
    if (!gxds_status_is_ok(&status)) {
      EXPECT_EQ(token.data, nullptr);
      gxds_text rendered = {};
      gxds_status_render(&status, &rendered);
      text = rendered.data;
      gxds_text_fini(&rendered);
    }
    gxds_str_free(&token);
    gxds_status_fini(&status);
    return text;
  }
  std::string CannotRead(const std::string& why) const {
    return "UNAVAILABLE: cannot read the token file " + path_ + " (jwt_token_file): " + why;
  }
  std::string IsBad(const std::string& why) const {
    return "UNAUTHENTICATED: the token in " + path_ + " (jwt_token_file) " + why;
  }

  TempDir files_;
  std::string path_;
  gxds_jwt_file* file_ = nullptr;
  gxds_duration passed_ = 0;
};

TEST_F(JwtFile, TokenIsKeptUntilHalfAMinuteBeforeItExpires) {  // A97.6
  Write(Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600));
  Write(Of("two", 7200));
  At(3600 - 30 - 60 - 1);
  EXPECT_EQ(Get(), Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600)) << "nor was it read for the next";
  At(3600 - 30);
  EXPECT_EQ(Get(), Of("two", 7200));
}

TEST_F(JwtFile, InTheMinuteBeforeThatItIsReadForTheNext) {  // A97.7
  Write(Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600));
  Write(Of("two", 7200));
  At(3600 - 30 - 60);
  EXPECT_EQ(Get(), Of("one", 3600)) << "the one that is kept is handed out meanwhile";
  EXPECT_EQ(Get(), Of("two", 7200));
}

TEST_F(JwtFile, IsNotReadBeforeItIsRequested) {  // A97.11
  At(10);
  Write(Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600));
}

TEST_F(JwtFile, TokenOfTheLastHalfMinuteServesButIsNotKept) {  // A97.6
  Write(Of("one", 20));
  EXPECT_EQ(Get(), Of("one", 20));
  Write(Of("two", 3600));
  EXPECT_EQ(Get(), Of("two", 3600));
}

TEST_F(JwtFile, SpaceAroundTheTokenIsNoneOfIt) {
  Write(" \t" + Of("one", 3600) + "\r\n");
  EXPECT_EQ(Get(), Of("one", 3600));
}

TEST_F(JwtFile, WhatCannotBeReadIsUnavailable) {  // A97.8
  EXPECT_EQ(Get(), CannotRead("No such file or directory"));
  path_ = files_.path();
  Open(path_);
  EXPECT_EQ(Get(), CannotRead("it is no regular file"));
  path_ = files_.path() + "/pipe";
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  Open(path_);
  EXPECT_EQ(Get(), CannotRead("it is no regular file")) << "it is not waited for";
}

TEST_F(JwtFile, WhatIsNoGoodTokenIsUnauthenticated) {  // A97.9
  const std::string secret = "secret";
  Write(secret);
  EXPECT_EQ(Get(), IsBad("does not have the three parts of a JWT"));
  Open(path_);
  Write(TokenOf(R"({"sub":"secret"})"));
  EXPECT_EQ(Get(), IsBad("has no \"exp\""));
  Open(path_);
  Write("");
  EXPECT_EQ(Get(), IsBad("is empty"));
  Open(path_);
  Write(Of(secret, 0));
  EXPECT_EQ(Get(), IsBad("expired at 2023-11-14T22:13:20Z"));
}

TEST_F(JwtFile, IsReadUpToItsLimit) {
  const std::string token = Of("one", 3600);
  Write(token + std::string(GXDS_JWT_BYTES_MAX - token.size(), 'x'));
  EXPECT_EQ(Get().size(), GXDS_JWT_BYTES_MAX);
  Open(path_);
  Write(token + std::string(GXDS_JWT_BYTES_MAX - token.size() + 1, 'x'));
  EXPECT_EQ(Get(), "UNAUTHENTICATED: the token file " + path_ +
                       " (jwt_token_file) is larger than the 65536 bytes allowed");
}

TEST_F(JwtFile, AfterAFailureTheFileIsLeftAloneForABackoff) {  // A97.10
  const std::string failure = Get();
  EXPECT_EQ(failure, CannotRead("No such file or directory"));
  Write(Of("one", 3600));
  At(0.79);  // 1 s less a jitter of 20 %
  EXPECT_EQ(Get(), failure);
  At(1.2);
  EXPECT_EQ(Get(), Of("one", 3600));
}

TEST_F(JwtFile, ResetBackoffIsWaitedForNoLonger) {
  EXPECT_EQ(Get(), CannotRead("No such file or directory"));
  Write(Of("one", 3600));
  gxds_jwt_file_reset_backoff(file_);
  EXPECT_EQ(Get(), Of("one", 3600));
}

TEST_F(JwtFile, BackoffGrowsUntilTheFileIsRead) {  // A97.10, A97.12
  std::string last = Get();
  double now = 0;
  for (double step : {1.0, 1.6, 2.56}) {
    Write(Of("expired at " + std::to_string(step), -1));
    At(now + 0.79 * step);
    EXPECT_EQ(Get(), last);
    At(now += 1.21 * step);
    last = Get();
    EXPECT_EQ(last, IsBad("expired at 2023-11-14T22:13:19Z"));
    ASSERT_EQ(unlink(path_.c_str()), 0);
  }
  Write(Of("one", 30));  // it may be used, but is not kept
  At(now += 1.21 * 4.096);
  EXPECT_EQ(Get(), Of("one", 30));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_EQ(Get(), CannotRead("No such file or directory"));
  Write(Of("two", 3600));
  At(now + 1.21);
  EXPECT_EQ(Get(), Of("two", 3600));
}

TEST_F(JwtFile, WhatIsKeptServesThoughItCannotBeReadAgain) {  // A97.7
  Write(Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  At(3600 - 31);
  EXPECT_EQ(Get(), Of("one", 3600));
  EXPECT_EQ(Get(), Of("one", 3600));
  At(3600 - 30);
  EXPECT_EQ(Get(), CannotRead("No such file or directory")) << "also in the backoff";
}

}  // namespace
}  // namespace gxds_test
