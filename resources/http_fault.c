#include <inttypes.h>

#include "base/status.h"
#include "base/utf8.h"
#include "envoy/extensions/filters/common/fault/v3/fault.upb.h"
#include "envoy/extensions/filters/http/fault/v3/fault.upb.h"
#include "envoy/type/v3/percent.upb.h"
#include "google/protobuf/wrappers.upb.h"
#include "resources/http_filters_internal.h"
#include "resources/json_internal.h"

typedef envoy_extensions_filters_http_fault_v3_FaultAbort abort_message;
typedef envoy_extensions_filters_common_fault_v3_FaultDelay delay_message;

/* Adds the name of the object's next member. */
static void add_name(gxds_text *json, const char *name) {
  gxds_text_addf(json, "%s\"%s\":", json->data[json->size - 1] == '{' ? "" : ",", name);
}

static void add_number(gxds_text *json, const char *name, uint32_t value) {
  add_name(json, name);
  gxds_text_addf(json, "%" PRIu32, value);
}

static void add_text(gxds_text *json, const char *name, const char *value) {
  add_name(json, name);
  gxds_utf8_add_json(json, gxds_str_z(value));
}

static uint32_t denominator_of(const envoy_type_v3_FractionalPercent *in) {
  switch (envoy_type_v3_FractionalPercent_denominator(in)) {
    case envoy_type_v3_FractionalPercent_TEN_THOUSAND:
      return 10000;
    case envoy_type_v3_FractionalPercent_MILLION:
      return 1000000;
    default:
      return 100; /* the host too uses 100 if the denominator is unknown */
  }
}

gxds_code gxds_http_fault_code(uint32_t http_status) {
  switch (http_status) {
    case 400:
      return GXDS_INTERNAL;
    case 401:
      return GXDS_UNAUTHENTICATED;
    case 403:
      return GXDS_PERMISSION_DENIED;
    case 404:
      return GXDS_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return GXDS_UNAVAILABLE;
    default:
      return GXDS_UNKNOWN;
  }
}

static const char *decode_code(const abort_message *in, const gxds_path *at, gxds_errors *errors) {
  if (envoy_extensions_filters_http_fault_v3_FaultAbort_has_http_status(in)) {
    uint32_t status = envoy_extensions_filters_http_fault_v3_FaultAbort_http_status(in);
    return status ? gxds_code_name(gxds_http_fault_code(status)) : "OK";
  }
  uint32_t code = envoy_extensions_filters_http_fault_v3_FaultAbort_grpc_status(in);
  if (code <= GXDS_CODE_MAX) return gxds_code_name((gxds_code)code);
  gxds_errors_add(errors, GXDS_FIELD(at, "grpc_status"), "invalid gRPC status code: %d", (int)code);
  return "UNKNOWN";
}

static void decode_abort(const abort_message *in, const gxds_path *up, gxds_errors *errors,
                         gxds_text *json) {
  add_text(json, "abortCode", decode_code(in, GXDS_FIELD(up, "abort"), errors));
  if (envoy_extensions_filters_http_fault_v3_FaultAbort_has_header_abort(in)) {
    add_text(json, "abortCodeHeader", GXDS_ABORT_CODE_HEADER);
    add_text(json, "abortPercentageHeader", GXDS_ABORT_PERCENTAGE_HEADER);
  }
  const envoy_type_v3_FractionalPercent *percentage =
      envoy_extensions_filters_http_fault_v3_FaultAbort_percentage(in);
  if (!percentage) return;
  add_number(json, "abortPercentageNumerator",
             envoy_type_v3_FractionalPercent_numerator(percentage));
  add_number(json, "abortPercentageDenominator", denominator_of(percentage));
}

static void decode_delay(const delay_message *in, const gxds_path *up, gxds_errors *errors,
                         gxds_text *json) {
  const gxds_path *at = GXDS_FIELD(up, "delay");
  const google_protobuf_Duration *fixed =
      envoy_extensions_filters_common_fault_v3_FaultDelay_fixed_delay(in);
  if (fixed) {
    gxds_duration delay = gxds_duration_decode(fixed, GXDS_FIELD(at, "fixed_delay"), errors);
    add_name(json, "delay");
    gxds_json_add_duration(json, delay);
  }
  if (envoy_extensions_filters_common_fault_v3_FaultDelay_has_header_delay(in)) {
    add_text(json, "delayHeader", "x-envoy-fault-delay-request");
    add_text(json, "delayPercentageHeader", "x-envoy-fault-delay-request-percentage");
  }
  const envoy_type_v3_FractionalPercent *percentage =
      envoy_extensions_filters_common_fault_v3_FaultDelay_percentage(in);
  if (!percentage) return;
  add_number(json, "delayPercentageNumerator",
             envoy_type_v3_FractionalPercent_numerator(percentage));
  add_number(json, "delayPercentageDenominator", denominator_of(percentage));
}

void gxds_http_fault_decode(const gxds_extension *config, bool is_override, upb_Arena *scratch,
                            gxds_errors *errors, gxds_http_filter_value *out) {
  (void)is_override; /* the message type is the same for a config and an override */
  gxds_text *json = &out->json;
  const envoy_extensions_filters_http_fault_v3_HTTPFault *in = NULL;
  if (!config->typed_struct) {
    in = GXDS_DECODE(envoy_extensions_filters_http_fault_v3_HTTPFault, config->value, scratch);
  }
  if (!in) {
    gxds_errors_add(errors, config->at, "could not parse fault injection filter config");
    return;
  }
  gxds_text_add_z(json, "{");
  const abort_message *abort_in = envoy_extensions_filters_http_fault_v3_HTTPFault_abort(in);
  if (abort_in) decode_abort(abort_in, config->at, errors, json);
  const delay_message *delay_in = envoy_extensions_filters_http_fault_v3_HTTPFault_delay(in);
  if (delay_in) decode_delay(delay_in, config->at, errors, json);
  const google_protobuf_UInt32Value *max_active =
      envoy_extensions_filters_http_fault_v3_HTTPFault_max_active_faults(in);
  if (max_active) add_number(json, "maxFaults", google_protobuf_UInt32Value_value(max_active));
  gxds_text_add_z(json, "}");
}
