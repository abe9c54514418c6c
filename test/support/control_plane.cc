#include "test/support/control_plane.h"

#include <gtest/gtest.h>
#include <jansson.h>
#include <signal.h>

namespace gxds_test {
namespace {

bool ContainsAll(const std::string& line, const std::vector<std::string>& parts) {
  for (const auto& part : parts) {
    if (line.find(part) == std::string::npos) return false;
  }
  return true;
}

std::string Text(const json_t* value) {
  const char* text = json_string_value(value);
  return text != nullptr ? text : "";
}

// Calls fn for every entry of every load report.
void EachLoad(const std::vector<std::string>& lines, const std::function<void(const json_t*)>& fn) {
  for (const auto& line : lines) {
    json_t* event = json_loads(line.c_str(), 0, nullptr);
    if (Text(json_object_get(event, "event")) == "load") {
      size_t index;
      const json_t* entry;
      json_array_foreach(json_object_get(event, "load"), index, entry) fn(entry);
    }
    json_decref(event);
  }
}

}  // namespace

void ControlPlane::Start() {
  std::vector<std::string> args = {Runfile("tools/xds"), "serve",   files_.path(),
                                   "--listen",           address(), "--json",
                                   "--load-interval",    "1"};
  if (rest_port_) {
    args.insert(args.end(), {"--rest", address_ + ":" + std::to_string(rest_port_)});
  }
  server_ = std::make_unique<Child>(args);
  ASSERT_NE(Wait({"\"event\":\"listening\"", rest_port_ ? "\"service\":\"rest\"" : ""}), "")
      << server_->Output();
}

void ControlPlane::Kill() {
  server_->Signal(SIGKILL);
  server_->Wait();
}

std::string ControlPlane::Bootstrap(const std::string& feature) const {
  return R"({"xds_servers":[)" + ServerJson(feature) + R"(],"node":{"id":"test-node"}})";
}

std::string ControlPlane::ServerJson(const std::string& feature) const {
  std::string features = feature.empty() ? "" : R"(,"server_features":[")" + feature + R"("])";
  return R"({"server_uri":")" + address() + R"(","channel_creds":[{"type":"insecure"}])" +
         features + "}";
}

std::string ControlPlane::WebServerJson(const std::string& form) const {
  return R"({"server_uri":"http://)" + address_ + ":" + std::to_string(rest_port_) +
         R"(","channel_creds":[{"type":"insecure"}],"server_features":[")" + form +
         R"("],"refresh_delay":"0.1s"})";
}

std::string ControlPlane::Wait(const std::vector<std::string>& parts, size_t from,
                               std::chrono::milliseconds patience) {
  return server_->WaitForLine([&](const std::string& line) { return ContainsAll(line, parts); },
                              from, patience);
}

size_t ControlPlane::Count(const std::vector<std::string>& parts) {
  size_t count = 0;
  for (const auto& line : server_->Lines()) count += ContainsAll(line, parts) ? 1 : 0;
  return count;
}

std::map<std::pair<std::string, std::string>, Load> ControlPlane::Loads() {
  std::map<std::pair<std::string, std::string>, Load> loads;
  EachLoad(server_->Lines(), [&](const json_t* entry) {
    const json_t* locality = json_object_get(entry, "locality");
    if (locality == nullptr) return;
    Load& load =
        loads[{Text(json_object_get(entry, "cluster")), Text(json_object_get(locality, "zone"))}];
    load.issued += json_integer_value(json_object_get(entry, "issued"));
    load.successful += json_integer_value(json_object_get(entry, "successful"));
    load.error += json_integer_value(json_object_get(entry, "error"));
    load.in_progress = json_integer_value(json_object_get(entry, "in_progress"));
    size_t index;
    const json_t* metric;
    json_array_foreach(json_object_get(entry, "metrics"), index, metric) {
      Metric& total = load.metrics[Text(json_object_get(metric, "name"))];
      total.requests += json_integer_value(json_object_get(metric, "requests"));
      total.sum += json_number_value(json_object_get(metric, "sum"));
    }
  });
  return loads;
}

std::map<std::pair<std::string, std::string>, long> ControlPlane::Drops() {
  std::map<std::pair<std::string, std::string>, long> drops;
  EachLoad(server_->Lines(), [&](const json_t* entry) {
    const std::string cluster = Text(json_object_get(entry, "cluster"));
    const char* category;
    json_t* count;
    json_object_foreach(json_object_get(entry, "dropped"), category, count) {
      drops[{cluster, category}] += json_integer_value(count);
    }
    drops[{cluster, ""}] += json_integer_value(json_object_get(entry, "total_dropped"));
  });
  return drops;
}

bool ControlPlane::WaitForIssued(long count) {
  return !server_
              ->WaitForLine(
                  [&, issued = 0L](const std::string& line) mutable {
                    EachLoad({line}, [&](const json_t* entry) {
                      issued += json_integer_value(json_object_get(entry, "issued"));
                    });
                    return issued >= count;
                  },
                  0)
              .empty();
}

}  // namespace gxds_test
