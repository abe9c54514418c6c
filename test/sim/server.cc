#include "test/sim/server.h"

namespace gxds_sim {

Server::Server(World *world, int index)
    : world_(world), index_(index), uri_("server" + std::to_string(index)) {
  config_.uri = Str(uri_);
  config_.creds_type = gxds_str_z("insecure");
  config_.fail_on_data_errors = options().fail_on_data_errors;
  config_.resource_timer_is_transient_error = options().transient_timer;
  Forget();
}

void Server::Forget() {
  for (auto &names : store_) {
    for (int &content : names) content = -1;
  }
  version_ = 0;
  nonces_ = 0;
}

void Server::Replicate(int type, int name, int content) {
  if (store_[type][name] == content) return;
  store_[type][name] = content;
  version_++;
  PushAll(type);
}

void Server::Resync() {
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) Replicate(type, name, world_->truth(type, name));
  }
}

void Server::PushAll(int type) {
  for (int i = 0; i < world_->stream_count(); i++) {
    const Stream &s = world_->stream(i);
    if (s.used && s.server == index_ && s.sotw.served[type].asked) {
      world_->SchedulePush(i, type, world_->net().Around(options().delay));
    }
  }
}

std::string Server::Version() const {
  return options().constant_version ? "1" : std::to_string(version_);
}

}  // namespace gxds_sim
