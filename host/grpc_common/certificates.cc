#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fork_lock.h"
#include "host/grpc_common/core_credentials.h"
#include "host/grpc_common/services.h"

namespace grpc_xds {
namespace {

using grpc_core::RefCountedPtr;

class SharedProvider;

// The providers in use, by plugin and config. Lives as long as the process.
struct InUse {
  std::mutex mu;
  std::map<std::string, SharedProvider*> providers;  // under mu
  // In the child of a fork: the providers of its parent.
  std::vector<RefCountedPtr<grpc_tls_certificate_provider>> without_threads;
};
InUse& TheInUse() {
  static auto* in_use = new InUse;
  return *in_use;
}

// Wraps a provider, to notice when its last reference is released.
class SharedProvider : public grpc_tls_certificate_provider {
 public:
  SharedProvider(std::string key, RefCountedPtr<grpc_tls_certificate_provider> provider)
      : key_(std::move(key)), provider_(std::move(provider)) {}

  // provider_ may have a thread that must be joined, so it is destroyed after the lock is released.
  ~SharedProvider() override {
    std::lock_guard<std::mutex> lock(TheInUse().mu);
    auto it = TheInUse().providers.find(key_);
    // Since the last reference to this provider was released, another provider may have taken its
    // place.
    if (it != TheInUse().providers.end() && it->second == this) TheInUse().providers.erase(it);
  }

  RefCountedPtr<grpc_tls_certificate_distributor> distributor() const override {
    return provider_->distributor();
  }
#ifndef GXDS_GRPC_1_83
  grpc_pollset_set* interested_parties() const override { return provider_->interested_parties(); }
#endif
  grpc_core::UniqueTypeName type() const override {
    static grpc_core::UniqueTypeName::Factory factory("grpc_xds_shared");
    return factory.Create();
  }

 private:
  int CompareImpl(const grpc_tls_certificate_provider* other) const override {
    return grpc_core::QsortCompare(static_cast<const grpc_tls_certificate_provider*>(this), other);
  }

  const std::string key_;
  const RefCountedPtr<grpc_tls_certificate_provider> provider_;
};

void TakeLock() { TheInUse().mu.lock(); }
void ReleaseLock() { TheInUse().mu.unlock(); }
// The child does not have the threads of the providers, which read the files again. So it makes new
// providers. The old ones are kept for ever, because their end would join those threads.
void ReleaseLockInChild() {
  InUse& in_use = TheInUse();
  for (const auto& [key, provider] : in_use.providers) {
    auto kept = provider->RefIfNonZero();
    if (kept != nullptr) in_use.without_threads.push_back(std::move(kept));
  }
  in_use.providers.clear();
  ReleaseLock();
}
GXDS_LOCK_OVER_FORKS(TakeLock, ReleaseLock, ReleaseLockInChild);

RefCountedPtr<grpc_tls_certificate_provider> Create(const std::string& plugin_name,
                                                    const std::string& config_json) {
  auto* factory = grpc_core::CoreConfiguration::Get()
                      .certificate_provider_registry()
                      .LookupCertificateProviderFactory(plugin_name);
  auto json = ParseJson(config_json.empty() ? "{}" : config_json);
  if (factory == nullptr || !json.ok()) return nullptr;
  std::string why;
  auto config = ReadProviderConfig(factory, *json, &why);
  if (config == nullptr) return nullptr;
  return factory->CreateCertificateProvider(std::move(config));
}

// A reference to the provider in use; null: there is none.
grpc_tls_certificate_provider* UseLocked(const std::string& key) {
  auto it = TheInUse().providers.find(key);
  return it != TheInUse().providers.end() ? it->second->RefIfNonZero().release() : nullptr;
}

grpc_tls_certificate_provider* Use(const std::string& key) {
  std::lock_guard<std::mutex> lock(TheInUse().mu);
  return UseLocked(key);
}

}  // namespace

grpc_tls_certificate_provider* CertificateProviderGet(gxds_str plugin_name, gxds_str config_json) {
  const std::string plugin(plugin_name.data, plugin_name.size);
  const std::string config(config_json.size > 0 ? config_json.data : "", config_json.size);
  const std::string key = plugin + '\0' + config;
  if (auto* used = Use(key)) return used;
  // Without the lock, because the host reads files and starts a thread.
  auto provider = Create(plugin, config);
  if (provider == nullptr) return nullptr;
  std::lock_guard<std::mutex> lock(TheInUse().mu);
  // Another thread may have made one in the meantime.
  if (auto* used = UseLocked(key)) return used;
  auto* shared = new SharedProvider(key, std::move(provider));
  TheInUse().providers[key] = shared;
  return shared;
}

}  // namespace grpc_xds
