// The words of a resolution note.
#include "xds_resolver/note.h"

#include <gtest/gtest.h>

#include <string>

namespace {

const gxds_str kServer = gxds_str_z("s:1");
const gxds_str kNode = gxds_str_z("n");

struct Note {
  Note &Add(const char *kind, const char *name, const std::string &why) {
    gxds_note_add(&note, kind, gxds_str_z(name), gxds_str_of(why.data(), why.size()));
    return *this;
  }
  std::string Take(gxds_str server = kServer, gxds_str node = kNode) {
    gxds_str taken = gxds_note_take(&note, server, node);
    std::string s(taken.data, taken.size);
    gxds_str_free(&taken);
    return s;
  }
  gxds_note note = {};
};

TEST(Note, WithoutTroublesTellsWhereThingsComeFrom) {
  EXPECT_EQ(Note().Take(), "(xDS server s:1) (node ID:n)");
  EXPECT_EQ(Note().Take(gxds_str_z("")), "(node ID:n)");
  EXPECT_EQ(Note().Take(gxds_str_z(""), gxds_str_z("")), "");
  EXPECT_EQ(Note().Add("CDS resource", "a", "").Take(), "(xDS server s:1) (node ID:n)");
}

TEST(Note, NamesEachResourceAndTellsItsOriginOnce) {
  EXPECT_EQ(Note()
                .Add("CDS resource", "a", "invalid (xDS server s:1) (node ID:n)")
                .Add("EDS resource", "e", "deleted (xDS server s:1) (node ID:n)")
                .Take(),
            "CDS resource a: invalid; EDS resource e: deleted (xDS server s:1) (node ID:n)");
  EXPECT_EQ(Note().Add("DNS name", "h:80", "no such host").Take(),
            "DNS name h:80: no such host (xDS server s:1) (node ID:n)");
}

TEST(Note, SeveralServersAreEachNamed) {
  EXPECT_EQ(Note()
                .Add("CDS resource", "a", "invalid (xDS server s:1) (node ID:n)")
                .Add("EDS resource", "e", "deleted (xDS server t:2) (node ID:n)")
                .Take(),
            "CDS resource a: invalid (xDS server s:1) (node ID:n); "
            "EDS resource e: deleted (xDS server t:2) (node ID:n)");
}

TEST(Note, OneTroubleOfSeveralResourcesIsToldOnce) {
  EXPECT_EQ(
      Note()
          .Add("LDS resource", "l", "down (node ID:n)")
          .Add("RDS resource", "r", "down (node ID:n)")
          .Add("CDS resource", "c", "down (node ID:n)")
          .Add("EDS resource", "c", "bad (node ID:n)")
          .Take(),
      "LDS resource l, RDS resource r, CDS resource c: down; EDS resource c: bad (node ID:n)");
}

TEST(Note, NamesAreEscaped) {
  EXPECT_EQ(Note().Add("CDS resource", "a\nb", "bad (node ID:n)").Take(),
            "CDS resource a\\x0ab: bad (node ID:n)");
}

TEST(Note, ManyTroublesAreCounted) {
  Note note;
  for (int i = 0; i < GXDS_NOTE_TROUBLES_MAX + 3; i++) {
    note.Add("CDS resource", "a", "bad (node ID:n)");
  }
  const std::string text = note.Take();
  const std::string end = ": bad (node ID:n) and 3 more";
  ASSERT_GE(text.size(), end.size());
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

}  // namespace
