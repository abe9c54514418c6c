#include "test/differential/peer.h"

#include "base/check.h"
#include "test/sim/codec.h"
#include "test/sim/reference.h"

namespace gxds_differential {

using gxds_sim::Str;
using gxds_sim::String;

namespace {

const gxds_host kHost = {};
constexpr char kNodeId[] = "node";
// The occasion at which a planted fault happens. It is not the first, so that the client holds
// something by then.
constexpr int kStrike = 5;

}  // namespace

Peer::Peer(gxds_ads_server *server, const PeerOptions &options, gxds_time now)
    : server_(server), options_(options), node_(gxds_sim::BuildNode(kNodeId)) {
  MakeBootstrap();
  gxds_client_options client = {};
  client.bootstrap = &bootstrap_;
  client.host = &kHost;
  client.types = gxds_resource_types;
  client.type_count = gxds_sim::kTypeCount;
  client.seed = 1;
  engine_ = gxds_client_create(&client);
  gxds_dependency_manager_options manager = {};
  manager.listener_name = Str(gxds_sim::NameOf(gxds_sim::kLds, 0));
  manager.data_plane_authority = gxds_str_z(gxds_sim::kDataPlaneAuthority);
  manager.node_id = gxds_str_z(kNodeId);
  manager_ = gxds_dependency_manager_create(&manager);
  Drain(now);
}

void Peer::MakeBootstrap() {
  server_config_.uri = gxds_str_z("server");
  server_config_.creds_type = gxds_str_z("insecure");
  server_config_.delta = options_.delta;
  server_config_.fail_on_data_errors = options_.fail_on_data_errors;
  server_config_.resource_timer_is_transient_error = options_.transient_timer;
  authority_.name = gxds_str_z("a");
  authority_.servers = servers_;
  authority_.server_count = 1;
  gxds_ref_init(&bootstrap_.refs);
  bootstrap_.servers = servers_;
  bootstrap_.server_count = 1;
  bootstrap_.node_id = gxds_str_z(kNodeId);
  bootstrap_.node = Str(node_);
  bootstrap_.authorities = &authority_;
  bootstrap_.authority_count = 1;
}

Peer::~Peer() {
  gxds_config_unref(config_);
  gxds_dependency_manager_destroy(manager_);
  gxds_client_destroy(engine_);
}

// ---- actions of its owner ----

void Peer::Watch(int slot, int type, const std::string &name, gxds_time now) {
  if (watches_.size() <= static_cast<size_t>(slot)) watches_.resize(static_cast<size_t>(slot) + 1);
  RawWatch &w = watches_[static_cast<size_t>(slot)];
  w = {0, type, name, kUntold};
  w.id = gxds_client_watch(engine_, &gxds_sim::TypeOf(type), Str(name),
                           gxds_watcher{this, static_cast<uint64_t>(slot), 0}, now);
  Drain(now);
}

void Peer::EndWatch(int slot, gxds_time now) {
  RawWatch &w = watches_[static_cast<size_t>(slot)];
  gxds_client_unwatch(engine_, w.id, now);
  w = RawWatch();
  Drain(now);
}

void Peer::Subscribe(const std::string &cluster, bool begin, gxds_time now) {
  if (begin) {
    gxds_dependency_manager_subscribe(manager_, Str(cluster));
  } else {
    gxds_dependency_manager_unsubscribe(manager_, Str(cluster));
  }
  Drain(now);
}

void Peer::Hold(const std::string &cluster, bool begin, gxds_time now) {
  gxds_dependency_manager_hold(manager_, Str(cluster), begin);
  Drain(now);
}

// ---- events of the network ----

bool Peer::TakeResponse(uint64_t server_stream, gxds_str bytes) {
  if (server_stream != server_stream_) return false;
  down_.push_back(String(bytes));
  return true;
}

bool Peer::CanMove() const { return !up_.empty() || (read_wanted_ && !down_.empty()); }

void Peer::Move(gxds_sim::Random *random, gxds_time now) {
  bool response = read_wanted_ && !down_.empty();
  if (response && (up_.empty() || random->OneIn(2))) {
    DeliverResponse(now);
  } else if (!up_.empty()) {
    DeliverRequest(now);
  }
  Drain(now);
}

void Peer::DeliverRequest(gxds_time now) {
  std::string bytes = up_.front();
  up_.pop_front();
  if (options_.server_drops_names && gxds_sim::ParseDeltaRequest(Str(bytes)).nonce.size > 0) {
    gxds_sim::DeltaRequestChange change;
    change.without_subscribe = change.without_unsubscribe = true;
    bytes = gxds_sim::ChangeDeltaRequest(Str(bytes), change);
  }
  gxds_client_on_sent(engine_, stream_, now);
  gxds_ads_server_on_message(server_, server_stream_, Str(bytes), now);
}

bool Peer::Strike() { return ++strikes_ == kStrike; }

void Peer::DeliverResponse(gxds_time now) {
  std::string bytes = down_.front();
  down_.pop_front();
  if (options_.plant == kPlantOldResponse && Strike()) down_.push_back(last_);
  if (options_.plant == kPlantLostResponse && Strike()) return;
  last_ = bytes;
  read_wanted_ = false;
  gxds_client_on_message(engine_, stream_, bytes.data(), bytes.size(), now);
}

void Peer::EndStream(gxds_time now) {
  if (!stream_) return;
  gxds_ads_server_on_closed(server_, server_stream_, gxds_str_z("the network"));
  gxds_stream_id stream = stream_;
  stream_ = server_stream_ = 0;
  read_wanted_ = false;
  up_.clear();
  down_.clear();
  gxds_status status = gxds_status_make(GXDS_UNAVAILABLE, "the network");
  gxds_client_on_stream_closed(engine_, stream, &status, now);
  gxds_status_fini(&status);
  Drain(now);
}

void Peer::OnDeadline(gxds_time now) {
  gxds_client_on_deadline(engine_, now);
  Drain(now);
}

// ---- the drain ----

void Peer::Drain(gxds_time now) {
  gxds_client_validate(engine_);
  do {
    while (const gxds_action *action = gxds_client_next_action(engine_)) Carry(*action, now);
    gxds_dependency_manager_settle(manager_);
  } while (CarryManager(now));
  gxds_client_validate(engine_);
}

void Peer::Carry(const gxds_action &action, gxds_time now) {
  switch (action.kind) {
    case GXDS_ACTION_OPEN_STREAM:
      stream_ = action.stream;
      server_stream_ = gxds_ads_server_open(
          server_, options_.delta ? GXDS_ADS_DELTA : GXDS_ADS_SOTW, gxds_str_z("peer"), now);
      return;
    case GXDS_ACTION_CLOSE_STREAM:
      gxds_ads_server_on_closed(server_, server_stream_, gxds_str_z("closed"));
      stream_ = server_stream_ = 0;
      read_wanted_ = false;
      up_.clear();
      down_.clear();
      return;
    case GXDS_ACTION_SEND:
      up_.push_back(String(action.bytes) + String(gxds_block_str(action.rest)));
      return;
    case GXDS_ACTION_READ:
      read_wanted_ = true;
      return;
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      return Notify(action);
    default:
      return;
  }
}

void Peer::Notify(const gxds_action &action) {
  bool ambient = action.kind == GXDS_ACTION_AMBIENT_ERROR;
  if (action.watcher.owner == this) {
    if (!ambient) watches_[action.watcher.token].held = NumberOf(action.resource);
  } else if (ambient) {
    gxds_dependency_manager_on_ambient_error(manager_, action.watcher.token, action.error);
  } else if (options_.plant != kPlantLostUpdate || !action.resource || !Strike()) {
    gxds_dependency_manager_on_resource(manager_, action.watcher.token, action.resource,
                                        action.error);
  }
}

// Returns whether there was any action.
bool Peer::CarryManager(gxds_time now) {
  bool any = false;
  while (const gxds_dependency_action *a = gxds_dependency_manager_next_action(manager_)) {
    any = true;
    switch (a->kind) {
      case GXDS_DEPENDENCY_WATCH:
        manager_watches_[a->token] =
            gxds_client_watch(engine_, a->type, a->name, gxds_watcher{&manager_, a->token, 0}, now);
        break;
      case GXDS_DEPENDENCY_UNWATCH:
        gxds_client_unwatch(engine_, manager_watches_[a->token], now);
        manager_watches_.erase(a->token);
        break;
      case GXDS_DEPENDENCY_PUBLISH:
      case GXDS_DEPENDENCY_FAIL:
        failed_ = a->kind == GXDS_DEPENDENCY_FAIL;
        gxds_config_unref(config_);
        config_ = failed_ ? nullptr : gxds_config_ref(a->config);
        break;
      case GXDS_DEPENDENCY_DNS_START: {
        gxds_str none = {nullptr, 0};
        const gxds_endpoints *endpoints =
            gxds_endpoints_of_locality(gxds_locality_create(none, none, none, 1, 1));
        gxds_status ok = gxds_status_ok();
        gxds_dependency_manager_on_dns(manager_, a->token, endpoints, &ok);
        gxds_resource_unref(&endpoints->base);
        gxds_dependency_manager_settle(manager_);
        break;
      }
      default:
        break;
    }
  }
  return any;
}

// ---- what the client holds ----

int Peer::NumberOf(const gxds_resource *resource) {
  if (!resource) return kNothing;
  int number = gxds_sim::Contents::NumberOf(resource);
  return number < 0 ? int{kSocket} : number;
}

void Peer::DumpEntry(void *arg, const gxds_cluster_entry *e) {
  static const char *const kinds[] = {"error", "endpoints", "aggregate"};
  std::string line = kinds[e->kind];
  if (e->cluster) line += " #" + std::to_string(NumberOf(&e->cluster->base));
  if (e->endpoints) {
    bool dns = e->cluster->kind == GXDS_CLUSTER_LOGICAL_DNS;
    line += dns ? " dns" : " #" + std::to_string(NumberOf(&e->endpoints->base));
  }
  if (e->deleted) line += " deleted";
  for (size_t i = 0; i < e->leaf_cluster_count; i++) line += " " + String(e->leaf_clusters[i]);
  (*static_cast<std::map<std::string, std::string> *>(arg))[String(e->name)] = line;
}

std::string Peer::Dump() const {
  std::string out = failed_ ? "failed\n" : config_ ? "" : "nothing\n";
  if (config_) {
    out += "listener #" + std::to_string(NumberOf(&config_->listener->base));
    /* An inline route configuration has the number of its listener. */
    out += " routes #" + std::to_string(NumberOf(&config_->route_config->base)) + " roots";
    for (size_t i = 0; i < config_->roots->count; i++)
      out += " " + String(config_->roots->names[i]);
    std::map<std::string, std::string> entries;
    gxds_cluster_map_each(config_->clusters, DumpEntry, &entries);
    out += "\n";
    for (const auto &[name, line] : entries) out += "cluster " + name + ": " + line + "\n";
  }
  for (const RawWatch &w : watches_) {
    if (!w.id) continue;
    out += std::string("watch ") + gxds_sim::TypeOf(w.type).short_name + " " + w.name + ": #" +
           std::to_string(w.held) + "\n";
  }
  return out;
}

}  // namespace gxds_differential
