// A27: the virtual host of an authority.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

struct MatchCase {
  std::vector<std::string> hosts;  // the domains of each virtual host, separated by commas
  const char* authority;
  int expected;  // the index of the virtual host; -1: none
};

std::string Config(const std::vector<std::string>& hosts) {
  std::string json;
  for (const std::string& domains : hosts) {
    std::string list = "'" + domains + "'";
    for (size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 3) {
      list.replace(at, 1, "','");
    }
    json += (json.empty() ? "" : ",");
    json += "{'domains':[" + list + "],'routes':[{'match':{'prefix':''},'route':{'cluster':'c'}}]}";
  }
  return "{'virtual_hosts':[" + json + "]}";
}

class VirtualHost : public testing::TestWithParam<MatchCase> {};

TEST_P(VirtualHost, BestMatch) {  // A27.20, A28.14
  Decoder d;
  Decoded result = d.Good(gxds_route_config_type, Config(GetParam().hosts));
  const auto& rc = result.As<gxds_route_config>();
  const gxds_virtual_host* found =
      gxds_route_config_find_virtual_host(&rc, gxds_str_z(GetParam().authority));
  EXPECT_EQ(found == nullptr ? -1 : found - rc.virtual_hosts, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, VirtualHost,
    testing::Values(
        MatchCase{{"a.example"}, "a.example", 0}, MatchCase{{"a.example"}, "b", -1},
        MatchCase{{"a.example"}, "a.example.", -1}, MatchCase{{"a.example"}, "xa.example", -1},
        MatchCase{{"a.example"}, "", -1}, MatchCase{{"*.example"}, "a.example", 0},
        MatchCase{{"*.example"}, "a.b.example", 0}, MatchCase{{"*.example"}, ".example", -1},
        MatchCase{{"*.example"}, "example", -1}, MatchCase{{"*.example"}, "a.example.com", -1},
        MatchCase{{"*-x.example"}, "a-x.example", 0}, MatchCase{{"a.*"}, "a.example", 0},
        MatchCase{{"a.*"}, "a.", -1}, MatchCase{{"a.*"}, "b.a.example", -1},
        MatchCase{{"a-*"}, "a-1", 0}, MatchCase{{"*"}, "anything", 0}, MatchCase{{"*"}, "", 0},
        MatchCase{{"a.example:8080"}, "a.example:8080", 0},
        MatchCase{{"a.example"}, "a.example:8080", -1}));

INSTANTIATE_TEST_SUITE_P(Case, VirtualHost,
                         testing::Values(MatchCase{{"A.Example"}, "a.eXAMPLE", 0},
                                         MatchCase{{"*.Example"}, "a.EXAMPLE", 0},
                                         MatchCase{{"A.*"}, "a.example", 0}));

INSTANTIATE_TEST_SUITE_P(Preference, VirtualHost,
                         testing::Values(
                             // exact, suffix, prefix, any
                             MatchCase{{"*", "a.*", "*.example", "a.example"}, "a.example", 3},
                             MatchCase{{"*", "a.*", "*.example"}, "a.example", 2},
                             MatchCase{{"*", "a.*"}, "a.example", 1},
                             MatchCase{{"*"}, "a.example", 0},
                             // a short match of a better kind wins over a long one
                             MatchCase{{"a.b.c.exampl*", "*e"}, "a.b.c.example", 1},
                             // the longest of a kind
                             MatchCase{{"*.example", "*.b.example"}, "a.b.example", 1},
                             MatchCase{{"*.b.example", "*.example"}, "a.b.example", 0},
                             MatchCase{{"a.*", "a.b.*"}, "a.b.example", 1},
                             // the first of equally good matches
                             MatchCase{{"a.example", "a.example"}, "a.example", 0},
                             MatchCase{{"*.example", "*.example"}, "a.example", 0},
                             MatchCase{{"*", "*"}, "a", 0},
                             // any of a host's domains
                             MatchCase{{"x,y,a.example", "*"}, "a.example", 0},
                             MatchCase{{"*,x", "a.*,*.example"}, "a.example", 1},
                             MatchCase{{"x", "y"}, "a.example", -1}));

}  // namespace
}  // namespace grpc_xds_test
