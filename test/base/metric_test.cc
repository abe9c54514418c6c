#include "base/metric.h"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string Take(gxds_text *text) {
  std::string s(text->data ? text->data : "", text->size);
  gxds_text_fini(text);
  return s;
}

TEST(Metric, LabelsAreEscaped) {
  gxds_text text = {};
  gxds_metric_label(&text, "name", gxds_str_z("a\"b\\c\nd"));
  EXPECT_EQ(Take(&text), R"(name="a\"b\\c\nd")");
}

TEST(Metric, AFamilyIsDeclared) {
  gxds_text text = {};
  gxds_metric_family(&text, "n", "counter", "What it is.");
  EXPECT_EQ(Take(&text), "# HELP n What it is.\n# TYPE n counter\n");
}

TEST(Histogram, CountsAreCumulativeAndEndWithAll) {
  gxds_histogram h = {};
  gxds_histogram_add(&h, -5);                // a clock that went backwards
  gxds_histogram_add(&h, GXDS_MILLISECOND);  // a bucket includes its bound
  gxds_histogram_add(&h, GXDS_MILLISECOND + 1);
  gxds_histogram_add(&h, 60 * GXDS_SECOND);
  gxds_text text = {};
  gxds_histogram_render(&h, "t", gxds_str_z("a=\"b\""), &text);
  const std::string all = Take(&text);
  for (const char *line :
       {"t_bucket{a=\"b\",le=\"0.00001\"} 1\n", "t_bucket{a=\"b\",le=\"0.0005\"} 1\n",
        "t_bucket{a=\"b\",le=\"0.001\"} 2\n", "t_bucket{a=\"b\",le=\"0.0025\"} 3\n",
        "t_bucket{a=\"b\",le=\"10\"} 3\n", "t_bucket{a=\"b\",le=\"+Inf\"} 4\n",
        "t_sum{a=\"b\"} 60.002000001\n", "t_count{a=\"b\"} 4\n"}) {
    EXPECT_NE(all.find(line), std::string::npos) << line << all;
  }
}

}  // namespace
