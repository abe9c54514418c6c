#include "test/bench/document.h"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace gxds_bench {
namespace {

std::string Head(const std::string& heading) { return "\n## " + heading + "\n\n"; }

}  // namespace

std::string PartOf(const std::string& text, const std::string& heading) {
  const size_t at = text.find(Head(heading));
  if (at == std::string::npos) return "";
  const size_t start = at + Head(heading).size();
  const size_t end = text.find("\n## ", start);
  return text.substr(start, end == std::string::npos ? end : end - start);
}

std::string WithPart(const std::string& text, const std::string& heading, const std::string& part) {
  const size_t at = text.find(Head(heading));
  if (at == std::string::npos) return text + Head(heading) + part;
  const size_t start = at + Head(heading).size();
  return text.substr(0, start) + part + text.substr(start + PartOf(text, heading).size());
}

std::string TextOf(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool WritePart(const std::string& file, const std::string& heading, const std::string& part) {
  const std::string text = WithPart(TextOf(file), heading, part);
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) perror(file.c_str());
  return static_cast<bool>(out);
}

}  // namespace gxds_bench
