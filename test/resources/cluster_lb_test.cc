// The LB policy of a Cluster: load_balancing_policy (A52), and the config of each kind of policy.
#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

const std::string kPolicies = "envoy.extensions.load_balancing_policies.";
const std::string kWeighted =
    kPolicies + "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin";
const std::string kLeastRequest = kPolicies + "least_request.v3.LeastRequest";
const std::string kPickFirst = kPolicies + "pick_first.v3.PickFirst";
const std::string kRandomSubsetting = kPolicies + "random_subsetting.v3.RandomSubsetting";
const std::string kRingHash = kPolicies + "ring_hash.v3.RingHash";
const std::string kRoundRobin = kPolicies + "round_robin.v3.RoundRobin";
const std::string kWrrLocality = kPolicies + "wrr_locality.v3.WrrLocality";
const std::string kTypedStruct = "xds.type.v3.TypedStruct";

std::string Type(const std::string& message) { return "type.googleapis.com/" + message; }

// A LoadBalancingPolicy with policies of these Anys, in order.
std::string List(const std::vector<std::string>& anys) {
  std::string out;
  for (const std::string& any : anys) out += Field(1, Field(4, Field(1, "name") + Field(2, any)));
  return out;
}
std::string RoundRobin() { return Any(Type(kRoundRobin), ""); }
std::string RingHash(const std::string& value) { return Any(Type(kRingHash), value); }
std::string RingSizes(uint64_t min, uint64_t max) {
  return Field(2, Number(1, min)) + Field(3, Number(1, max));
}
std::string Wrr(const std::string& child_list) {
  return Any(Type(kWrrLocality), Field(1, child_list));
}
std::string Subset(uint64_t size, const std::string& child_list) {
  return Any(Type(kRandomSubsetting), Field(1, Number(1, size)) + Field(2, child_list));
}
std::string Custom(const std::string& name, const std::string& json,
                   const std::string& wrapper = kTypedStruct) {
  return Any(Type(wrapper),
             Proto("xds.type.v3.TypedStruct", "{'type_url':'type.googleapis.com/" + name + "'" +
                                                  (json.empty() ? "" : ",'value':" + json) + "}"));
}
// round_robin below that many wrr_locality policies.
std::string Nested(int depth) {
  std::string list = List({RoundRobin()});
  for (int i = 0; i < depth; i++) list = List({Wrr(list)});
  return list;
}

std::string Cluster(const std::string& list, const std::string& more = "") {
  return Resource(gxds_cluster_type,
                  "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}" +
                      more + "}") +
         Field(41, list);
}
std::string PolicyOf(const std::string& list, const std::string& more = "",
                     bool endpoint_weights = false) {
  Decoder d;
  if (endpoint_weights) d.UseEndpointWeights();
  Decoded result = d.Decode(gxds_cluster_type, Cluster(list, more));
  return result.resource() == nullptr ? result.message()
                                      : ToString(result.As<gxds_cluster>().lb_policy_json);
}

