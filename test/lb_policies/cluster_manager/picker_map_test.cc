#include "lb_policies/cluster_manager/picker_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Picker : gxds_picker {
  static std::atomic<int> alive;
  const int value;
  explicit Picker(int v) : gxds_picker(), value(v) {
    static const gxds_picker_ops kOps = {nullptr,
                                         [](gxds_picker* p) { delete static_cast<Picker*>(p); }};
    gxds_picker_init(this, &kOps);
    alive++;
  }
  ~Picker() { alive--; }
};
std::atomic<int> Picker::alive{0};

struct Map {
  const gxds_picker_map* m = nullptr;

  Map() = default;
  Map(const Map& other) : m(gxds_name_map_ref(other.m)) {}
  Map& operator=(const Map&) = delete;
  ~Map() { gxds_name_map_unref(m); }

  static gxds_str Name(const std::string& s) { return gxds_str_of(s.data(), s.size()); }
  void Put(const std::string& name, int value) {
    m = gxds_picker_map_put(m, gxds_name_map_hash(Name(name)), Name(name), new Picker(value));
  }
  void Remove(const std::string& name) {
    m = gxds_picker_map_remove(m, gxds_name_map_hash(Name(name)), Name(name));
  }
  // -1: unknown; -2: no picker yet.
  int Get(const std::string& name) const {
    gxds_picker* p;
    if (!gxds_picker_map_get(m, gxds_name_map_hash(Name(name)), Name(name), &p)) return -1;
    return p ? static_cast<Picker*>(p)->value : -2;
  }
};

TEST(PickerMap, FindsWhatWasPut) {
  Map map;
  EXPECT_EQ(map.Get("a"), -1);
  map.Put("a", 1);
  map.Put("b", 2);
  EXPECT_EQ(map.Get("a"), 1);
  EXPECT_EQ(map.Get("b"), 2);
  EXPECT_EQ(map.Get("c"), -1);
  map.Put("a", 3);
  EXPECT_EQ(map.Get("a"), 3);
}

TEST(PickerMap, KnownChildWithoutPickerIsNotUnknown) {  // A28.11
  Map map;
  map.m = gxds_picker_map_put(map.m, gxds_name_map_hash(Map::Name("a")), Map::Name("a"), nullptr);
  EXPECT_EQ(map.Get("a"), -2);
}

TEST(PickerMap, OlderVersionsStayAsTheyWere) {
  Map map;
  map.Put("a", 1);
  Map before(map);
  map.Put("a", 2);
  map.Put("b", 3);
  map.Remove("a");
  EXPECT_EQ(before.Get("a"), 1);
  EXPECT_EQ(before.Get("b"), -1);
  EXPECT_EQ(map.Get("a"), -1);
}

TEST(PickerMap, PickersGoWithTheLastVersionThatHasThem) {
  {
    Map map;
    map.Put("a", 1);
    Map before(map);
    map.Put("a", 2);
    EXPECT_EQ(Picker::alive, 2);
    gxds_name_map_unref(before.m);
    before.m = nullptr;
    EXPECT_EQ(Picker::alive, 1);
  }
  EXPECT_EQ(Picker::alive, 0);
}

TEST(PickerMap, ReadersKeepTheirVersionWhileOthersAreMade) {
  Map map;
  for (int i = 0; i < 100; i++) map.Put(std::to_string(i), i);
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; t++) {
    readers.emplace_back([&stop, mine = new Map(map)] {
      do {
        for (int i = 0; i < 100; i++) ASSERT_EQ(mine->Get(std::to_string(i)), i);
      } while (!stop);
      delete mine;
    });
  }
  for (int i = 0; i < 2000; i++) map.Put(std::to_string(i % 100), -i - 10);
  stop = true;
  for (auto& t : readers) t.join();
}

TEST(PickerMap, APickForAnUnknownClusterIsAnInternalError) {  // A31.12
  gxds_picker* picker;
  gxds_str name = gxds_str_z("c");
  ASSERT_FALSE(gxds_picker_map_get(nullptr, gxds_name_map_hash(name), name, &picker));
  gxds_status status = gxds_picker_map_unknown(name);
  EXPECT_EQ(status.code, GXDS_INTERNAL);
  EXPECT_STREQ(status.message.data, "xds cluster manager picker: unknown cluster \"c\"");
  gxds_status_fini(&status);
}

}  // namespace
