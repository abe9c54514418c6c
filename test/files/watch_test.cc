// When a directory is read. The test sets the time.
#include "files/watch.h"

#include <gtest/gtest.h>

#include <string>

namespace {

constexpr gxds_time kStart = 1000 * GXDS_SECOND;

class Watch : public ::testing::Test {
 protected:
  void SetUp() override { gxds_file_watch_init(&watch_, kStart); }
  void TearDown() override { gxds_file_watch_fini(&watch_); }

  void Change(const char *file, gxds_file_watch_change change, int ms) {
    gxds_file_watch_on_change(&watch_, gxds_str_z(file), change, At(ms));
  }
  void Swap(int ms) { gxds_file_watch_on_swap(&watch_, At(ms)); }
  bool Take(int ms) { return gxds_file_watch_take(&watch_, At(ms)); }
  // In milliseconds after the start; -1: never.
  int Deadline() {
    gxds_time t = gxds_file_watch_deadline(&watch_);
    return t == GXDS_TIME_NEVER ? -1 : static_cast<int>((t - kStart) / GXDS_MILLISECOND);
  }
  static gxds_time At(int ms) { return kStart + ms * GXDS_MILLISECOND; }

  gxds_file_watch watch_;
};

TEST_F(Watch, TheFirstReadingIsDueAtOnceAndThenNothing) {
  EXPECT_EQ(Deadline(), 0);
  EXPECT_TRUE(Take(0));
  EXPECT_EQ(Deadline(), -1);
  EXPECT_FALSE(Take(100000));
}

TEST_F(Watch, WhatWasStarvedIsReadAgainThenOrAtTheNextChange) {
  Take(0);
  gxds_file_watch_on_starved(&watch_, At(1000));
  EXPECT_EQ(Deadline(), 1000);
  EXPECT_FALSE(Take(999));
  Change("a", GXDS_FILE_WATCH_REPLACED, 100);
  EXPECT_EQ(Deadline(), 150);
  EXPECT_TRUE(Take(150));
  EXPECT_EQ(Deadline(), -1);
  gxds_file_watch_on_starved(&watch_, At(2000));
  EXPECT_TRUE(Take(2000));
}

TEST_F(Watch, AChangeIsTakenAfter50MillisecondsWithoutEvents) {
  Take(0);
  Change("a", GXDS_FILE_WATCH_REPLACED, 100);
  EXPECT_EQ(Deadline(), 150);
  EXPECT_FALSE(Take(149));
  EXPECT_TRUE(Take(150));
  EXPECT_EQ(Deadline(), -1);
}

TEST_F(Watch, EachEventStartsTheQuietTimeAnew) {
  Take(0);
  for (int ms = 100; ms < 1000; ms += 40) {
    Change(std::to_string(ms).c_str(), GXDS_FILE_WATCH_REPLACED, ms);
    EXPECT_FALSE(Take(ms + 39));
  }
  EXPECT_EQ(Deadline(), 980 + 50);
  EXPECT_TRUE(Take(1030));
}

TEST_F(Watch, ChangesThatNeverPauseAreTakenAfterTenSecondsAllTheSame) {
  Take(0);
  int taken = 0;
  for (int ms = 100; ms < 30000; ms += 40) {
    Change(std::to_string(ms % 3).c_str(), GXDS_FILE_WATCH_REPLACED, ms);
    if (!Take(ms + 39)) continue;
    EXPECT_GE(ms + 39, 10000 * ++taken);
  }
  EXPECT_EQ(taken, 2);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 30000);
  // A file that is being written is not read, however long that takes.
  for (int ms = 30000; ms < 60000; ms += 40) {
    Change("a", GXDS_FILE_WATCH_WRITTEN, ms);
    EXPECT_FALSE(Take(ms + 39));
  }
}

TEST_F(Watch, AFileThatAWriterHasOpenHoldsTheReadingBack) {
  Take(0);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 100);
  EXPECT_FALSE(Take(1000));
  Change("a", GXDS_FILE_WATCH_CLOSED, 1200);
  EXPECT_EQ(Deadline(), 1250);
  EXPECT_TRUE(Take(1250));
}

TEST_F(Watch, EveryOpenFileMustBeClosed) {
  Take(0);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 100);
  Change("b", GXDS_FILE_WATCH_WRITTEN, 110);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 120);
  Change("a", GXDS_FILE_WATCH_CLOSED, 130);
  EXPECT_EQ(Deadline(), 130 + 2000);
  Change("b", GXDS_FILE_WATCH_REPLACED, 140);  // removed
  EXPECT_EQ(Deadline(), 190);
}

TEST_F(Watch, AFileWhoseAttributesChangeIsStillOpen) {
  Take(0);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 100);
  Change("a", GXDS_FILE_WATCH_ATTRIBUTES, 110);
  EXPECT_EQ(Deadline(), 110 + 2000);
  Change("a", GXDS_FILE_WATCH_CLOSED, 120);
  EXPECT_EQ(Deadline(), 170);
  EXPECT_TRUE(Take(170));
  Change("a", GXDS_FILE_WATCH_ATTRIBUTES, 200);
  EXPECT_EQ(Deadline(), 250);
}

TEST_F(Watch, AFileThatIsNeverClosedHoldsNothingBackForEver) {
  Take(0);
  Change("log.yaml", GXDS_FILE_WATCH_WRITTEN, 100);
  EXPECT_EQ(Deadline(), 2100);
  EXPECT_TRUE(Take(2100));
  EXPECT_EQ(Deadline(), -1);
}

TEST_F(Watch, ASwapIsTakenAtOnce) {
  Take(0);
  Swap(100);
  EXPECT_EQ(Deadline(), 100);
  EXPECT_TRUE(Take(100));
  EXPECT_EQ(Deadline(), -1);
}

TEST_F(Watch, ASwapDoesNotWaitForWhatWasWrittenBehindTheOldLink) {
  Take(0);
  Change("a", GXDS_FILE_WATCH_WRITTEN, 90);
  Swap(100);
  EXPECT_TRUE(Take(100));
  Change("b", GXDS_FILE_WATCH_REPLACED, 110);
  EXPECT_EQ(Deadline(), 160);
}

TEST_F(Watch, FilesThatChangedWhileTheyWereReadAreReadAgain) {
  Take(0);
  gxds_file_watch_on_unstable(&watch_, At(10));
  EXPECT_EQ(Deadline(), 60);
  EXPECT_TRUE(Take(60));
}

TEST_F(Watch, MoreOpenFilesThanAreTrackedOnlyCountAsChanges) {
  Take(0);
  for (int i = 0; i < GXDS_FILE_WATCH_OPEN_FILES_MAX + 10; i++) {
    Change(std::to_string(i).c_str(), GXDS_FILE_WATCH_WRITTEN, 100);
  }
  for (int i = 0; i < GXDS_FILE_WATCH_OPEN_FILES_MAX; i++) {
    Change(std::to_string(i).c_str(), GXDS_FILE_WATCH_CLOSED, 100);
  }
  EXPECT_EQ(Deadline(), 150);
}

}  // namespace
