#include "tools/lint/read_fields.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by message: the fields that resources/ reads, even if only to refuse them, and a few that
 * are for people. */
static const struct row {
  const char *message;
  const char *fields;
} rows[] = {
    {"envoy.config.cluster.v3.CircuitBreakers", " thresholds "},
    {"envoy.config.cluster.v3.CircuitBreakers.Thresholds", " max_requests priority "},
    {"envoy.config.cluster.v3.Cluster",
     " circuit_breakers cluster_type common_lb_config eds_cluster_config lb_policy "
     "lb_subset_config load_assignment "
     "least_request_lb_config load_balancing_policy lrs_report_endpoint_metrics lrs_server name "
     "outlier_detection "
     "ring_hash_lb_config round_robin_lb_config "
     "transport_socket transport_socket_matches type upstream_config "},
    {"envoy.config.cluster.v3.Cluster.CommonLbConfig", " override_host_status "},
    {"envoy.config.cluster.v3.Cluster.CustomClusterType", " name typed_config "},
    {"envoy.config.cluster.v3.Cluster.EdsClusterConfig", " eds_config service_name "},
    {"envoy.config.cluster.v3.Cluster.LbSubsetConfig",
     " default_subset fallback_policy list_as_any locality_weight_aware metadata_fallback_policy "
     "panic_mode_any scale_locality_weight subset_selectors "},
    {"envoy.config.cluster.v3.Cluster.LbSubsetConfig.LbSubsetSelector",
     " fallback_keys_subset fallback_policy keys single_host_per_subset "},
    {"envoy.config.cluster.v3.Cluster.LeastRequestLbConfig", " choice_count slow_start_config "},
    {"envoy.config.cluster.v3.Cluster.RingHashLbConfig",
     " hash_function maximum_ring_size minimum_ring_size "},
    {"envoy.config.cluster.v3.Cluster.RoundRobinLbConfig", " slow_start_config "},
    {"envoy.config.cluster.v3.Cluster.SlowStartConfig",
     " aggression min_weight_percent slow_start_window "},
    {"envoy.config.cluster.v3.LoadBalancingPolicy", " policies "},
    {"envoy.config.cluster.v3.LoadBalancingPolicy.Policy", " typed_extension_config "},
    {"envoy.config.cluster.v3.OutlierDetection",
     " base_ejection_time enforcing_failure_percentage enforcing_success_rate "
     "failure_percentage_minimum_hosts failure_percentage_request_volume "
     "failure_percentage_threshold interval max_ejection_percent max_ejection_time "
     "success_rate_minimum_hosts success_rate_request_volume success_rate_stdev_factor "},
    {"envoy.config.core.v3.Address", " socket_address "},
    {"envoy.config.core.v3.ConfigSource", " ads resource_api_version self "},
    {"envoy.config.core.v3.HealthStatusSet", " statuses "},
    {"envoy.config.core.v3.HttpProtocolOptions", " idle_timeout max_stream_duration "},
    {"envoy.config.core.v3.Locality", " region sub_zone zone "},
    {"envoy.config.core.v3.Metadata", " filter_metadata typed_filter_metadata "},
    {"envoy.config.core.v3.RuntimeDouble", " default_value "},
    {"envoy.config.core.v3.RuntimeFractionalPercent", " default_value "},
    {"envoy.config.core.v3.SocketAddress", " address port_value resolver_name "},
    {"envoy.config.core.v3.TransportSocket", " name typed_config "},
    {"envoy.config.core.v3.TypedExtensionConfig", " name typed_config "},
    {"envoy.config.endpoint.v3.ClusterLoadAssignment", " cluster_name endpoints policy "},
    {"envoy.config.endpoint.v3.ClusterLoadAssignment.Policy", " drop_overloads "},
    {"envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.DropOverload",
     " category drop_percentage "},
    {"envoy.config.endpoint.v3.Endpoint", " additional_addresses address hostname "},
    {"envoy.config.endpoint.v3.Endpoint.AdditionalAddress", " address "},
    {"envoy.config.endpoint.v3.LbEndpoint",
     " endpoint health_status load_balancing_weight metadata "},
    {"envoy.config.endpoint.v3.LocalityLbEndpoints",
     " lb_endpoints load_balancing_weight locality metadata priority "},
    {"envoy.config.listener.v3.ApiListener", " api_listener "},
    {"envoy.config.listener.v3.Listener", " address api_listener name "},
    {"envoy.config.route.v3.ClusterSpecifierPlugin", " extension is_optional "},
    {"envoy.config.route.v3.FilterConfig", " config is_optional "},
    {"envoy.config.route.v3.HeaderMatcher",
     " contains_match exact_match invert_match name prefix_match present_match "
     "range_match safe_regex_match string_match suffix_match treat_missing_header_as_empty "},
    {"envoy.config.route.v3.RetryPolicy", " num_retries retry_back_off retry_on "},
    {"envoy.config.route.v3.RetryPolicy.RetryBackOff", " base_interval max_interval "},
    {"envoy.config.route.v3.Route",
     " match name non_forwarding_action route typed_per_filter_config "},
    {"envoy.config.route.v3.RouteAction",
     " auto_host_rewrite cluster cluster_specifier_plugin hash_policy host_rewrite_literal "
     "max_stream_duration metadata_match retry_policy weighted_clusters "},
    {"envoy.config.route.v3.RouteAction.HashPolicy", " filter_state header terminal "},
    {"envoy.config.route.v3.RouteAction.HashPolicy.FilterState", " key "},
    {"envoy.config.route.v3.RouteAction.HashPolicy.Header", " header_name regex_rewrite "},
    {"envoy.config.route.v3.RouteAction.MaxStreamDuration",
     " grpc_timeout_header_max max_stream_duration "},
    {"envoy.config.route.v3.RouteConfiguration", " cluster_specifier_plugins name virtual_hosts "},
    {"envoy.config.route.v3.RouteMatch",
     " case_sensitive headers path path_separated_prefix prefix query_parameters "
     "runtime_fraction safe_regex "},
    {"envoy.config.route.v3.VirtualHost",
     " domains name retry_policy routes typed_per_filter_config "},
    {"envoy.config.route.v3.WeightedCluster", " clusters "},
    {"envoy.config.route.v3.WeightedCluster.ClusterWeight",
     " host_rewrite_literal metadata_match name typed_per_filter_config weight "},
    {"envoy.extensions.clusters.aggregate.v3.ClusterConfig", " clusters "},
    {"envoy.extensions.filters.common.fault.v3.FaultDelay",
     " fixed_delay header_delay percentage "},
    {"envoy.extensions.filters.http.fault.v3.FaultAbort",
     " grpc_status header_abort http_status percentage "},
    {"envoy.extensions.filters.http.fault.v3.HTTPFault", " abort delay max_active_faults "},
    {"envoy.extensions.filters.http.stateful_session.v3.StatefulSession", " session_state "},
    {"envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute",
     " disabled stateful_session "},
    {"envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
     " common_http_protocol_options http_filters original_ip_detection_extensions rds "
     "route_config stat_prefix xff_num_trusted_hops "},
    {"envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
     " is_optional name typed_config "},
    {"envoy.extensions.filters.network.http_connection_manager.v3.Rds",
     " config_source route_config_name "},
    {"envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState", " cookie "},
    {"envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3."
     "ClientSideWeightedRoundRobin",
     " blackout_period enable_oob_load_report error_utilization_penalty "
     "metric_names_for_computing_utilization oob_reporting_period weight_expiration_period "
     "weight_update_period "},
    {"envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
     " choice_count slow_start_config "},
    {"envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst", " shuffle_address_list "},
    {"envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting",
     " child_policy subset_size "},
    {"envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
     " hash_function maximum_ring_size minimum_ring_size "},
    {"envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin", " slow_start_config "},
    {"envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
     " endpoint_picking_policy "},
    {"envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport",
     " transport_socket "},
    {"envoy.extensions.transport_sockets.tls.v3.CertificateProviderPluginInstance",
     " certificate_name instance_name "},
    {"envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext",
     " ca_certificate_provider_instance crl custom_validator_config "
     "match_subject_alt_names require_signed_certificate_timestamp system_root_certs "
     "verify_certificate_hash verify_certificate_spki "},
    {"envoy.extensions.transport_sockets.tls.v3.CommonTlsContext",
     " combined_validation_context custom_handshaker "
     "tls_certificate_certificate_provider_instance tls_certificate_provider_instance "
     "tls_certificate_sds_secret_configs tls_certificates tls_params "
     "validation_context validation_context_sds_secret_config "},
    {"envoy.extensions.transport_sockets.tls.v3.CommonTlsContext.CertificateProviderInstance",
     " certificate_name instance_name "},
    {"envoy.extensions.transport_sockets.tls.v3.CommonTlsContext."
     "CombinedCertificateValidationContext",
     " default_validation_context validation_context_certificate_provider_instance "},
    {"envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
     " auto_host_sni auto_sni_san_validation common_tls_context sni "},
    {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions", " common_http_protocol_options "},
    {"envoy.type.http.v3.Cookie", " name path ttl "},
    {"envoy.type.matcher.v3.RegexMatchAndSubstitute", " pattern substitution "},
    {"envoy.type.matcher.v3.RegexMatcher", " regex "},
    {"envoy.type.matcher.v3.StringMatcher",
     " contains exact ignore_case prefix safe_regex suffix "},
    {"envoy.type.v3.FractionalPercent", " denominator numerator "},
    {"envoy.type.v3.Int64Range", " end start "},
    {"envoy.type.v3.Percent", " value "},
};

static int by_message(const void *key, const void *row) {
  return strcmp(key, ((const struct row *)row)->message);
}

const char *gxds_read_fields(const char *message) {
  const struct row *r =
      bsearch(message, rows, sizeof rows / sizeof *rows, sizeof *rows, by_message);
  return r ? r->fields : NULL;
}
