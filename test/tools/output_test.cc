#include "tools/serve/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

namespace {

class Output : public ::testing::TestWithParam<bool> {
 protected:
  Output() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    reader_ = fdopen(ends_[0], "r");
    output_ = gxds_serve_output_start(ends_[1], GetParam());
  }
  ~Output() override { fclose(reader_); }

  void Print(const std::string &detail) {
    gxds_serve_event event = {};
    event.kind = GXDS_SERVE_WARNING;
    event.detail = gxds_str_of(detail.data(), detail.size());
    gxds_serve_output_print(output_, &event);
  }
  // Without its newline.
  std::string ReadLine() {
    std::string line;
    for (int c; (c = getc_unlocked(reader_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return line;
  }
  std::string Line(const std::string &detail) const {
    return GetParam() ? R"({"event":"warning","detail":")" + detail + "\"}" : "warning: " + detail;
  }

  int ends_[2];
  FILE *reader_;
  gxds_serve_output *output_;
};

TEST_P(Output, EventsThatNobodyReadsAreCountedInTheirPlace) {
  constexpr int kEvents = 40;
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < kEvents; ++i) Print(large);
  int read = 0;
  std::string line;
  while ((line = ReadLine()) == Line(large)) ++read;
  EXPECT_GE(read, 15);
  EXPECT_LT(read, kEvents);
  EXPECT_EQ(line, Line(std::to_string(kEvents - read) +
                       " events are missing here, because the output was not read"));
  Print("next");
  EXPECT_EQ(ReadLine(), Line("next"));
  EXPECT_TRUE(gxds_serve_output_stop(output_));
}

TEST_P(Output, WhatWaitsIsWrittenAtTheEnd) {
  Print("a");
  Print("b");
  EXPECT_TRUE(gxds_serve_output_stop(output_));
  EXPECT_EQ(ReadLine(), Line("a"));
  EXPECT_EQ(ReadLine(), Line("b"));
}

TEST_P(Output, TheEndDoesNotWaitForAReaderThatStoppedReading) {
  Print(std::string(1 << 20, 'x'));
  EXPECT_FALSE(gxds_serve_output_stop(output_));
  while (ReadLine().empty()) {
  }
}

TEST_P(Output, TheEndWaitsForAReaderThatIsSlow) {
  const std::string large(3 * fcntl(ends_[1], F_GETPIPE_SZ), 'x');
  Print(large);
  std::string line;
  std::thread slow([&] {
    char part[4096];
    for (int i = 0; i < 16; ++i) {  // for longer than it waits for a reader that stopped reading
      usleep(100 * 1000);
      line.append(part, static_cast<size_t>(read(ends_[0], part, sizeof part)));
    }
    line += ReadLine();
  });
  EXPECT_TRUE(gxds_serve_output_stop(output_));
  slow.join();
  EXPECT_EQ(line, Line(large));
}

INSTANTIATE_TEST_SUITE_P(Json, Output, ::testing::Bool());

TEST(OutputErrors, AnErrorIsReported) {
  testing::internal::CaptureStderr();
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  gxds_serve_output *output = gxds_serve_output_start(full, false);
  gxds_serve_event event = {};
  event.kind = GXDS_SERVE_RESOURCES;
  gxds_serve_output_print(output, &event);
  EXPECT_FALSE(gxds_serve_output_stop(output));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "xds serve: the output cannot be written: No space left on device\n");
  close(full);
}

}  // namespace
