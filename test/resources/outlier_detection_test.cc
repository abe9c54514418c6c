// A Cluster's outlier_detection (A50).
#include "resources/outlier_detection.h"

#include "test/resources/decoding.h"

namespace grpc_xds_test {
namespace {

std::string Cluster(const std::string& outlier_detection) {
  return "{'name':'foo','type':'EDS','eds_cluster_config':{'eds_config':{'ads':{}}}," +
         outlier_detection + "}";
}
std::string With(const std::string& fields) {
  return Cluster("'outlier_detection':{" + fields + "}");
}

class Outliers {
 public:
  explicit Outliers(const std::string& fields)
      : result_(decoder_.Good(gxds_cluster_type, With(fields))) {}
  const gxds_outlier_detection* operator->() const {
    return gxds_cluster_outlier_detection(&result_.As<gxds_cluster>());
  }

 private:
  Decoder decoder_;
  Decoded result_;
};

TEST(OutlierDetection, IsNotConfiguredUnlessTheFieldIsSet) {  // A50.21
  Decoder d;
  Decoded result = d.Good(gxds_cluster_type, Cluster("'lb_policy':'ROUND_ROBIN'"));
  EXPECT_EQ(gxds_cluster_outlier_detection(&result.As<gxds_cluster>()), nullptr);
}

TEST(OutlierDetection, Defaults) {  // A50.18, A50.20
  Outliers o("");
  EXPECT_EQ(o->interval, 10 * GXDS_SECOND);
  EXPECT_EQ(o->base_ejection_time, 30 * GXDS_SECOND);
  EXPECT_EQ(o->max_ejection_time, 300 * GXDS_SECOND);
  EXPECT_EQ(o->max_ejection_percent, 10u);
  EXPECT_EQ(o->success_rate.enforcement_percentage, 100u);
  EXPECT_EQ(o->success_rate.threshold, 1900u);
  EXPECT_EQ(o->success_rate.minimum_hosts, 5u);
  EXPECT_EQ(o->success_rate.request_volume, 100u);
  EXPECT_EQ(o->failure_percentage.enforcement_percentage, 0u) << "off unless turned on";
}

TEST(OutlierDetection, FailurePercentageHasDefaultsToo) {  // A50
  Outliers o("'enforcing_failure_percentage':1");
  EXPECT_EQ(o->failure_percentage.enforcement_percentage, 1u);
  EXPECT_EQ(o->failure_percentage.threshold, 85u);
  EXPECT_EQ(o->failure_percentage.minimum_hosts, 5u);
  EXPECT_EQ(o->failure_percentage.request_volume, 50u);
}

TEST(OutlierDetection, AllFields) {  // A50.18
  Outliers o(
      "'interval':'1s','base_ejection_time':'2s','max_ejection_time':'3.000000004s',"
      "'max_ejection_percent':100,'enforcing_success_rate':1,'success_rate_stdev_factor':1000,"
      "'success_rate_minimum_hosts':2,'success_rate_request_volume':3,"
      "'enforcing_failure_percentage':100,'failure_percentage_threshold':100,"
      "'failure_percentage_minimum_hosts':4,'failure_percentage_request_volume':6");
  EXPECT_EQ(o->interval, GXDS_SECOND);
  EXPECT_EQ(o->base_ejection_time, 2 * GXDS_SECOND);
  EXPECT_EQ(o->max_ejection_time, 3 * GXDS_SECOND + 4);
  EXPECT_EQ(o->max_ejection_percent, 100u);
  EXPECT_EQ(o->success_rate.threshold, 1000u);
  EXPECT_EQ(o->success_rate.enforcement_percentage, 1u);
  EXPECT_EQ(o->success_rate.minimum_hosts, 2u);
  EXPECT_EQ(o->success_rate.request_volume, 3u);
  EXPECT_EQ(o->failure_percentage.threshold, 100u);
  EXPECT_EQ(o->failure_percentage.enforcement_percentage, 100u);
  EXPECT_EQ(o->failure_percentage.minimum_hosts, 4u);
  EXPECT_EQ(o->failure_percentage.request_volume, 6u);
}

TEST(OutlierDetection, EitherWayCanBeOff) {  // A50.19, A50.20
  Outliers o("'enforcing_success_rate':0,'enforcing_failure_percentage':0");
  EXPECT_EQ(o->success_rate.enforcement_percentage, 0u);
  EXPECT_EQ(o->failure_percentage.enforcement_percentage, 0u);
}

TEST(OutlierDetection, LongestTimeIsNeverLessThanTheBaseWhenNotSet) {  // A50
  EXPECT_EQ(Outliers("'base_ejection_time':'301s'")->max_ejection_time, 301 * GXDS_SECOND);
  EXPECT_EQ(Outliers("'base_ejection_time':'301s','max_ejection_time':'1s'")->max_ejection_time,
            1 * GXDS_SECOND);
}

TEST(OutlierDetection, ThresholdOfWhatIsOffIsNotChecked) {  // A50
  EXPECT_EQ(
      Outliers("'failure_percentage_threshold':101")->failure_percentage.enforcement_percentage,
      0u);
}

Malformed Rule(const char* name, const std::string& fields, const std::string& errors) {
  return {name, Resource(gxds_cluster_type, With(fields)),
          "errors validating Cluster resource: [" + errors + "]"};
}

std::vector<Malformed> Rules() {
  const std::string at = "field:outlier_detection";
  const std::string seconds = ".seconds error:value must be in the range [0, 315576000000]";
  const std::string percent = " error:value must be <= 100";
  return {
      // A50.22
      Rule("Interval", "'interval':'-1s'", at + ".interval" + seconds),
      // A50.22
      Rule("BaseEjectionTime", "'base_ejection_time':'-1s'", at + ".base_ejection_time" + seconds),
      // A50.22
      Rule("MaxEjectionTime", "'max_ejection_time':'-1s'", at + ".max_ejection_time" + seconds),
      // A50.23
      Rule("MaxEjectionPercent", "'max_ejection_percent':101",
           at + ".max_ejection_percent" + percent),
      // A50.23
      Rule("EnforcingSuccessRate", "'enforcing_success_rate':101",
           at + ".enforcing_success_rate" + percent),
      // A50.23
      Rule("EnforcingFailurePercentage", "'enforcing_failure_percentage':101",
           at + ".enforcing_failure_percentage" + percent),
      // A50.23
      Rule("FailurePercentageThreshold",
           "'failure_percentage_threshold':101,'enforcing_failure_percentage':1",
           at + ".failure_percentage_threshold" + percent),
      Rule("FaultsOfManyKinds",
           "'interval':'-1.5s','max_ejection_percent':4294967295,'enforcing_success_rate':200,"
           "'enforcing_failure_percentage':200,'failure_percentage_threshold':200",
           at + ".enforcing_failure_percentage" + percent + "; " + at + ".enforcing_success_rate" +
               percent + "; " + at + ".failure_percentage_threshold" + percent + "; " + at +
               ".interval.nanos error:value must be in the range [0, 999999999]; " + at +
               ".interval" + seconds + "; " + at + ".max_ejection_percent" + percent),
  };
}

MALFORMED_SUITE(OutlierDetectionRules, gxds_cluster_type, Rules());  // A50

}  // namespace
}  // namespace grpc_xds_test
