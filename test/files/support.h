// Helpers of the tests of files/.
#ifndef GRPC_XDS_TEST_FILES_SUPPORT_H_
#define GRPC_XDS_TEST_FILES_SUPPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "files/file_errors.h"
#include "files/file_set.h"
#include "files/node.h"

inline gxds_str View(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
inline std::string String(gxds_str s) { return s.size ? std::string(s.data, s.size) : ""; }

inline std::string Take(gxds_text *text) {
  std::string s = String(gxds_text_str(text));
  gxds_text_fini(text);
  return s;
}

// Returns all errors, one on each line, and empties the list.
inline std::string Take(gxds_file_errors *errors) {
  gxds_text text = {};
  gxds_file_errors_render(errors, &text);
  gxds_file_errors_fini(errors);
  return Take(&text);
}

// The nodes in a JSON-like form that distinguishes strings from other scalars. lines: with line
// numbers.
inline std::string Dump(const gxds_file_node *n, bool lines = false) {
  std::string s;
  switch (n->kind) {
    case GXDS_FILE_NODE_STRING:
      s = "'" + String(n->text) + "'";
      break;
    case GXDS_FILE_NODE_LIST:
      for (size_t i = 0; i < n->count; i++) s += (i ? "," : "") + Dump(n->items[i], lines);
      s = "[" + s + "]";
      break;
    case GXDS_FILE_NODE_MAP:
      for (size_t i = 0; i < n->count; i++) {
        s += (i ? "," : "") + String(n->entries[i].key) + ":" + Dump(n->entries[i].value, lines);
      }
      s = "{" + s + "}";
      break;
    default:
      s = String(n->text);
  }
  return lines ? s + "@" + std::to_string(n->line) : s;
}

using Files = std::vector<std::pair<std::string, std::string>>;  // name, contents

inline const gxds_file_set *Build(const gxds_schema *schema, const Files &files,
                                  gxds_file_errors *errors,
                                  const gxds_file_set *previous = nullptr) {
  std::vector<gxds_file_input> inputs;
  for (const auto &file : files) inputs.push_back({View(file.first), View(file.second)});
  return gxds_file_set_build(schema, inputs.data(), inputs.size(), previous, errors);
}

#endif
