// The fixture of tests of one policy on the host in memory. It fails if anything is left over at
// the end.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_TEST_H_
#define GRPC_XDS_TEST_HOST_MEMORY_TEST_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/host/memory_host.h"
#include "test/host/memory_policies.h"

namespace memory {

class PolicyTest : public ::testing::Test {
 protected:
  void TearDown() override {
    host_.End();
    host_.DropPicker();
    EXPECT_EQ(host_.LeftOver(), "");
  }

  // Sets accepted_ to the policy's status for the update.
  void Update(Config config, Args args = Args(), Addresses addresses = Addresses(),
              std::string note = "", const gxds_config* snapshot = nullptr,
              gxds_mailbox* mailbox = nullptr) {
    accepted_ = host_.Apply({std::move(config), std::move(args), std::move(addresses),
                             std::move(note), snapshot, mailbox});
  }
  void UpdateTo(Config config, const Args& args, const gxds_config* snapshot) {
    Update(std::move(config), args, Addresses(), "", snapshot);
  }

  // Parses a config from JSON. An error fails the test, and the result is empty.
  Config ParseConfig(const std::string& json) {
    Status why;
    Config config = host_.ParseConfig(json, &why);
    EXPECT_NE(config.get(), nullptr) << why;
    return config;
  }
  // The error of that JSON.
  Status ParseError(const std::string& json) {
    Status why;
    EXPECT_EQ(host_.ParseConfig(json, &why).get(), nullptr) << json;
    return why;
  }

  // The scripted policies that exist, in the order they were made.
  std::vector<Leaf*> leaves() const {
    std::vector<Leaf*> out;
    for (HostsPolicy* policy : host_.policies()) {
      if (auto* leaf = dynamic_cast<Leaf*>(policy)) out.push_back(leaf);
    }
    return out;
  }
  // The scripted policy whose addresses are in that zone; null: none.
  Leaf* InZone(const std::string& zone) const {
    for (Leaf* leaf : leaves()) {
      if (leaf->zone == zone) return leaf;
    }
    return nullptr;
  }
  void Report(const std::string& zone, grpc_connectivity_state state,
              const Status& status = Status()) {
    Leaf* leaf = InZone(zone);
    ASSERT_NE(leaf, nullptr) << zone;
    leaf->Report(state, status);
  }

  // Makes one pick. Returns Call::Text(), or the zone if a scripted policy's picker picked.
  std::string Pick(const Request& request = Request()) {
    static const std::string kPicked = "fail: UNAVAILABLE: picked ";
    const std::string text = host_.Pick(request)->Text();
    return text.rfind(kPicked, 0) == 0 ? text.substr(kPicked.size()) : text;
  }
  std::map<std::string, int> Picks(int count) {
    std::map<std::string, int> picks;
    for (int i = 0; i < count; i++) picks[Pick()]++;
    return picks;
  }
  // Sets the state of the newest watched subchannel at that address.
  void SetState(const std::string& address, grpc_connectivity_state state,
                const Status& status = Status()) {
    Subchannel* subchannel = host_.Watched(address);
    ASSERT_NE(subchannel, nullptr) << "nobody watches " << address;
    host_.SetState(subchannel, state, status);
  }
  // How many subchannels are watched.
  size_t WatchedCount() const {
    size_t count = 0;
    for (const Subchannel* s : host_.subchannels()) count += s->is_watched() ? 1 : 0;
    return count;
  }

  Host host_;
  Status accepted_;
};

}  // namespace memory

#endif
