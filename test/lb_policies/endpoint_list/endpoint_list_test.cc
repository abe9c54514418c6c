#include "lb_policies/endpoint_list/endpoint_list.h"

#include <gtest/gtest.h>

#include <string>

#include "test/host/memory_values.h"

namespace {

std::string Detail(const gxds_addresses *take_list) {
  gxds_text text = {};
  gxds_addresses_render_detail(take_list, 0, &text);
  const gxds_lb_address address = gxds_addresses_at(take_list, 0);
  std::string out = memory::Text(gxds_text_str(&text)) + " | " + memory::Text(address.proxy);
  gxds_text_fini(&text);
  gxds_addresses_unref(take_list);
  return out;
}

TEST(EndpointList, AProxyIsAPartOfAnEndpointWhereItIsWanted) {  // A86.7
  gxds_endpoint endpoint = {{{10, 0, 0, 1}, 80, 0}, GXDS_HEALTH_UNKNOWN, 1};
  const gxds_str proxy = gxds_str_z("10.1.0.1:3128");
  gxds_locality view = {};
  view.weight = view.endpoint_count = 1;
  view.list.full = &endpoint;
  gxds_locality_rare rare = {};
  rare.proxies = &proxy;
  view.rare = &rare;
  const gxds_locality *locality = gxds_locality_copy(&view);
  const gxds_priority priority = {&locality, 1};
  const std::string name = "{region=\"\", zone=\"\", sub_zone=\"\"}";
  for (bool wanted : {false, true}) {
    memory::Args in_cpp;
    if (wanted) in_cpp = in_cpp.Set(GXDS_HTTP_CONNECT_ARG, 1);
    const gxds_args *args = in_cpp.ToC();
    const std::string detail =
        wanted ? name + " proxy=10.1.0.1:3128 | 10.1.0.1:3128" : name + " | ";
    EXPECT_EQ(Detail(gxds_locality_addresses_for(locality, args)), detail);
    EXPECT_EQ(Detail(gxds_priority_addresses_for(&priority, args)), detail);
    gxds_args_unref(args);
  }
  gxds_locality_unref(locality);
}

}  // namespace
