// Which addresses are ejected, and until when (A50).
#include "lb_policies/outlier_detection/outliers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"

namespace {

gxds_str S(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

// Settings of 10 s, 30 s, 300 s, and at most half of the addresses. Both algorithms are off.
gxds_outlier_detection Off() {
  return {10 * GXDS_SECOND, 30 * GXDS_SECOND, 300 * GXDS_SECOND, 50, {}, {}};
}
// Ejects at more than that percentage of failures, of at least 10 RPCs.
gxds_outlier_detection ByFailures(uint32_t threshold, uint32_t minimum_hosts = 1) {
  gxds_outlier_detection s = Off();
  s.failure_percentage = {100, threshold, minimum_hosts, 10};
  return s;
}
// Ejects below the mean minus that many thousandths of the standard deviation, of at least 10 RPCs.
gxds_outlier_detection BySuccessRate(uint32_t factor, uint32_t minimum_hosts = 1) {
  gxds_outlier_detection s = Off();
  s.success_rate = {100, factor, minimum_hosts, 10};
  return s;
}

class Scenario {
 public:
  explicit Scenario(const gxds_outlier_detection& settings, size_t addresses = 4)
      : outliers_(gxds_outliers_create(1)) {
    for (size_t i = 0; i < addresses; i++) Add(std::string(1, static_cast<char>('a' + i)));
    Configure(settings, addresses);
  }
  ~Scenario() { gxds_outliers_destroy(outliers_); }

  void Add(const std::string& address) {
    tokens_[address] = gxds_outliers_add(outliers_, S(address));
  }
  void Remove(const std::string& address) { gxds_outliers_remove(outliers_, tokens_[address]); }
  std::string Configure(const gxds_outlier_detection& settings, size_t addresses = 4) {
    gxds_outliers_on_config(outliers_, &settings, addresses, now_);
    return Changes();
  }
  void Calls(const std::string& address, int ok, int failed) {
    gxds_call_results* r = gxds_outliers_results(outliers_, tokens_[address]);
    for (int i = 0; i < ok; i++) gxds_call_results_add(r, true);
    for (int i = 0; i < failed; i++) gxds_call_results_add(r, false);
  }
  // Lets an interval pass. Returns the changes, as "-a" (ejected) and "+a".
  std::string Interval() {
    now_ = gxds_outliers_deadline(outliers_);
    gxds_outliers_on_deadline(outliers_, now_);
    return Changes();
  }
  std::string Pass(gxds_duration time) {
    gxds_time end = now_ + time;
    std::string out;
    while (gxds_outliers_deadline(outliers_) <= end) out += Interval();
    now_ = end;
    return out;
  }
  bool Ejected(const std::string& address) {
    return gxds_outliers_ejected(outliers_, tokens_[address]);
  }
  gxds_outliers* get() { return outliers_; }
  gxds_time now() const { return now_; }
  void Wait(gxds_duration time) { now_ += time; }

 private:
  std::string Changes() {
    std::string out;
    uint64_t token;
    while (gxds_outliers_next(outliers_, &token)) {
      for (const auto& [address, known] : tokens_) {
        if (known == token) out += (gxds_outliers_ejected(outliers_, token) ? "-" : "+") + address;
      }
    }
    return out;
  }

  gxds_outliers* const outliers_;
  gxds_time now_ = 1000 * GXDS_SECOND;
  std::map<std::string, uint64_t> tokens_;
};

TEST(Outliers, FailurePercentageAboveTheThresholdEjects) {  // A50.14
  Scenario s(ByFailures(50));
  s.Calls("a", 49, 51);
  s.Calls("b", 50, 50);
  s.Calls("c", 100, 0);
  EXPECT_EQ(s.Interval(), "-a") << "not what is at the threshold";
  EXPECT_TRUE(s.Ejected("a"));
}

TEST(Outliers, TooFewCallsProveNothing) {  // A50.15
  Scenario s(ByFailures(50));
  s.Calls("a", 0, 9);
  EXPECT_EQ(s.Interval(), "");
  s.Calls("a", 0, 9);
  EXPECT_EQ(s.Interval(), "") << "each interval counts for itself";
  s.Calls("a", 0, 10);
  EXPECT_EQ(s.Interval(), "-a");
}

TEST(Outliers, TooFewHostsProveNothing) {  // A50.12
  Scenario s(ByFailures(50, 3));
  s.Calls("a", 0, 10);
  s.Calls("b", 10, 0);
  EXPECT_EQ(s.Interval(), "");
  for (const char* h : {"b", "c"}) s.Calls(h, 10, 0);
  s.Calls("a", 0, 10);
  EXPECT_EQ(s.Interval(), "-a");
}

TEST(Outliers, SuccessRateFarBelowTheOthersEjects) {  // A50.12, A50.13
  Scenario s(BySuccessRate(1500));
  for (const char* h : {"a", "b", "c"}) s.Calls(h, 100, 0);
  s.Calls("d", 50, 50);
  // Mean 0.875, standard deviation 0.2165: the threshold is 0.55.
  EXPECT_EQ(s.Interval(), "-d");
  Scenario t(BySuccessRate(1900));
  for (const char* h : {"a", "b", "c"}) t.Calls(h, 100, 0);
  t.Calls("d", 50, 50);
  EXPECT_EQ(t.Interval(), "") << "the threshold is 0.46";
}

TEST(Outliers, SuccessRateOfAllTheSameEjectsNobody) {  // A50.13
  Scenario s(BySuccessRate(1000));
  for (const char* h : {"a", "b", "c", "d"}) s.Calls(h, 0, 100);
  EXPECT_EQ(s.Interval(), "");
}

// The mean of equal rates is not greater than each of them.
TEST(Outliers, EqualSuccessRatesEjectNobodyEvenWithASmallFactor) {  // A50.13
  struct Case {
    size_t addresses;
    int ok, failed;
  };
  for (const Case& c : std::vector<Case>{{9, 100, 0}, {21, 100, 0}, {6, 12, 88}, {5, 11, 89}}) {
    Scenario s(BySuccessRate(100), c.addresses);
    for (size_t i = 0; i < c.addresses; i++) {
      s.Calls(std::string(1, static_cast<char>('a' + i)), c.ok, c.failed);
    }
    EXPECT_EQ(s.Interval(), "") << c.addresses << " addresses with " << c.ok << " % of successes";
  }
}

TEST(Outliers, NoMoreThanTheirShareIsEjected) {  // A50.16
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 26;
  Scenario s(settings);
  for (const char* h : {"a", "b", "c", "d"}) s.Calls(h, 0, 100);
  EXPECT_EQ(s.Interval(), "-a-b") << "asked before each: 0 %, 25 %, 50 %";
  settings.max_ejection_percent = 0;
  Scenario none(settings);
  none.Calls("a", 0, 100);
  EXPECT_EQ(none.Interval(), "");
}

TEST(Outliers, AddressesWithoutSubchannelsCountInTheShare) {  // A50, A75
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 26;
  Scenario s(settings, 2);
  s.Configure(settings, 100);
  s.Calls("a", 0, 100);
  s.Calls("b", 0, 100);
  EXPECT_EQ(s.Interval(), "-a-b");
}

TEST(Outliers, AddressesThatTheConfigHasNoMoreDoNotCountInTheShare) {  // A50.16
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 26;
  Scenario s(settings, 4);
  s.Configure(settings, 2);
  for (const char* h : {"a", "b"}) s.Calls(h, 0, 100);
  EXPECT_EQ(s.Interval(), "-a") << "c and d are kept for a while";
}

TEST(Outliers, AnEjectedAddressThatIsRemovedMakesRoomForAnother) {  // A50.16
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 25;
  Scenario s(settings);
  s.Calls("a", 0, 100);
  EXPECT_EQ(s.Interval(), "-a");
  s.Calls("b", 0, 100);
  EXPECT_EQ(s.Interval(), "") << "one of four is the limit";
  s.Remove("a");
  s.Add("e");
  s.Calls("e", 0, 100);
  EXPECT_EQ(s.Interval(), "-e");
}

TEST(Outliers, AnAddressThatReturnsIsNotEjectedBeyondTheShare) {  // A50.16
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 25;
  Scenario s(settings);
  s.Calls("a", 0, 100);
  EXPECT_EQ(s.Interval(), "-a");
  s.Remove("a");
  s.Calls("b", 0, 100);
  EXPECT_EQ(s.Interval(), "-b");
  s.Add("a");
  EXPECT_FALSE(s.Ejected("a"));
  EXPECT_TRUE(s.Ejected("b"));
}

TEST(Outliers, EnforcementDecidesByChance) {  // A50.17
  gxds_outlier_detection settings = ByFailures(50);
  settings.failure_percentage.enforcement_percentage = 30;
  settings.max_ejection_percent = 100;
  settings.base_ejection_time = 0;
  settings.max_ejection_time = 0;
  Scenario s(settings, 1);
  int ejected = 0;
  for (int i = 0; i < 10000; i++) {
    s.Calls("a", 0, 10);
    if (s.Interval() == "-a") ejected++;
    s.Interval();  // the ejection ends
  }
  EXPECT_NEAR(ejected, 3000, 200);
}

// The outliers found since the last call, at the places of the enum: ejected, spared by chance, and
// beyond the ejection limit, each by success rate and by failure percentage.
std::vector<uint64_t> Found(Scenario* s) {
  const gxds_outliers_found found = gxds_outliers_take_found(s->get());
  return {found.counts, found.counts + GXDS_COUNT_OUTLIERS};
}
using Counts = std::vector<uint64_t>;

TEST(OutliersFound, AnEjectionCountsByTheMethodThatFoundTheOutlier) {  // A91.1
  Scenario failing(ByFailures(50));
  failing.Calls("a", 0, 100);
  EXPECT_EQ(failing.Interval(), "-a");
  EXPECT_EQ(Found(&failing), (Counts{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(Found(&failing), (Counts{0, 0, 0, 0, 0, 0})) << "once";
  Scenario unlike(BySuccessRate(1000));
  for (const char* h : {"a", "b", "c"}) unlike.Calls(h, 100, 0);
  unlike.Calls("d", 0, 100);
  EXPECT_EQ(unlike.Interval(), "-d");
  EXPECT_EQ(Found(&unlike), (Counts{1, 0, 0, 0, 0, 0}));
}

TEST(OutliersFound, ThoseBeyondTheShareAreNotEnforced) {  // A91.3
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_percent = 26;
  Scenario s(settings);
  for (const char* h : {"a", "b", "c"}) s.Calls(h, 0, 100);
  s.Calls("d", 100, 0);
  EXPECT_EQ(s.Interval(), "-a-b");
  EXPECT_EQ(Found(&s), (Counts{0, 2, 0, 0, 0, 1})) << "d is none, whatever the share";
  for (const char* h : {"a", "b", "c"}) s.Calls(h, 0, 100);
  EXPECT_EQ(s.Interval(), "");
  EXPECT_EQ(Found(&s), (Counts{0, 0, 0, 0, 0, 1})) << "what is ejected is not found again";
}

TEST(OutliersFound, ThoseThatChanceSparesAreNotEnforced) {  // A91.2
  gxds_outlier_detection settings = BySuccessRate(1000);
  settings.success_rate.enforcement_percentage = 1;
  settings.failure_percentage = {1, 50, 1, 10};
  Scenario s(settings);
  for (const char* h : {"a", "b", "c"}) s.Calls(h, 100, 0);
  s.Calls("d", 0, 100);
  EXPECT_EQ(s.Interval(), "");
  EXPECT_EQ(Found(&s), (Counts{0, 0, 1, 1, 0, 0})) << "each method by itself";
}

TEST(Outliers, EjectionLastsLongerEachTime) {  // A50.8
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_time = 70 * GXDS_SECOND;
  Scenario s(settings);
  auto eject = [&] {
    s.Calls("a", 0, 100);
    return s.Interval();
  };
  EXPECT_EQ(eject(), "-a");
  EXPECT_EQ(s.Pass(30 * GXDS_SECOND), "") << "only after that time";
  EXPECT_EQ(s.Pass(10 * GXDS_SECOND), "+a");
  EXPECT_EQ(eject(), "-a");
  EXPECT_EQ(s.Pass(60 * GXDS_SECOND), "");
  EXPECT_EQ(s.Pass(10 * GXDS_SECOND), "+a");
  EXPECT_EQ(eject(), "-a");
  EXPECT_EQ(s.Pass(70 * GXDS_SECOND), "") << "never longer than the maximum";
  EXPECT_EQ(s.Pass(10 * GXDS_SECOND), "+a");
}

TEST(Outliers, GoodBehaviourShortensTheNextEjection) {  // A50.7
  Scenario s(ByFailures(50));
  for (int i = 0; i < 2; i++) {
    s.Calls("a", 0, 100);
    s.Interval();
    s.Pass((30 * (i + 1) + 10) * GXDS_SECOND);
    EXPECT_FALSE(s.Ejected("a"));
  }
  s.Pass(20 * GXDS_SECOND);  // two intervals
  s.Calls("a", 0, 100);
  EXPECT_EQ(s.Interval(), "-a");
  EXPECT_EQ(s.Pass(40 * GXDS_SECOND), "+a") << "as if it were the first time";
}

TEST(Outliers, BaseTimeHoldsThoughTheMaximumIsLess) {  // A50.9
  gxds_outlier_detection settings = ByFailures(50);
  settings.max_ejection_time = GXDS_SECOND;
  Scenario s(settings);
  s.Calls("a", 0, 100);
  s.Interval();
  EXPECT_EQ(s.Pass(30 * GXDS_SECOND), "");
  EXPECT_EQ(s.Pass(10 * GXDS_SECOND), "+a");
}

TEST(Outliers, SwitchedOffFreesAll) {  // A50.11
  Scenario s(ByFailures(50));
  s.Calls("a", 0, 100);
  s.Interval();
  EXPECT_TRUE(gxds_outliers_counting(s.get()));
  EXPECT_EQ(s.Configure(Off()), "+a");
  EXPECT_FALSE(gxds_outliers_counting(s.get()));
  EXPECT_EQ(gxds_outliers_deadline(s.get()), GXDS_TIME_NEVER);
  s.Calls("a", 0, 100);
  s.Configure(ByFailures(50));
  EXPECT_EQ(s.Interval(), "") << "what was counted before does not count";
}

TEST(Outliers, NewIntervalCountsFromTheLastStart) {  // A50.10
  Scenario s(ByFailures(50));
  gxds_time start = s.now();
  s.Wait(4 * GXDS_SECOND);
  gxds_outlier_detection settings = ByFailures(50);
  s.Configure(settings);
  EXPECT_EQ(gxds_outliers_deadline(s.get()), start + 10 * GXDS_SECOND)
      << "an update does not delay it";
  settings.interval = 5 * GXDS_SECOND;
  s.Configure(settings);
  EXPECT_EQ(gxds_outliers_deadline(s.get()), start + 5 * GXDS_SECOND);
  settings.interval = 0;
  s.Configure(settings);
  EXPECT_GT(gxds_outliers_deadline(s.get()), start);
}

TEST(Outliers, AddressThatComesBackIsStillEjected) {
  Scenario s(ByFailures(50));
  s.Calls("a", 0, 100);
  s.Interval();
  s.Remove("a");
  s.Add("a");
  EXPECT_TRUE(s.Ejected("a"));
  s.Remove("a");
  s.Pass(3600 * GXDS_SECOND);
  s.Add("a");
  EXPECT_FALSE(s.Ejected("a"));
}

TEST(Outliers, CountsCallsOfAllThreads) {  // A50.4
  gxds_call_results* r = gxds_call_results_create();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([r] {
      for (int i = 0; i < 10000; i++) gxds_call_results_add(r, i % 4 != 0);
    });
  }
  uint64_t ok = 0, failed = 0, more_ok, more_failed;
  for (int i = 0; i < 100; i++) {
    gxds_call_results_turn(r, &more_ok, &more_failed);
    ok += more_ok;
    failed += more_failed;
  }
  for (auto& t : threads) t.join();
  gxds_call_results_turn(r, &more_ok, &more_failed);
  EXPECT_EQ(ok + more_ok, 30000u);
  EXPECT_EQ(failed + more_failed, 10000u);
  gxds_call_results_unref(r);
}

// A50 implemented a second time, as simply as possible.
class Model {
 public:
  struct Host {
    std::string address;
    int subchannels = 0, multiplier = 0;
    bool ejected = false;
    gxds_time since = 0;
    uint64_t ok = 0, failed = 0;
  };

  explicit Model(uint64_t seed) : random_{seed} {}

  Host& At(const std::string& address) {
    for (Host& h : hosts) {
      if (h.address == address) return h;
    }
    hosts.push_back({address});
    return hosts.back();
  }
  void Add(const std::string& address) {
    Host& h = At(address);
    if (h.subchannels == 0 && h.ejected && Enough()) h.ejected = false;
    h.subchannels++;
  }
  void Remove(const std::string& address) {
    At(address).subchannels--;
    Forget();
  }
  void Configure(const gxds_outlier_detection& s, size_t addresses) {
    bool was_on = on_;
    settings_ = s;
    addresses_ = addresses;
    on_ = s.success_rate.enforcement_percentage || s.failure_percentage.enforcement_percentage;
    for (Host& h : hosts) {
      if (!on_) h.ejected = false, h.multiplier = 0;
      if (on_ && !was_on) h.ok = h.failed = 0;
    }
    if (!on_) Forget();
  }
  void Interval(gxds_time now) {
    if (settings_.success_rate.enforcement_percentage) SuccessRate(now);
    if (settings_.failure_percentage.enforcement_percentage) FailurePercentage(now);
    for (Host& h : hosts) {
      gxds_duration base = settings_.base_ejection_time;
      if (!h.ejected) {
        h.multiplier = std::max(0, h.multiplier - 1);
      } else if (now > h.since + std::min(base * h.multiplier,
                                          std::max(base, settings_.max_ejection_time))) {
        h.ejected = false;
      }
      h.ok = h.failed = 0;
    }
    Forget();
  }

  std::vector<Host> hosts;

 private:
  void Forget() {
    hosts.erase(std::remove_if(hosts.begin(), hosts.end(),
                               [](const Host& h) {
                                 return h.subchannels == 0 && !h.ejected && h.multiplier == 0;
                               }),
                hosts.end());
  }
  std::vector<Host*> WithVolume(uint32_t volume) {
    std::vector<Host*> out;
    for (Host& h : hosts) {
      if (h.ok + h.failed > 0 && h.ok + h.failed >= volume) out.push_back(&h);
    }
    return out;
  }
  bool Enough() {
    size_t ejected = 0;
    for (Host& h : hosts) ejected += h.ejected && h.subchannels > 0;
    size_t all = addresses_ > 0 ? addresses_ : hosts.size();
    return 100.0 * ejected / all >= settings_.max_ejection_percent;
  }
  void MaybeEject(Host* h, uint32_t enforcement, gxds_time now) {
    if (gxds_random_next(&random_) % 100 >= enforcement) return;
    h->ejected = true;
    h->since = now;
    h->multiplier++;
  }
  void SuccessRate(gxds_time now) {
    const gxds_ejection& e = settings_.success_rate;
    auto hosts = WithVolume(e.request_volume);
    if (hosts.empty() || hosts.size() < e.minimum_hosts) return;
    auto rate = [](const Host& h) { return double(h.ok) / (h.ok + h.failed); };
    double differences = 0, variance = 0;
    for (Host* h : hosts) differences += rate(*h) - rate(*hosts[0]);
    double mean = rate(*hosts[0]) + differences / hosts.size();
    for (Host* h : hosts) {
      double off = rate(*h) - mean;
      variance += off * off / hosts.size();
    }
    double threshold = mean - std::sqrt(variance) * (e.threshold / 1000.0);
    for (Host* h : hosts) {
      if (Enough()) return;
      if (!h->ejected && rate(*h) < threshold) {
        MaybeEject(h, e.enforcement_percentage, now);
      }
    }
  }
  void FailurePercentage(gxds_time now) {
    const gxds_ejection& e = settings_.failure_percentage;
    auto hosts = WithVolume(e.request_volume);
    if (hosts.empty() || hosts.size() < e.minimum_hosts) return;
    for (Host* h : hosts) {
      if (Enough()) return;
      if (!h->ejected && h->failed * 100 > e.threshold * (h->ok + h->failed)) {
        MaybeEject(h, e.enforcement_percentage, now);
      }
    }
  }

  gxds_random random_;
  gxds_outlier_detection settings_ = {};
  size_t addresses_ = 0;
  bool on_ = false;
};

gxds_outlier_detection RandomSettings(std::mt19937* random) {
  auto upto = [&](uint32_t most) { return static_cast<uint32_t>((*random)() % (most + 1)); };
  gxds_outlier_detection s = {
      10 * GXDS_SECOND, upto(40) * GXDS_SECOND, upto(200) * GXDS_SECOND, upto(100), {}, {}};
  if (upto(4) > 0) s.success_rate = {upto(2) ? 100 : upto(100), upto(3000), upto(4), upto(30)};
  if (upto(2) > 0) s.failure_percentage = {upto(2) ? 100 : upto(100), upto(100), upto(4), upto(30)};
  return s;
}

TEST(Outliers, DoAsTheModelDoes) {  // A50.6
  int ejections = 0;
  for (uint32_t seed = 1; seed <= 300; seed++) {
    std::mt19937 random(seed);
    Model model(seed);
    gxds_outliers* outliers = gxds_outliers_create(seed);
    std::map<std::string, std::vector<uint64_t>> subchannels;
    gxds_time now = 1000 * GXDS_SECOND;
    auto configure = [&] {
      gxds_outlier_detection s = RandomSettings(&random);
      size_t addresses = random() % 12;
      gxds_outliers_on_config(outliers, &s, addresses, now);
      model.Configure(s, addresses);
    };
    configure();
    for (int step = 0; step < 400; step++) {
      std::string address(1, static_cast<char>('a' + random() % 8));
      auto& list = subchannels[address];
      switch (random() % 8) {
        case 0:
          list.push_back(gxds_outliers_add(outliers, S(address)));
          model.Add(address);
          break;
        case 1:
          if (list.empty()) break;
          gxds_outliers_remove(outliers, list.back());
          list.pop_back();
          model.Remove(address);
          break;
        case 2:
          if (random() % 20 == 0) configure();
          break;
        case 3: {
          if (gxds_outliers_deadline(outliers) == GXDS_TIME_NEVER) break;
          now = gxds_outliers_deadline(outliers);
          gxds_outliers_on_deadline(outliers, now);
          model.Interval(now);
          uint64_t token;
          while (gxds_outliers_next(outliers, &token)) {
            ejections += gxds_outliers_ejected(outliers, token);
          }
          break;
        }
        default: {
          if (list.empty()) break;
          gxds_call_results* r = gxds_outliers_results(outliers, list[0]);
          for (int i = 0; i < 12; i++) {
            bool ok = static_cast<int>(random() % 8) >= address[0] - 'a';
            gxds_call_results_add(r, ok);
            (ok ? model.At(address).ok : model.At(address).failed)++;
          }
        }
      }
      for (const auto& [each, tokens] : subchannels) {
        if (tokens.empty()) continue;
        ASSERT_EQ(gxds_outliers_ejected(outliers, tokens[0]), model.At(each).ejected)
            << "seed " << seed << ", step " << step << ", " << each;
      }
    }
    gxds_outliers_destroy(outliers);
  }
  EXPECT_GT(ejections, 1000) << "the test tests something";
}

}  // namespace
