// The DNS part of a gxds_host. The test decides when names are resolved, and to which addresses.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_FAKE_DNS_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_FAKE_DNS_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/host.h"
#include "resources/endpoints.h"

struct gxds_dns {
  std::string name;
  const void *args;
  gxds_dns_result_fn on_result;
  void *arg;
};

namespace made_up {

struct FakeDns {
  std::vector<gxds_dns *> active;
  std::vector<std::string> log;  // since the last TakeLog()

  static FakeDns &Get() {
    static FakeDns fake;
    return fake;
  }

  static void Fill(gxds_host *host) {
    host->dns_start = [](gxds_str name, const void *args, gxds_dns_result_fn on_result, void *arg) {
      auto *dns = new gxds_dns{std::string(name.data, name.size), args, on_result, arg};
      Get().active.push_back(dns);
      Get().log.push_back("+" + dns->name);
      return dns;
    };
    host->dns_reresolve = [](gxds_dns *dns) { Get().log.push_back("again " + dns->name); };
    host->dns_stop = [](gxds_dns *dns) {
      auto &active = Get().active;
      auto it = std::find(active.begin(), active.end(), dns);
      ASSERT_TRUE(it != active.end());
      Get().log.push_back("-" + dns->name);
      active.erase(it);
      delete dns;
    };
  }

  std::vector<std::string> TakeLog() { return std::exchange(log, {}); }

  gxds_dns *Find(const std::string &name) {
    for (gxds_dns *dns : active) {
      if (dns->name == name) return dns;
    }
    return nullptr;
  }
  // Addresses: IPv4 with port 80, or IPv6 with port 443.
  void Answer(const std::string &name, const std::vector<std::string> &addresses) {
    std::vector<gxds_address> in;
    for (const auto &text : addresses) {
      gxds_address address = {};
      address.is_ipv6 = text.find(':') != std::string::npos;
      address.port = address.is_ipv6 ? 443 : 80;
      ASSERT_EQ(inet_pton(address.is_ipv6 ? AF_INET6 : AF_INET, text.c_str(), address.ip), 1);
      in.push_back(address);
    }
    gxds_dns *dns = Find(name);
    ASSERT_NE(dns, nullptr) << name;
    gxds_status ok = gxds_status_ok();
    dns->on_result(dns->arg, in.data(), in.size(), &ok);
  }
  void Fail(const std::string &name, const char *why) {
    gxds_dns *dns = Find(name);
    ASSERT_NE(dns, nullptr) << name;
    gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "%s", why);
    dns->on_result(dns->arg, nullptr, 0, &status);
    gxds_status_fini(&status);
  }
};

}  // namespace made_up

#endif
