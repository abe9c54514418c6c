#include "test/bench/report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace gxds_bench {

double Sample::Median() const {
  if (values.empty()) return 0;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double Sample::Least() const {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double Sample::Most() const {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

namespace {

std::string Number(double value) {
  char text[32];
  snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.3g", value);
  return text;
}

}  // namespace

std::string Grouped(long number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string Cell(const Sample& s) {
  if (s.values.empty()) return s.beyond > 0 ? "> " + Number(s.beyond) : "–";
  std::string cell = Number(s.Median());
  if (s.values.size() > 1) cell += " (" + Number(s.Least()) + "–" + Number(s.Most()) + ")";
  return cell;
}

namespace {

std::string Ratio(const Sample& over, const Sample& under) {
  if (under.values.empty() || under.Median() <= 0) return "–";
  if (over.values.empty()) {
    return over.beyond > 0 ? "> " + Number(over.beyond / under.Median()) : "–";
  }
  return Number(over.Median() / under.Median());
}

enum class Kind {
  kHostOverOurs,     // at least
  kOursOverPlain,    // at most
  kOursOverOurs,     // at most: this size's value over that of base_size
  kOursBeyondPlain,  // at most, in the row's unit
  kOurs,             // at most, in the row's unit
};

struct Target {
  const char* id;
  long size;
  Kind kind;
  double bound;
  const char* text;
  long base_size = 0;
  const char* base_id = nullptr;  // null: the same row
};

const Target kTargets[] = {
    {"rpc", 0, Kind::kOursOverPlain, 1.015, "unary RPC over plain round_robin: at most +1.5 %"},
    {"routes", 1, Kind::kOursOverPlain, 1.015, "the same, synchronous program"},
    {"routes", 10000, Kind::kOursOverOurs, 1.03, "10,000 exact routes over 1: at most +3 %", 1},
    {"mixed_routes", 10000, Kind::kOursOverOurs, 1.2,
     "10,000 routes of all kinds over 1: at most +20 %", 1, "routes"},
    {"method_config", 0, Kind::kHostOverOurs, 1,
     "unary RPC whose route has a timeout and retries: not more than the host"},
    {"endpoint_change", 10000, Kind::kHostOverOurs, 60,
     "one endpoint of 10,000 changes: at least 60 times less CPU than the host"},
    {"endpoint_change", 10000, Kind::kOursOverPlain, 3,
     "one endpoint of 10,000 changes: at most 3 times the CPU of protobuf's decoding alone"},
    {"endpoint_change_instructions", 10000, Kind::kOursOverPlain, 3,
     "one endpoint of 10,000 changes: at most 3 times the instructions of protobuf's decoding"},
    {"endpoint_change", 10000, Kind::kOursOverOurs, 10,
     "one endpoint of 10,000 changes over one of 1,000: at most 10 times, because it has 10 times "
     "the bytes",
     1000},
    {"decode", 10000, Kind::kOursOverPlain, 2,
     "decode, validate and build EDS: at most 2 times protobuf alone"},
    {"held", 10000, Kind::kOurs, 100, "memory of an endpoint before connecting: at most 100 bytes"},
    {"late", 0, Kind::kOurs, 50, "endpoints 500 ms late: no RPC waits for them, in ms"},
    {"first_endpoints", 10000, Kind::kHostOverOurs, 10,
     "first RPC with 10,000 endpoints: at least 10 times sooner than the host"},
    {"first_clusters", 1000, Kind::kHostOverOurs, 15,
     "first RPC with 1,000 clusters: at least 15 times sooner than the host"},
    {"first_clusters", 5000, Kind::kOurs, 5, "first RPC with 5,000 clusters: under 5 s"},
    {"cluster_change", 5000, Kind::kOursOverOurs, 1.3,
     "EDS of one of 5,000 clusters over one of 100: the same except for the depth of a map", 100},
    {"cluster_change_instructions", 5000, Kind::kOursOverOurs, 1.3, "the same, in instructions",
     100},
    {"cluster_change", 100, Kind::kOursBeyondPlain, 0.1,
     "EDS of one of 100 clusters: at most 0.1 ms of CPU beyond protobuf's decoding alone"},
    {"cluster_change", 5000, Kind::kOursBeyondPlain, 0.1, "the same for 5,000"},
    {"idle_update", 0, Kind::kOurs, 20, "idle synchronous client, update to use: under 20 ms"},
    {"moved", 0, Kind::kHostOverOurs, 1, "EDS moved, to the first RPC there: not slower"},
};

const Row* Find(const std::deque<Row>& rows, const std::string& id, long size) {
  for (const Row& r : rows) {
    if (r.id == id && r.size == size) return &r;
  }
  return nullptr;
}

enum class Verdict { kMet, kWithinSpread, kMissed, kFailed, kNotMeasured };

const char* Name(Verdict v) {
  switch (v) {
    case Verdict::kMet:
      return "met";
    case Verdict::kWithinSpread:
      return "missed, within the spread";
    case Verdict::kMissed:
      return "missed";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kNotMeasured:
      break;
  }
  return "not measured";
}

struct Judgement {
  Verdict verdict;
  std::optional<double> measured;
};

// Whether ours was measured and gave no value.
bool HasFailed(const Row& r) { return r.ours.values.empty() && !r.is_of_plain_alone; }

Judgement Judge(const Target& t, const std::deque<Row>& rows) {
  const Row* row = Find(rows, t.id, t.size);
  const Row* base = t.kind == Kind::kOursOverOurs
                        ? Find(rows, t.base_id == nullptr ? t.id : t.base_id, t.base_size)
                        : row;
  for (const Row* r : {row, base}) {
    if (r != nullptr && HasFailed(*r)) return {Verdict::kFailed, {}};
  }
  if (row == nullptr || base == nullptr) return {Verdict::kNotMeasured, {}};
  static const Sample one = {{1}};
  const bool is_beyond = t.kind == Kind::kOursBeyondPlain;
  const bool at_least = t.kind == Kind::kHostOverOurs;
  const Sample& over = at_least ? row->host : row->ours;
  const Sample& under = t.kind == Kind::kOurs                         ? one
                        : is_beyond || t.kind == Kind::kOursOverPlain ? base->plain
                                                                      : base->ours;
  if (over.values.empty() || under.values.empty()) return {Verdict::kNotMeasured, {}};
  auto measure = [&](double a, double b) { return is_beyond ? a - b : a / b; };
  auto reaches = [&](double value) { return at_least ? value >= t.bound : value <= t.bound; };
  const double measured = measure(over.Median(), under.Median());
  if (reaches(measured)) return {Verdict::kMet, measured};
  // The best value within the spread of the runs.
  const double best =
      at_least ? measure(over.Most(), under.Least()) : measure(over.Least(), under.Most());
  return {reaches(best) ? Verdict::kWithinSpread : Verdict::kMissed, measured};
}

}  // namespace

Row& Report::At(const std::string& id, long size, const std::string& title,
                const std::string& unit) {
  for (Row& r : rows_) {
    if (r.id == id && r.size == size) return r;
  }
  Row row;
  row.id = id;
  row.size = size;
  row.title = title;
  row.unit = unit;
  rows_.push_back(std::move(row));
  return rows_.back();
}

void Report::WriteLines(FILE* out) const {
  fprintf(out, "row\tsize\tunit\tvariant\tmedian\tleast\tmost\truns\n");
  for (const Row& r : rows_) {
    const std::pair<const char*, const Sample*> variants[] = {
        {"plain", &r.plain}, {"host", &r.host}, {"ours", &r.ours}};
    for (const auto& [name, s] : variants) {
      if (s->values.empty()) continue;
      fprintf(out, "%s\t%ld\t%s\t%s\t%.9g\t%.9g\t%.9g\t%zu\n", r.id.c_str(), r.size, r.unit.c_str(),
              name, s->Median(), s->Least(), s->Most(), s->values.size());
    }
  }
}

void Report::WriteTable(FILE* out) const {
  fprintf(out,
          "| | unit | plain gRPC | host's xDS | ours | host over ours | ours over plain |\n"
          "|---|---|---|---|---|---|---|\n");
  for (const Row& r : rows_) {
    fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", r.title.c_str(), r.unit.c_str(),
            Cell(r.plain).c_str(), Cell(r.host).c_str(), Cell(r.ours).c_str(),
            Ratio(r.host, r.ours).c_str(), Ratio(r.ours, r.plain).c_str());
  }
}

void Report::WriteTargets(FILE* out) const {
  fprintf(out, "| target | measured | |\n|---|---|---|\n");
  for (const Target& t : kTargets) {
    const Judgement j = Judge(t, rows_);
    fprintf(out, "| %s | %s | %s |\n", t.text, j.measured ? Number(*j.measured).c_str() : "–",
            Name(j.verdict));
  }
  for (const Row& r : rows_) {
    if (HasFailed(r)) fprintf(out, "| %s | – | failed |\n", r.title.c_str());
  }
}

bool Report::Passes() const {
  auto missed = [this](const Target& t) { return Judge(t, rows_).verdict == Verdict::kMissed; };
  return std::none_of(std::begin(kTargets), std::end(kTargets), missed) &&
         std::none_of(rows_.begin(), rows_.end(), HasFailed);
}

}  // namespace gxds_bench
