#include "test/xds_resolver/fake_transport.h"

#include <gtest/gtest.h>

#include "test/xds_resolver/made_up.h"

using made_up::FakeTransport;

struct gxds_prepared {};

struct gxds_client_handle {
  const gxds_bootstrap *bootstrap;
  const gxds_watch_events *events;
  void *owner;
  gxds_load_store *load_store;
};

namespace made_up {

FakeTransport &FakeTransport::Get() {
  static FakeTransport fake;
  return fake;
}

void FakeTransport::RunReactor() {
  while (!posts.empty()) {
    auto [fn, arg] = posts.front();
    posts.pop_front();
    EXPECT_GT(reactor_uses, 0) << "a message to a reactor that is not there";
    fn(arg);
  }
}

void FakeTransport::Notify(const char *type, const std::string &name,
                           const gxds_resource *take_resource) {
  auto it = watches.find({type, name});
  ASSERT_TRUE(it != watches.end()) << type << " " << name;
  handle->events->on_resource(handle->owner, it->second, take_resource, nullptr);
  gxds_resource_unref(take_resource);
}

void FakeTransport::NotifyError(const char *type, const std::string &name, const char *why) {
  auto it = watches.find({type, name});
  ASSERT_TRUE(it != watches.end()) << type << " " << name;
  const gxds_error *error = made_up::NewError(why, GXDS_NOT_FOUND);
  handle->events->on_resource(handle->owner, it->second, nullptr, error);
  gxds_error_unref(error);
}

void FakeTransport::NotifyAmbientError(const char *type, const std::string &name, const char *why) {
  auto it = watches.find({type, name});
  ASSERT_TRUE(it != watches.end()) << type << " " << name;
  const gxds_error *error = made_up::NewError(why);
  handle->events->on_ambient_error(handle->owner, it->second, error);
  gxds_error_unref(error);
}

void FakeTransport::Drained() { handle->events->on_drained(handle->owner); }

}  // namespace made_up

extern "C" {

void gxds_reactor_acquire(void) { FakeTransport::Get().reactor_uses++; }
void gxds_reactor_release(void) { FakeTransport::Get().reactor_uses--; }
unsigned gxds_reactor_channel_opened(void) { return 0; }
void gxds_reactor_channel_closed(unsigned) {}
void gxds_reactor_post(void (*fn)(void *arg), void *arg) {
  EXPECT_GT(FakeTransport::Get().reactor_uses, 0);
  FakeTransport::Get().posts.emplace_back(fn, arg);
}

gxds_prepared *gxds_clients_prepare(const gxds_bootstrap *, const gxds_host *) {
  FakeTransport::Get().prepared++;
  return new gxds_prepared;
}
void gxds_prepared_destroy(gxds_prepared *p) {
  if (p == nullptr) return;
  FakeTransport::Get().prepared--;
  delete p;
}

gxds_client_handle *gxds_clients_acquire(gxds_client_key key, const gxds_bootstrap *bootstrap,
                                         gxds_prepared *take_prepared, const gxds_host *,
                                         gxds_duration resource_timeout,
                                         const grpc_channel_args *args,
                                         const gxds_watch_events *events, void *owner) {
  FakeTransport &fake = FakeTransport::Get();
  gxds_prepared_destroy(take_prepared);
  fake.clients++;
  fake.target.assign(key.target.size ? key.target.data : "", key.target.size);
  fake.is_private = key.private_ != nullptr;
  fake.resource_timeout = resource_timeout;
  fake.args = args;
  fake.handle = new gxds_client_handle{gxds_bootstrap_ref(bootstrap), events, owner,
                                       gxds_load_store_create(nullptr, nullptr)};
  return fake.handle;
}

void gxds_client_handle_release(gxds_client_handle *h) {
  FakeTransport &fake = FakeTransport::Get();
  fake.clients--;
  fake.watches.clear();
  fake.handle = nullptr;
  gxds_bootstrap_unref(h->bootstrap);
  gxds_load_store_close(h->load_store);
  gxds_load_store_unref(h->load_store);
  delete h;
}

void gxds_client_handle_watch(gxds_client_handle *, const gxds_resource_type *type, gxds_str name,
                              uint64_t token) {
  made_up::Key key = {type->short_name, std::string(name.data, name.size)};
  EXPECT_TRUE(FakeTransport::Get().watches.emplace(key, token).second);
}

void gxds_client_handle_unwatch(gxds_client_handle *, uint64_t token) {
  auto &watches = FakeTransport::Get().watches;
  for (auto it = watches.begin(); it != watches.end(); ++it) {
    if (it->second != token) continue;
    watches.erase(it);
    return;
  }
  ADD_FAILURE() << "unwatched what is not watched";
}

gxds_str gxds_client_handle_source(gxds_client_handle *, uint64_t) {
  return gxds_str_z("xds.example");
}

void gxds_client_handle_reset_backoff(gxds_client_handle *) {
  FakeTransport::Get().backoffs_reset++;
}
gxds_load_store *gxds_client_handle_load_store(gxds_client_handle *h) { return h->load_store; }
const gxds_bootstrap *gxds_client_handle_bootstrap(gxds_client_handle *h) { return h->bootstrap; }

}  // extern "C"
