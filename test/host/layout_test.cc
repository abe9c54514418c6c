// host/layout_check: the product is not built if the host's library and its headers are of
// different versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/child.h"

namespace {

using gxds_test::Child;
using gxds_test::Runfile;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct Checked {
  int status;
  std::vector<std::string> lines;
};

Checked Check(const std::string& headers) {
  Child child({Runfile("host/layout_check"), Runfile("test/host/" + headers),
               Runfile("test/host/liblayout_of_library.so")});
  const int status = child.Wait();
  return {status, child.Lines()};
}

TEST(LayoutCheck, TheSameClassesAreCounted) {
  const Checked checked = Check("layout_of_headers.a");
  EXPECT_EQ(checked.status, 0);
  EXPECT_THAT(checked.lines, ElementsAre("9 layouts are the same"));
}

TEST(LayoutCheck, EachDifferenceIsNamed) {
  const Checked checked = Check("layout_of_changed_headers.a");
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(
      checked.lines,
      UnorderedElementsAre(
          "layout_check: layout_test::Larger: 24 bytes in the headers, 16 in the library",
          "layout_check: layout_test::Swapped: its virtual function 2 is "
          "layout_test::Swapped::B() in the headers, layout_test::Swapped::A() in the library",
          "layout_check: layout_test::Swapped: its virtual function 3 is "
          "layout_test::Swapped::A() in the headers, layout_test::Swapped::B() in the library",
          "layout_check: layout_test::Retyped: its virtual function 2 is "
          "layout_test::Retyped::A(long) in the headers, layout_test::Retyped::A(int) in the "
          "library",
          "layout_check: layout_test::Final: 4 virtual functions in the headers, 3 in the library",
          "layout_check: layout_test::Gone: the library does not tell its size",
          "layout_check: layout_test::Gone: the library has no table of its virtual functions"));
}

}  // namespace
