#include "host/grpc_1_51/config.h"

#include <jansson.h>
#include <stdlib.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lb_policies/attributes/attributes.h"

namespace grpc_xds {

using grpc_core::Json;
using grpc_core::LoadBalancingPolicy;
using grpc_core::RefCountedPtr;

namespace {

// The host keeps numbers as text.
json_t* NumberOf(const std::string& text) {
  json_int_t integer;
  if (absl::SimpleAtoi(text, &integer)) return json_integer(integer);
  double real;
  return json_real(absl::SimpleAtod(text, &real) ? real : 0);
}

// The caller's. Not deeper than the host's parser goes (255).
json_t* ToJansson(const Json& json) {
  switch (json.type()) {
    case Json::Type::JSON_NULL:
      return json_null();
    case Json::Type::JSON_TRUE:
      return json_true();
    case Json::Type::JSON_FALSE:
      return json_false();
    case Json::Type::NUMBER:
      return NumberOf(json.string_value());
    case Json::Type::STRING:
      return json_stringn(json.string_value().data(), json.string_value().size());
    case Json::Type::OBJECT: {
      json_t* object = json_object();
      for (const auto& member : json.object_value()) {
        json_object_set_new(object, member.first.c_str(), ToJansson(member.second));
      }
      return object;
    }
    case Json::Type::ARRAY: {
      json_t* array = json_array();
      for (const Json& item : json.array_value()) json_array_append_new(array, ToJansson(item));
      return array;
    }
  }
  return json_null();
}

}  // namespace

absl::StatusOr<RefCountedPtr<LoadBalancingPolicy::Config>> ParseConfig(const gxds_policy_type* type,
                                                                       const Json& json) {
  gxds_errors errors = {};
  json_t* value = json.type() == Json::Type::JSON_NULL ? nullptr : ToJansson(json);
  gxds_lb_config* config = type->parse(value, &errors);
  json_decref(value);
  if (config != nullptr) {
    gxds_errors_fini(&errors);
    return grpc_core::MakeRefCounted<ConfigInC>(config);
  }
  const std::string prefix = absl::StrCat("errors validating ", type->title, " LB policy config");
  gxds_status status = gxds_errors_status(&errors, prefix.c_str());
  absl::Status out = ToAbsl(status);
  gxds_status_fini(&status);
  gxds_errors_fini(&errors);
  return out;
}

}  // namespace grpc_xds
