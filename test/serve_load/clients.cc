#include "test/serve_load/clients.h"

#include <grpc/grpc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "host/host_get.h"
#include "resources/resources.h"
#include "test/serve_load/directory.h"
#include "transport/clock.h"
#include "xds_client/client.h"

namespace gxds_serve_load {
namespace {

// Only a run that failed lasts that long.
constexpr std::chrono::minutes kPatience{5};
// No resource counts as missing because the server is slow.
constexpr gxds_duration kResourceTimeout = 600 * GXDS_SECOND;

gxds_str View(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

const gxds_bootstrap* MakeBootstrap(const ClientsOptions& options) {
  const std::string json = R"({"xds_servers":[{"server_uri":"127.0.0.1:)" +
                           std::to_string(options.port) +
                           R"(","channel_creds":[{"type":"insecure"}],"server_features":[)" +
                           (options.delta ? R"("delta")" : "") + R"(]}],"node":{"id":"load"}})";
  const gxds_bootstrap* bootstrap = nullptr;
  gxds_status status = gxds_bootstrap_parse(View(json), gxds_host_get(), &bootstrap, nullptr);
  if (!bootstrap) {
    fprintf(stderr, "serve_load: %.*s\n", GXDS_STR_ARG(status.message));
    exit(1);
  }
  gxds_status_fini(&status);
  return bootstrap;
}

// The number of the change that made these endpoints.
int NumberIn(const gxds_resource* resource) {
  const auto* endpoints = reinterpret_cast<const gxds_endpoints*>(resource);
  const gxds_locality* locality = endpoints->priorities[0].localities[0];
  uint16_t port = 0;
  for (uint32_t i = 0; i < locality->endpoint_count; i++) {
    port = std::max(port, gxds_locality_endpoint(locality, i).address.port);
  }
  return Directory::NumberOf(port);
}

}  // namespace

struct Clients::Client {
  Clients* owner;
  gxds_session* session = nullptr;
  std::vector<bool> has;  // by token
  size_t missing;
  int number = 0;  // of the last change that it was told of

  Client(Clients* of, size_t tokens) : owner(of), has(tokens), missing(tokens) {}

  void Open(gxds_prepared* take_prepared);
};

void Clients::Client::Open(gxds_prepared* take_prepared) {
  static const gxds_session_events events = {OnNotification, [](void*) {},
                                             [](void*, gxds_duration) {}};
  grpc_arg own_connection{};
  own_connection.type = GRPC_ARG_INTEGER;
  own_connection.key = const_cast<char*>(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL);
  own_connection.value.integer = 1;
  const grpc_channel_args args = {1, &own_connection};
  const gxds_session_options options = {
      owner->bootstrap_, take_prepared, gxds_host_get(), kResourceTimeout, &args, &events, this};
  session = gxds_session_create(&options);
  const int clusters = owner->options_.clusters;
  for (int i = 0; i < 2 * clusters; i++) {
    const gxds_watcher watcher = {this, static_cast<uint64_t>(i), 0};
    const gxds_resource_type* type = i < clusters ? &gxds_cluster_type : &gxds_endpoints_type;
    const std::string name = ClusterName(i % clusters);
    gxds_client_watch(gxds_session_engine(session), type, View(name), watcher, gxds_reactor_now());
  }
  gxds_session_kick(session);
}

Clients::Clients(const ClientsOptions& options)
    : options_(options),
      bootstrap_(MakeBootstrap(options)),
      written_(static_cast<size_t>(options.changes) + 1) {
  const auto clients = static_cast<size_t>(options.clients);
  for (size_t i = 0; i < clients; i++) {
    clients_.push_back(std::make_unique<Client>(this, static_cast<size_t>(2 * options.clusters)));
  }
  lags_.reserve(clients * static_cast<size_t>(options.changes));
}

Clients::~Clients() {
  grpc_xds::OnReactor([this] {
    for (const auto& client : clients_) {
      if (client->session) gxds_session_destroy(client->session);
    }
  });
  gxds_bootstrap_unref(bootstrap_);
}

void Clients::Open() {
  for (const auto& client : clients_) {
    gxds_prepared* prepared = gxds_clients_prepare(bootstrap_, gxds_host_get());
    grpc_xds::Post([c = client.get(), prepared] { c->Open(prepared); });
  }
}

void Clients::OnNotification(void* arg, const gxds_action* action) {
  auto* client = static_cast<Client*>(arg);
  Clients* self = client->owner;
  if (action->kind == GXDS_ACTION_RESOURCE && action->resource) {
    self->OnResource(client, *action);
  } else if (action->error) {
    self->OnError(*client, *action->error);
  }
}

// On a busy machine the first attempt to connect may fail; the client then tries again. Later the
// server must not cause errors.
void Clients::OnError(const Client& client, const gxds_error& error) {
  const bool connected = client.missing < client.has.size();
  if ((connected ? errors_ : early_errors_)++ > 0) return;
  fprintf(stderr, "serve_load: a client was told: %.*s\n", GXDS_STR_ARG(error.message));
}

void Clients::OnResource(Client* client, const gxds_action& action) {
  const auto token = static_cast<size_t>(action.watcher.token);
  if (token == static_cast<size_t>(options_.clusters + options_.changing)) {
    OnNumber(client, NumberIn(action.resource));
  }
  if (client->has[token]) return;
  client->has[token] = true;
  if (--client->missing == 0) Note(&complete_);
}

void Clients::OnNumber(Client* client, int number) {
  if (number <= client->number) return;
  const gxds_time now = gxds_clock_now();
  for (int i = client->number + 1; i <= number; i++) {
    const gxds_duration lag = now - written_[static_cast<size_t>(i)];
    lags_.push_back({static_cast<float>(lag) / static_cast<float>(GXDS_MILLISECOND), i});
  }
  client->number = number;
  updates_++;
  if (number == options_.changes) Note(&at_last_);
}

void Clients::Note(int* count) {
  std::lock_guard<std::mutex> lock(mu_);
  if (++*count == options_.clients) changed_.notify_all();
}

bool Clients::AwaitAll(const int& count) {
  std::unique_lock<std::mutex> lock(mu_);
  return changed_.wait_for(lock, kPatience, [&] { return count == options_.clients; });
}

bool Clients::AwaitComplete() { return AwaitAll(complete_); }

bool Clients::AwaitLast() { return AwaitAll(at_last_); }

void Clients::OnChange(int number) { written_[static_cast<size_t>(number)] = gxds_clock_now(); }

std::vector<Clients::Lag> Clients::Lags() {
  std::vector<Lag> lags;
  grpc_xds::OnReactor([&] { lags = lags_; });
  std::sort(lags.begin(), lags.end(), [](const Lag& a, const Lag& b) { return a.ms < b.ms; });
  return lags;
}

std::string Clients::Progress() {
  std::lock_guard<std::mutex> lock(mu_);
  return std::to_string(complete_) + " of " + std::to_string(options_.clients) +
         " clients have all resources, " + std::to_string(at_last_) + " the last change";
}

}  // namespace gxds_serve_load
