#include "test/host/memory_resolver.h"

#include "base/check.h"

namespace memory {

/* ---- RPCs ---- */

const gxds_call_ops RoutedRpc::kOps = {
    [](gxds_call* call, gxds_str name, gxds_str* value) {
      RoutedRpc* rpc = static_cast<InC*>(call)->rpc;
      auto found = rpc->headers.find(memory::Text(name));
      if (found == rpc->headers.end()) return false;
      rpc->value_ = found->second;  // valid until the next call only
      *value = View(rpc->value_);
      return true;
    },
    [](gxds_call* call, gxds_str name, gxds_str value) {
      RoutedRpc* rpc = static_cast<InC*>(call)->rpc;
      GXDS_CHECK(rpc->headers.emplace(memory::Text(name), memory::Text(value)).second);
    },
    [](gxds_call* call, size_t size) -> void* {
      RoutedRpc* rpc = static_cast<InC*>(call)->rpc;
      GXDS_CHECK(rpc->allocations++ == 0);
      rpc->memory_.reset(new std::max_align_t[size / sizeof(std::max_align_t) + 1]);
      return rpc->memory_.get();
    },
};

RoutedRpc::RoutedRpc(const gxds_config_selector* selector, const std::string& path,
                     const Headers& with)
    : headers(with) {
  InC call = {};
  call.ops = &kOps;
  call.path = View(path);
  call.rpc = this;
  selector->ops->route(selector, &call, &route_);
}

/* ---- results ---- */

Result::Result(const gxds_resolution& r)
    : failure(r.failure),
      service_config(r.service_config == nullptr ? "" : r.service_config),
      note(memory::Text(r.note)),
      snapshot(r.snapshot == nullptr ? nullptr : gxds_config_ref(r.snapshot)),
      mailbox(r.mailbox),
      selector(r.selector == nullptr ? nullptr : gxds_config_selector_ref(r.selector)) {
  if (failure.ok()) return;
  GXDS_CHECK(r.service_config == nullptr);
  GXDS_CHECK(note.empty());
  GXDS_CHECK(snapshot == nullptr);
  GXDS_CHECK(mailbox == nullptr);
  GXDS_CHECK(selector == nullptr);
}

Result::~Result() {
  gxds_config_unref(snapshot);
  gxds_config_selector_unref(selector);
}

/* ---- the host ---- */

const gxds_resolver_channel_ops ResolverHost::kOps = {
    [](gxds_resolver_channel* c, const gxds_resolution* r) {
      Of(c)->results.push_back(std::make_unique<Result>(*r));
    },
    [](gxds_resolver_channel* c) { return Of(c)->has_trace; },
    [](gxds_resolver_channel* c, gxds_resolver_severity severity, gxds_str line) {
      GXDS_CHECK(Of(c)->has_trace);
      Of(c)->events.emplace_back(severity, memory::Text(line));
    },
    Log,
    [] { return traces; },
};

void ResolverHost::Log(gxds_resolver_severity severity, gxds_str line) {
  GXDS_CHECK(severity != GXDS_RESOLVER_WARNING);
  current->log.push_back((severity == GXDS_RESOLVER_ERROR ? "E " : "I ") + memory::Text(line));
}

ResolverHost::ResolverHost(const gxds_resolver_type* type, const gxds_host* services,
                           const Target& target, const grpc_channel_args* client_args)
    : type_(type), target_(target) {
  current = this;
  channel_.ops = &kOps;
  channel_.resolver_id = channel_.host = this;
  link_.schedule = [](gxds_resolver_link* l) { Of(l)->scheduled++; };
  link_.gone = [](gxds_resolver_link* l) { Of(l)->gone++; };
  link_.client_args = client_args;
  link_.host = this;
  gxds_resolver_target in_c = {};
  in_c.uri = View(target_.uri);
  in_c.authority = View(target_.authority);
  in_c.path = View(target_.path);
  in_c.data_plane_authority = target_.data_plane_authority;
  in_c.bootstrap_json = target_.bootstrap_json;
  in_c.services = services;
  self_ = type_->create(&channel_, &in_c);
}

void ResolverHost::Drain() {
  for (; scheduled > 0; scheduled--) type_->drain(self_);
}

}  // namespace memory
