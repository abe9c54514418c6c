// Parts of a Markdown file, each from its heading "## X" to the next heading. So one program can
// write the page, and another program one part of it.
#ifndef GRPC_XDS_TEST_BENCH_DOCUMENT_H_
#define GRPC_XDS_TEST_BENCH_DOCUMENT_H_

#include <string>

namespace gxds_bench {

// The heading of the part that `make bench PEERS=1` writes.
inline constexpr char kBesideOthers[] = "Beside other clients";

// The text below that heading; empty if there is no such heading.
std::string PartOf(const std::string& text, const std::string& heading);
// The text with this part below that heading. If there is no such heading, the part is added at the
// end.
std::string WithPart(const std::string& text, const std::string& heading, const std::string& part);

// A file's text; empty if it cannot be read.
std::string TextOf(const std::string& file);
// Does the same in a file. False: it cannot be written, and the reason is printed.
bool WritePart(const std::string& file, const std::string& heading, const std::string& part);

}  // namespace gxds_bench

#endif
