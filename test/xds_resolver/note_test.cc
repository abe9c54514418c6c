// The text of a resolution note.
#include "xds_resolver/note.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

const gxds_str kServer = gxds_str_z("s:1");
const gxds_str kNode = gxds_str_z("n");

struct Note {
  ~Note() {
    for (const gxds_error *e : errors) gxds_error_unref(e);
  }
  const gxds_error *New(gxds_code code, const char *message, gxds_str server, gxds_str node) {
    gxds_text text = {};
    gxds_text_add_z(&text, message);
    errors.push_back(gxds_error_create(code, &text, server, node));
    return errors.back();
  }
  Note &Add(const char *kind, const char *name, const char *message, const char *server = "s:1",
            const char *node = "n") {
    gxds_note_add(&note, kind, gxds_str_z(name),
                  New(GXDS_UNAVAILABLE, message, gxds_str_z(server), gxds_str_z(node)));
    return *this;
  }
  std::string Take(gxds_str server = kServer, gxds_str node = kNode) {
    errors.push_back(gxds_note_take(&note, New(GXDS_OK, "", server, node)));
    const gxds_error *taken = errors.back();
    gxds_str text = gxds_error_text(taken);
    std::string s(text.size ? text.data : "", text.size);
    gxds_str_free(&text);
    EXPECT_EQ(taken->code == GXDS_OK, taken->message.size == 0);
    return s;
  }
  gxds_note note = {};
  std::vector<const gxds_error *> errors;
};

TEST(Note, WithoutErrorsNamesTheOriginOfEachResource) {
  EXPECT_EQ(Note().Take(), "(xDS server s:1) (node ID:n)");
  EXPECT_EQ(Note().Take(gxds_str_z("")), "(node ID:n)");
  EXPECT_EQ(Note().Take(gxds_str_z(""), gxds_str_z("")), "");
  EXPECT_EQ(Note().Add("CDS resource", "a", "").Take(), "(xDS server s:1) (node ID:n)");
}

TEST(Note, NamesEachResourceAndItsOriginOnce) {
  EXPECT_EQ(Note().Add("CDS resource", "a", "invalid").Add("EDS resource", "e", "deleted").Take(),
            "CDS resource a: invalid; EDS resource e: deleted (xDS server s:1) (node ID:n)");
  EXPECT_EQ(Note().Add("DNS name", "h:80", "no such host", "", "").Take(),
            "DNS name h:80: no such host (xDS server s:1) (node ID:n)");
}

TEST(Note, SeveralServersAreEachNamed) {
  EXPECT_EQ(
      Note().Add("CDS resource", "a", "invalid").Add("EDS resource", "e", "deleted", "t:2").Take(),
      "CDS resource a: invalid (xDS server s:1) (node ID:n); "
      "EDS resource e: deleted (xDS server t:2) (node ID:n)");
}

TEST(Note, OneErrorOfSeveralResourcesIsReportedOnce) {
  EXPECT_EQ(
      Note()
          .Add("LDS resource", "l", "down", "")
          .Add("RDS resource", "r", "down", "")
          .Add("CDS resource", "c", "down", "")
          .Add("EDS resource", "c", "bad", "")
          .Take(),
      "LDS resource l, RDS resource r, CDS resource c: down; EDS resource c: bad (node ID:n)");
}

TEST(Note, AnOriginIsNamedUpToWhatTheNextOneRepeats) {
  EXPECT_EQ(Note().Add("CDS resource", "a", "bad").Add("EDS resource", "e", "down", "").Take(),
            "CDS resource a: bad (xDS server s:1); EDS resource e: down (node ID:n)");
  EXPECT_EQ(Note().Add("CDS resource", "a", "down", "").Add("EDS resource", "e", "bad").Take(),
            "CDS resource a: down; EDS resource e: bad (xDS server s:1) (node ID:n)");
}

// A server's text that looks like part of our format stays unchanged.
TEST(Note, TextThatLooksLikeStructureIsText) {
  EXPECT_EQ(Note()
                .Add("CDS resource", "a", "x (xDS server s:1) (node ID:n)")
                .Add("EDS resource", "e", "y; CDS resource b: z (node ID:n)")
                .Take(),
            "CDS resource a: x (xDS server s:1) (node ID:n); EDS resource e: y; "
            "CDS resource b: z (node ID:n) (xDS server s:1) (node ID:n)");
  EXPECT_EQ(Note().Add("DNS name", "h:80", "(node ID:n)", "", "").Take(),
            "DNS name h:80: (node ID:n) (xDS server s:1) (node ID:n)");
}

// The note of a cluster below, as an aggregate reports it.
TEST(Note, OfAClusterBelowIsOneErrorWithItsOrigin) {
  Note below;
  below.Add("CDS resource", "b", "gone", "t:2").Take();
  Note note;
  gxds_note_add(&note.note, "CDS resource", gxds_str_z("a"), below.errors.back());
  EXPECT_EQ(note.Add("CDS resource", "c", "gone", "t:2").Take(),
            "CDS resource a: CDS resource b: gone; "
            "CDS resource c: gone (xDS server t:2) (node ID:n)");
}

TEST(Note, NamesAreEscaped) {
  EXPECT_EQ(Note().Add("CDS resource", "a\nb", "bad", "").Take(),
            "CDS resource a\\x0ab: bad (node ID:n)");
}

TEST(Note, ManyErrorsAreCounted) {
  Note note;
  for (int i = 0; i < GXDS_NOTE_ERRORS_MAX + 3; i++) {
    note.Add("CDS resource", "a", "bad", "");
  }
  const std::string text = note.Take();
  const std::string end = ": bad (node ID:n) and 3 more";
  ASSERT_GE(text.size(), end.size());
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

}  // namespace
