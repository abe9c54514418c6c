#include "host/grpc_1_83/response_filter.h"

#include "host/grpc_common/convert.h"
#include "src/core/call/metadata_batch.h"
#include "src/core/lib/promise/context.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/resolver/xds/xds_resolver_attributes.h"
#include "src/core/service_config/service_config_call_data.h"

namespace grpc_xds {

const grpc_channel_filter ResponseFilter::kFilterVtable =
    grpc_core::MakePromiseBasedFilter<ResponseFilter, grpc_core::FilterEndpoint::kClient,
                                      grpc_core::kFilterExaminesServerInitialMetadata>();

absl::StatusOr<std::unique_ptr<ResponseFilter>> ResponseFilter::Create(
    const grpc_core::ChannelArgs& /*args*/, grpc_core::ChannelFilter::Args /*filter_args*/) {
  return std::make_unique<ResponseFilter>();
}

void ResponseFilter::Call::OnClientInitialMetadata(grpc_core::ClientMetadata& /*headers*/) {
  auto* data = grpc_core::GetContext<grpc_core::ServiceConfigCallData>();
  if (data == nullptr) return;
  auto* cluster = data->GetCallAttribute<grpc_core::XdsClusterAttribute>();
  if (cluster != nullptr) session_ = RoutedCallOf(cluster->cluster()).session;
}

void ResponseFilter::Call::OnServerInitialMetadata(grpc_core::ServerMetadata& headers) {
  if (session_ != nullptr) Respond(session_, &headers);
}

void ResponseFilter::Call::OnServerTrailingMetadata(grpc_core::ServerMetadata& trailers) {
  if (session_ != nullptr && trailers.get(grpc_core::GrpcTrailersOnly()).value_or(false)) {
    Respond(session_, &trailers);
  }
}

}  // namespace grpc_xds
