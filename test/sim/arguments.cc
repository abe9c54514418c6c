#include "test/sim/arguments.h"

#include <cstdlib>

namespace gxds_sim {
namespace {

// Calls fn for each part between commas. False if fn returns false for a part.
template <typename Fn>
bool EachPart(const std::string &list, Fn fn) {
  size_t at = 0;
  while (at < list.size()) {
    size_t end = std::min(list.find(',', at), list.size());
    if (!fn(list.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

bool ParseDrop(const std::string &value, RunSpec *spec) {
  return EachPart(value, [&](const std::string &part) {
    size_t dash = part.find('-');
    int first = atoi(part.c_str());
    int last = dash == std::string::npos ? first : atoi(part.c_str() + dash + 1);
    spec->drop.emplace_back(first, last);
    return last >= first;
  });
}

bool ParseOff(const std::string &value, RunSpec *spec) {
  return EachPart(value, [&](const std::string &part) {
    Op op = OpOf(part);
    if (op == kOpCount) return false;
    spec->off |= uint64_t{1} << op;
    return true;
  });
}

bool ParseOne(const std::string &name, const std::string &value, Flags *f) {
  if (name == "--seeds") {
    f->seeds = strtoull(value.c_str(), nullptr, 10);
    return f->seeds > 0;
  }
  if (name == "--first-seed") {
    f->first_seed = strtoull(value.c_str(), nullptr, 10);
    return true;
  }
  if (name == "--seed") {
    f->one = true;
    f->spec.seed = strtoull(value.c_str(), nullptr, 10);
    return true;
  }
  if (name == "--threads") {
    f->threads = atoi(value.c_str());
    return f->threads > 0;
  }
  if (name == "--ops") {
    f->spec.op_limit = atoi(value.c_str());
    return f->spec.op_limit >= 0;
  }
  if (name == "--plant") {
    f->spec.plant = PlantOf(value);
    return f->spec.plant != kPlantCount;
  }
  if (name == "--drop") return ParseDrop(value, &f->spec);
  if (name == "--off") return ParseOff(value, &f->spec);
  if (name == "--trace") return f->spec.trace = value.empty();
  if (name == "--no-shrink") {
    f->shrink = false;
    return value.empty();
  }
  if (name == "--help") return f->help = true;
  return false;
}

}  // namespace

bool ParseArguments(const std::vector<std::string> &arguments, Flags *flags, std::string *problem) {
  for (const std::string &argument : arguments) {
    size_t equals = argument.find('=');
    std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (ParseOne(argument.substr(0, equals), value, flags)) continue;
    *problem = "what is " + argument + "?";
    return false;
  }
  return true;
}

}  // namespace gxds_sim