TEST(LbPolicyList, RoundRobin) {  // A52
  EXPECT_EQ(PolicyOf(List({RoundRobin()})), Json("[{'round_robin':{}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type(kRoundRobin), Field(2, "") + Field(9, "new"))})),
            Json("[{'round_robin':{}}]"))
      << "locality_lb_config and all else are ignored";
}

TEST(LbPolicyList, RingHash) {  // A42, A52
  auto expected = [](const std::string& max, const std::string& min) {
    return Json("[{'ring_hash_experimental':{'maxRingSize':" + max + ",'minRingSize':" + min +
                "}}]");
  };
  EXPECT_EQ(PolicyOf(List({RingHash("")})), expected("8388608", "1024"));
  EXPECT_EQ(PolicyOf(List({RingHash(Number(1, 1) + RingSizes(1, 8388608))})),
            expected("8388608", "1"));
}

TEST(LbPolicyList, LeastRequest) {  // A48.1, A48.10
  auto least_request = [](const std::string& value) {
    return PolicyOf(List({Any(Type(kLeastRequest), value)}));
  };
  auto expected = [](const std::string& count) {
    return Json("[{'least_request_experimental':{'choiceCount':" + count + "}}]");
  };
  EXPECT_EQ(least_request(""), expected("2"));
  EXPECT_EQ(least_request(Field(1, Number(1, 7))), expected("7"));
  EXPECT_EQ(least_request(Field(1, Number(1, 7)) + Field(2, Field(2, "bias")) + Field(9, "new")),
            expected("7"))
      << "active_request_bias and all else are ignored";
}

std::string Seconds(unsigned field, int seconds) { return Field(field, Number(1, seconds)); }

TEST(LbPolicyList, SlowStart) {  // E1.9
  const std::string thirty = Seconds(1, 30);
  const std::string slow =
      "'slowStart':{'aggression':1,'minWeightPercent':10,'window':'30.000000000s'}";
  EXPECT_EQ(PolicyOf(List({Any(Type(kRoundRobin), Field(1, thirty))})),
            Json("[{'grpc_xds_slow_start':{" + slow + "}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type(kLeastRequest), Field(3, thirty))})),
            Json("[{'least_request_experimental':{'choiceCount':2," + slow + "}}]"));
  EXPECT_EQ(PolicyOf(List({Wrr(List({Any(Type(kRoundRobin), Field(1, thirty))}))})),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'grpc_xds_slow_start':{" +
                 slow + "}}]}}]"));
  for (const std::string& none : {std::string(), Seconds(1, 0)}) {
    EXPECT_EQ(PolicyOf(List({Any(Type(kRoundRobin), Field(1, none))})),
              Json("[{'round_robin':{}}]"))
        << "without a window there is none";
  }
}

TEST(LbPolicyList, RoundRobinIsByWeightOfEndpointsIfTheServerHasThatFeature) {  // E3.5, E3.6
  auto policy = [](const std::string& list) { return PolicyOf(list, "", true); };
  EXPECT_EQ(policy(List({RoundRobin()})), Json("[{'grpc_xds_endpoint_weights':{}}]"));
  EXPECT_EQ(policy(List({Wrr(List({RoundRobin()}))})),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{"
                 "'grpc_xds_endpoint_weights':{}}]}}]"));
  EXPECT_EQ(policy(List({Any(Type(kRoundRobin), Field(1, Seconds(1, 30)))})),
            Json("[{'grpc_xds_endpoint_weights':{'slowStart':{'aggression':1,"
                 "'minWeightPercent':10,'window':'30.000000000s'}}}]"));
  const std::string other = List({Any(Type(kLeastRequest), "")});
  EXPECT_EQ(policy(other), PolicyOf(other)) << "other policies stay as they are";
}

TEST(LbPolicyList, WeightedRoundRobin) {  // A58.12
  auto weighted = [](const std::string& value) {
    return PolicyOf(List({Any(Type(kWeighted), value)}));
  };
  EXPECT_EQ(weighted(""), Json("[{'weighted_round_robin':{}}]"));
  EXPECT_EQ(weighted(Field(1, "") + Seconds(2, 3) + Seconds(3, 5) + Seconds(4, 60) + Seconds(5, 1) +
                     Field(6, std::string("\x0d\0\0\0\x3f", 5)) + Field(8, "slow start")),
            Json("[{'weighted_round_robin':{'blackoutPeriod':'5.000000000s',"
                 "'enableOobLoadReport':false,'errorUtilizationPenalty':0.5,"
                 "'oobReportingPeriod':'3.000000000s','weightExpirationPeriod':'60.000000000s',"
                 "'weightUpdatePeriod':'1.000000000s'}}]"));
}

TEST(LbPolicyList, WeightedRoundRobinByReportsOutOfBand) {  // A58.13
  EXPECT_EQ(PolicyOf(List({Any(Type(kWeighted), Field(1, Number(1, 1))), RoundRobin()})),
            Json("[{'weighted_round_robin':{'enableOobLoadReport':true}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type(kWeighted), Field(1, Number(1, 0)) + Seconds(2, 1))})),
            Json("[{'weighted_round_robin':{'enableOobLoadReport':false,"
                 "'oobReportingPeriod':'1.000000000s'}}]"));
}

TEST(LbPolicyList, WeightedRoundRobinByNamedMetrics) {  // A114.6
  EXPECT_EQ(PolicyOf(List({Any(Type(kWeighted), Field(7, "named_metrics.a") +
                                                    Field(7, "mem_utilization") + Field(7, ""))})),
            Json("[{'weighted_round_robin':{'metricNamesForComputingUtilization':"
                 "['named_metrics.a','mem_utilization','']}}]"));
}

TEST(LbPolicyList, PickFirst) {  // A62.1, A62.2
  EXPECT_EQ(PolicyOf(List({Any(Type(kPickFirst), "")})), Json("[{'grpc_xds_pick_first':{}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type(kPickFirst), Number(1, 0))})),
            Json("[{'grpc_xds_pick_first':{}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type(kPickFirst), Number(1, 1))})),
            Json("[{'grpc_xds_shuffled':{'childPolicy':[{'grpc_xds_pick_first':{}}]}}]"));
}

TEST(LbPolicyList, WrrLocalityHasAChild) {  // A52
  EXPECT_EQ(PolicyOf(List({Wrr(List({RingHash("")}))})),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'ring_hash_experimental':"
                 "{'maxRingSize':8388608,'minRingSize':1024}}]}}]"));
}

TEST(LbPolicyList, RandomSubsettingHasASizeAndAChild) {  // A68.8
  EXPECT_EQ(PolicyOf(List({Subset(20, List({Any(Type("a.B"), ""), RoundRobin()}))})),
            Json("[{'random_subsetting_experimental':{'subsetSize':20,'childPolicy':"
                 "[{'round_robin':{}}]}}]"));
  EXPECT_EQ(PolicyOf(List({Wrr(List({Subset(4294967295, List({RoundRobin()}))}))})),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':["
                 "{'random_subsetting_experimental':{'subsetSize':4294967295,'childPolicy':"
                 "[{'round_robin':{}}]}}]}}]"));
}

TEST(LbPolicyList, TakesThePlaceOfTheEnum) {  // A52
  EXPECT_EQ(PolicyOf(List({RoundRobin()}), ",'lb_policy':'MAGLEV'"), Json("[{'round_robin':{}}]"));
  EXPECT_EQ(PolicyOf(List({RoundRobin()}),
                     ",'lb_policy':'RING_HASH','ring_hash_lb_config':{'maximum_ring_size':'0'}"),
            Json("[{'round_robin':{}}]"));
}

TEST(LbPolicyList, TheFirstSupportedOneCounts) {  // A52
  std::string unknown = Any(Type(kPolicies + "random.v3.Random"), "");
  EXPECT_EQ(PolicyOf(List({unknown, Custom("other.Lb", "{'a':1}"), RoundRobin(),
                           RingHash(std::string(1, '\0'))})),
            Json("[{'round_robin':{}}]"));
  EXPECT_EQ(PolicyOf(List({Wrr(List({unknown, RoundRobin()})), RingHash("")})),
            Json("[{'xds_wrr_locality_experimental':{'childPolicy':[{'round_robin':{}}]}}]"));
}

TEST(LbPolicyList, CustomPoliciesOfTheHostsRegistry) {  // A52
  const char config[] =
      "{'text':'a\\\\\\u0022\\u0001','n':3,'big':1e300,'half':-0.5,'t':true,'f':false,"
      "'none':null,'list':[1,[],{'b':2,'a':1}]}";
  const std::string expected = Json(
      "[{'myorg.MyLb':{'big':1.0000000000000001e+300,'f':false,'half':-0.5,"
      "'list':[1,[],{'a':1,'b':2}],'n':3,'none':null,'t':true,"
      "'text':'a\\\\\\u0001'}}]");
  std::string got = PolicyOf(List({Custom("myorg.MyLb", config)}));
  got.replace(got.find("\\\""), 2, "");
  EXPECT_EQ(got, expected);
  EXPECT_EQ(PolicyOf(List({Custom("myorg.MyLb", "{'n':1}", "udpa.type.v1.TypedStruct")})),
            Json("[{'myorg.MyLb':{'n':1}}]"));
  EXPECT_EQ(PolicyOf(List({Custom("myorg.MyLb", "")})), Json("[{'myorg.MyLb':{}}]"));
}

TEST(LbPolicyList,
     CustomNamesThatGrpcHasItselfAreOthers) {  // A52: a TypedStruct is a custom policy
  EXPECT_EQ(PolicyOf(List({Custom(kRingHash, "{}"), RoundRobin()})), Json("[{'round_robin':{}}]"));
  EXPECT_EQ(PolicyOf(List({Any(Type("myorg.MyLb"), ""), RoundRobin()})),
            Json("[{'round_robin':{}}]"));
}

TEST(LbPolicyList, CustomPoliciesNeedARegistry) {  // A52
  gxds_decode_context context = {};
  gxds_decoded decoded = {};
  std::string bytes = Cluster(List({Custom("myorg.MyLb", "{}"), RoundRobin()}));
  gxds_status status = gxds_cluster_type.decode(&context, ToGxds(bytes), &decoded);
  Decoded result(status, decoded);
  ASSERT_NE(result.resource(), nullptr);
  EXPECT_EQ(ToString(result.As<gxds_cluster>().lb_policy_json), Json("[{'round_robin':{}}]"));
}

TEST(LbPolicyList, SixteenLevelsAreTheMost) {  // A52
  EXPECT_EQ(PolicyOf(Nested(15)).rfind("[{\"xds_wrr_locality_experimental\"", 0), 0u);
  EXPECT_NE(PolicyOf(Nested(16)).find("error:exceeded max recursion depth of 16]"),
            std::string::npos);
}

TEST(LbPolicyList, NumbersThatJsonHasNoFormFor) {
  auto with = [](const std::string& number) {
    std::string value = "\x11" + number;  // field 2, eight bytes
    std::string structure = Field(1, Field(1, "n") + Field(2, value));
    return PolicyOf(
        List({Any(Type(kTypedStruct), Field(1, Type("myorg.MyLb")) + Field(2, structure))}));
  };
  using std::string_literals::operator""s;
  EXPECT_EQ(with("\0\0\0\0\0\0\xf0\x7f"s), Json("[{'myorg.MyLb':{'n':'Infinity'}}]"));
  EXPECT_EQ(with("\0\0\0\0\0\0\xf0\xff"s), Json("[{'myorg.MyLb':{'n':'-Infinity'}}]"));
  EXPECT_EQ(with("\0\0\0\0\0\0\xf8\x7f"s), Json("[{'myorg.MyLb':{'n':'NaN'}}]"));
}

std::string Bad(const std::string& errors) {
  return "errors validating Cluster resource: [" + errors + "]";
}
const std::string kAt = "field:load_balancing_policy";
const std::string kAtConfig = kAt + ".policies[0].typed_extension_config.typed_config";

std::vector<Malformed> Lists() {
  const std::string ring = kAtConfig + ".value[" + kRingHash + "]";
  const std::string subset = kAtConfig + ".value[" + kRandomSubsetting + "]";
  const std::string weighted = kAtConfig + ".value[" + kWeighted + "]";
  const std::string wrr = kAtConfig + ".value[" + kWrrLocality + "]";
  const std::string range = " error:value must be in the range [1, 8388608]";
  std::string nested = kAt;
  for (int i = 0; i < 16; i++) {
    nested += ".policies[0].typed_extension_config.typed_config.value[" + kWrrLocality +
              "].endpoint_picking_policy";
  }
  std::string many_metrics;
  for (int i = 0; i < 65; i++) many_metrics += Field(7, "cpu_utilization");
  const std::string no_kind =
      Any(Type(kTypedStruct),
          Field(1, Type("myorg.MyLb")) + Field(2, Field(1, Field(1, "a") + Field(2, ""))));
  return {
      {"Empty", Cluster(""), Bad(kAt + " error:no supported load balancing policy config found")},
      {"NothingSupported", Cluster(List({Any(Type("a.B"), ""), Custom("other.Lb", "{}")})),
       Bad(kAt + " error:no supported load balancing policy config found")},
      {"NothingSupportedInsideTheEnumIsNoWayOut",
       Cluster(List({Any(Type("a.B"), "")}), ",'lb_policy':'ROUND_ROBIN'"),
       Bad(kAt + " error:no supported load balancing policy config found")},
      {"ExtensionMissing", Cluster(Field(1, "")),
       Bad(kAt + ".policies[0].typed_extension_config error:field not present")},
      {"ExtensionMissingLater", Cluster(List({Any(Type("a.B"), "")}) + Field(1, "")),
       Bad(kAt + ".policies[1].typed_extension_config error:field not present")},
      {"ConfigMissing", Cluster(Field(1, Field(4, Field(1, "name")))),
       Bad(kAtConfig + " error:field not present")},
      {"TypeUrlMissing", Cluster(List({Any("", "")})),
       Bad(kAtConfig + ".type_url error:field not present")},
      {"TypeUrlWithoutSlash", Cluster(List({Any("RoundRobin", "")})),
       Bad(kAtConfig + ".type_url error:invalid value \"RoundRobin\"")},
      {"TypedStructUnparsable", Cluster(List({Any(Type(kTypedStruct), std::string(1, '\0'))})),
       Bad(kAtConfig + ".value[" + kTypedStruct + "] error:could not parse")},
      {"TypedStructWithoutType", Cluster(List({Any(Type(kTypedStruct), "")})),
       Bad(kAtConfig + ".value[" + kTypedStruct + "].type_url error:field not present")},
      {"TypedStructWithAValueOfNoKind", Cluster(List({no_kind})),
       Bad(kAtConfig + ".value[" + kTypedStruct +
           "].value[myorg.MyLb] error:error encoding google::Protobuf::Struct as JSON: No value "
           "set in Value proto")},
      {"TypedStructWithANameThatIsNoUtf8",
       Cluster(List({Any(Type(kTypedStruct),
                         Field(1, Type("myorg.MyLb")) + Field(2, Field(1, Field(1, "\xff"))))})),
       Bad(kAtConfig + ".value[" + kTypedStruct +
           (kDecodesKeys ? "] error:could not parse"
                         : "].value[myorg.MyLb] error:error encoding google::Protobuf::Struct as "
                           "JSON: name of a field is not UTF-8"))},
      {"RingHashUnparsable", Cluster(List({RingHash(std::string(1, '\0'))})),
       Bad(ring + " error:can't decode RingHash LB policy config")},
      {"RingHashFunction", Cluster(List({RingHash(Number(1, 2))})),
       Bad(ring + ".hash_function error:unsupported value (must be XX_HASH)")},
      {"RingSizesZero", Cluster(List({RingHash(RingSizes(0, 0))})),
       Bad(ring + ".maximum_ring_size" + range + "; " + ring + ".minimum_ring_size" + range)},
      {"RingSizesTooGreat", Cluster(List({RingHash(RingSizes(8388609, 8388609))})),
       Bad(ring + ".maximum_ring_size" + range + "; " + ring + ".minimum_ring_size" + range)},
      {"RingSizesCrossed", Cluster(List({RingHash(RingSizes(1025, 1024))})),
       Bad(ring + ".minimum_ring_size error:cannot be greater than maximum_ring_size")},
      {"LeastRequestUnparsable", Cluster(List({Any(Type(kLeastRequest), std::string(1, '\0'))})),
       Bad(kAtConfig + ".value[" + kLeastRequest +
           "] error:can't decode LeastRequest LB policy config")},
      // A48.2
      {"LeastRequestOfOneChoice", Cluster(List({Any(Type(kLeastRequest), Field(1, Number(1, 1)))})),
       Bad(kAtConfig + ".value[" + kLeastRequest + "].choice_count error:must be at least 2")},
      {"WeightedByTooManyMetrics", Cluster(List({Any(Type(kWeighted), many_metrics)})),
       Bad(weighted + ".metric_names_for_computing_utilization error:more than 64 names")},
      {"WeightedByMetricsThatAreNoText",
       Cluster(List({Any(Type(kWeighted), Field(7, "a") + Field(7, "\xff"))})),
       Bad(weighted + ".metric_names_for_computing_utilization[1] error:is not UTF-8")},
      {"RoundRobinUnparsable", Cluster(List({Any(Type(kRoundRobin), std::string(1, '\0'))})),
       Bad(kAtConfig + ".value[" + kRoundRobin +
           "] error:can't decode RoundRobin LB policy config")},
      {"WeightedUnparsable", Cluster(List({Any(Type(kWeighted), std::string(1, '\0'))})),
       Bad(kAtConfig + ".value[" + kWeighted +
           "] error:can't decode ClientSideWeightedRoundRobin LB policy config")},
      {"WeightedFieldsUnparsable",
       Cluster(List({Any(Type(kWeighted), Field(1, "\x08") + Field(2, "\x08") + Field(3, "\x08") +
                                              Field(6, "\x08"))})),
       Bad(weighted + ".blackout_period error:can't decode Duration; " + weighted +
           ".enable_oob_load_report error:can't decode BoolValue; " + weighted +
           ".error_utilization_penalty error:can't decode FloatValue; " + weighted +
           ".oob_reporting_period error:can't decode Duration")},
      {"WeightedPeriodNegative",
       Cluster(List({Any(Type(kWeighted), Field(2, Number(1, static_cast<uint64_t>(-1))))})),
       Bad(weighted + ".oob_reporting_period.seconds error:value must be in the range [0, "
                      "315576000000]")},
      // A58.11
      {"WeightedPenaltyNegative",
       Cluster(List({Any(Type(kWeighted), Field(6, std::string("\x0d\0\0\x80\xbf", 5)))})),
       Bad(kAtConfig + ".value[" + kWeighted +
           "].error_utilization_penalty error:must be non-negative")},
      // A68.7
      {"SubsetUnparsable", Cluster(List({Any(Type(kRandomSubsetting), std::string(1, '\0'))})),
       Bad(subset + " error:can't decode RandomSubsetting LB policy config")},
      {"SubsetWithoutSizeAndChild", Cluster(List({Any(Type(kRandomSubsetting), "")})),
       Bad(subset + ".child_policy error:field not present; " + subset +
           ".subset_size error:must be greater than 0")},
      {"SubsetOfNone", Cluster(List({Subset(0, List({RoundRobin()}))})),
       Bad(subset + ".subset_size error:must be greater than 0")},
      {"SubsetFieldsUnparsable",
       Cluster(List({Any(Type(kRandomSubsetting), Field(1, "\x08") + Field(2, "\x08"))})),
       Bad(subset + ".child_policy error:can't decode LoadBalancingPolicy; " + subset +
           ".subset_size error:must be greater than 0")},
      {"SubsetForNothingSupported", Cluster(List({Subset(1, List({Any(Type("a.B"), "")}))})),
       Bad(subset + ".child_policy error:no supported load balancing policy config found")},
      {"SubsetForLocalities", Cluster(List({Subset(1, List({Wrr(List({RoundRobin()}))}))})),
       Bad(subset + ".child_policy.policies[0].typed_extension_config.typed_config.value[" +
           kWrrLocality +
           "] error:not supported below RandomSubsetting: put that into endpoint_picking_policy")},
      {"PickFirstUnparsable", Cluster(List({Any(Type(kPickFirst), std::string(1, '\0'))})),
       Bad(kAtConfig + ".value[" + kPickFirst + "] error:can't decode PickFirst LB policy config")},
      {"AFaultyPolicyIsNotPassedOver",
       Cluster(List({RingHash(std::string(1, '\0')), RoundRobin()})),
       Bad(ring + " error:can't decode RingHash LB policy config")},
      {"WrrLocalityUnparsable", Cluster(List({Any(Type(kWrrLocality), std::string(1, '\0'))})),
       Bad(wrr + " error:can't decode WrrLocality LB policy config")},
      {"WrrLocalityWithoutChild", Cluster(List({Any(Type(kWrrLocality), "")})),
       Bad(wrr + ".endpoint_picking_policy error:field not present")},
      {"WrrLocalityOfNothingSupported", Cluster(List({Wrr(List({Any(Type("a.B"), "")}))})),
       Bad(wrr + ".endpoint_picking_policy error:no supported load balancing policy config found")},
      {"WrrLocalityOfAFaultyChild", Cluster(List({Wrr(List({RingHash(Number(1, 2))}))})),
       Bad(wrr + ".endpoint_picking_policy.policies[0].typed_extension_config.typed_config.value[" +
           kRingHash + "].hash_function error:unsupported value (must be XX_HASH)")},
      {"NestedTooDeep", Cluster(Nested(16)),
       Bad(nested + " error:exceeded max recursion depth of 16")},
      {"RefusedByTheRegistry", Cluster(List({Custom("myorg.MyLb", "{'bad':true}")})),
       Bad(kAt + " error:the registry's words")},
      {"RefusedByTheRegistryInside",
       Cluster(List({Wrr(List({Custom("myorg.MyLb", "{'bad':1}")}))})),
       Bad(kAt + " error:the registry's words")},
  };
}

MALFORMED_SUITE(LbPolicyLists, gxds_cluster_type, Lists());  // A52

}  // namespace
}  // namespace grpc_xds_test
