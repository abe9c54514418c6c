// Parts of a Markdown file: each from its heading "## X" to the next. So one program can write the
// page, and another one part of it.
#ifndef GRPC_XDS_TEST_BENCH_DOCUMENT_H_
#define GRPC_XDS_TEST_BENCH_DOCUMENT_H_

#include <string>

namespace gxds_bench {

// The part that `make bench PEERS=1` writes.
inline constexpr char kBesideOthers[] = "Beside other clients";

// What stands below that heading; empty: the text does not have it.
std::string PartOf(const std::string& text, const std::string& heading);
// The text with that below that heading, at its end where the text did not have it.
std::string WithPart(const std::string& text, const std::string& heading, const std::string& part);

// A file's text; empty: it can't be read.
std::string TextOf(const std::string& file);
// The same in a file. False: it can't be written (the reason is printed).
bool WritePart(const std::string& file, const std::string& heading, const std::string& part);

}  // namespace gxds_bench

#endif
