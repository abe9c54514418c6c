#include "test/sim/server.h"

#include <algorithm>

#include "test/sim/ads.h"
#include "test/sim/client.h"
#include "test/sim/files.h"

namespace gxds_sim {

Server::Server(World *world, int index)
    : world_(world), index_(index), uri_("server" + std::to_string(index)) {
  if (world->IsFiles(index)) {
    uri_ = "file:///files";
    config_.directory = gxds_str_z("/files");
  }
  if (world->IsWeb(index)) {
    uri_ = "http://server" + std::to_string(index);
    config_.web_form = world->options().web_files ? GXDS_WEB_FILES : GXDS_WEB_REST;
    config_.refresh_delay = world->options().web_refresh;
  }
  config_.uri = Str(uri_);
  config_.creds_type = gxds_str_z("insecure");
  config_.fail_on_data_errors = options().fail_on_data_errors;
  config_.delta = options().delta;
  config_.resource_timer_is_transient_error = options().transient_timer;
  config_.endpoint_weights = index % 2 == 1;
  config_.lb_subsets = index % 2 == 0;
  Forget();
}

void Server::Forget() {
  for (auto &names : store_) {
    for (int &content : names) content = -1;
  }
  acknowledged_.clear();
  version_ = 0;
  nonces_ = 0;
}

void Server::Replicate(int type, int name, int content) {
  if (store_[type][name] == content) return;
  store_[type][name] = content;
  version_++;
  if (world_->IsFiles(index_)) return world_->directory()->Write(type);
  if (world_->IsWeb(index_)) return;  // web sources poll it
  if (options().repeats) return RepeatAll();
  PushAll(type);
}

void Server::RepeatAll() {
  for (int type = 0; type < kTypeCount; type++) {
    for (int i = 0; i < world_->stream_count(); i++) {
      Stream &s = world_->stream(i);
      if (!s.used || s.server != index_ || s.delta || !HasRequested(s, type)) continue;
      s.sotw.server_end[type].owes = s.sotw.server_end[type].repeats = true;
    }
    PushAll(type);
  }
}

void Server::Resync() {
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) Replicate(type, name, world_->truth(type, name));
  }
}

void Server::PushAll(int type) {
  for (int i = 0; i < world_->stream_count(); i++) {
    const Stream &s = world_->stream(i);
    if (s.used && s.server == index_ && HasRequested(s, type)) {
      world_->SchedulePush(i, type, world_->net().Around(options().delay));
    }
  }
}

void Server::Remember(const Stream &stream, const Request &r, const SotwServerEnd &s) {
  if (!options().trusting) return;
  uint64_t client = world_->client(stream.client).serial();
  Acknowledged *found = nullptr;
  for (Acknowledged &a : acknowledged_) {
    if (a.client == client && a.type == r.type) found = &a;
  }
  if (!found) found = &acknowledged_.emplace_back();
  found->client = client;
  found->type = r.type;
  found->version = String(r.version);
  found->names = r.names;
  std::copy(s.given, s.given + kNameCount, found->given);
}

bool Server::Trusts(const Stream &stream, const Request &r, SotwServerEnd *s) const {
  if (!options().trusting || r.version.size == 0) return false;
  uint64_t client = world_->client(stream.client).serial();
  for (const Acknowledged &a : acknowledged_) {
    if (a.client != client || a.type != r.type) continue;
    bool same = a.names == r.names && gxds_str_equal(Str(a.version), r.version);
    ForEachName(a.names, [&](int name) { same = same && a.given[name] == store_[a.type][name]; });
    if (same) std::copy(a.given, a.given + kNameCount, s->given);
    return same;
  }
  return false;
}

std::string Server::Version() const {
  return options().constant_version ? "1" : std::to_string(version_);
}

}  // namespace gxds_sim
