// The notifications of watchers, and checks that each is correct.
#include "base/error.h"
#include "test/sim/channel.h"
#include "test/sim/client.h"

namespace gxds_sim {
namespace {

// The hash of the error's text; 0 for no error.
uint64_t Hash(const gxds_error *error) {
  if (error == nullptr) return 0;
  gxds_str s = gxds_error_text(error);
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < s.size; i++) {
    hash = (hash ^ static_cast<unsigned char>(s.data[i])) * 1099511628211u;
  }
  gxds_str_free(&s);
  return hash;
}

gxds_code CodeOf(const gxds_error *error) { return error ? error->code : GXDS_OK; }

bool IsOutage(const gxds_error &error) {
  return gxds_str_starts_with(error.message, gxds_str_z("xDS channel for server"));
}

}  // namespace

Watch *Client::WatchOf(const gxds_action &action) {
  if (action.watcher.owner != this) Fail("watcher", "a watcher that is nobody's");
  size_t index = static_cast<uint32_t>(action.watcher.token);
  uint32_t generation = static_cast<uint32_t>(action.watcher.token >> 32);
  bool live = index < watches_.size() && watches_[index].used &&
              watches_[index].generation == generation && watches_[index].id == action.watch;
  if (!live) Fail("ended-watch", "an ended watch gets a notification");
  return &watches_[index];
}

void Client::Notify(const gxds_action &action) {
  Watch *w = WatchOf(action);
  bool resource = action.kind == GXDS_ACTION_RESOURCE && action.resource;
  if (world_->tracing()) {
    world_->Trace("client%d: watch%d %s: %s #%d %s %s", index_,
                  static_cast<int>(w - watches_.data()), TypeOf(w->type).short_name,
                  resource                                   ? "resource"
                  : action.kind == GXDS_ACTION_AMBIENT_ERROR ? "ambient"
                                                             : "error",
                  NumberOf(action.resource), gxds_code_name(CodeOf(action.error)),
                  action.error ? String(action.error->message).c_str() : "");
  }
  Plant plant = world_->plant();
  if (plant == kPlantLostUpdate && resource && w->held >= 0 && !planted_) {
    planted_ = true;
    return;
  }
  if (plant == kPlantStrayAmbient && !resource && action.kind == GXDS_ACTION_RESOURCE &&
      w->name >= 0) {
    return NotifyAmbient(w, action);
  }
  if (action.kind == GXDS_ACTION_AMBIENT_ERROR) return NotifyAmbient(w, action);
  NotifyResource(w, action);
  if (plant == kPlantDoubleUpdate && resource && !planted_) {
    planted_ = true;
    NotifyResource(w, action);
  }
}

void Client::NotifyResource(Watch *w, const gxds_action &action) {
  const gxds_resource *resource = action.resource;
  if ((resource != nullptr) != (action.error == nullptr)) {
    Fail("resource-or-error", "a watcher is notified of both, or of neither");
  }
  if (w->name < 0) {
    if (resource || w->notified) Fail("refused", "a refused watch gets another notification");
  } else if (resource) {
    int number = NumberOf(resource);
    const Entry &e = entries_[w->type][w->name];
    if (resource->type != &TypeOf(w->type)) Fail("resource-type", "a resource of another type");
    if (number >= 0) {
      const Content &c = world_->contents().at(number);
      if (e.unsure && c.name != w->name) world_->contents().SetMisnamed(number);
      if (c.name != w->name && !c.misnamed) Fail("resource-name", "a resource of another name");
    }
    bool same = w->held == number && number >= 0;
    if (same && !e.may_renew && !e.unsure)
      Fail("notified-twice", "a watcher is notified of what it has");
    world_->Did(kDidResource);
  } else {
    CheckTimeout(*w, *action.error);
    CheckUnreachable(*w, *action.error);
    world_->Did(kDidDataError);
  }
  w->notified = true;
  w->held = NumberOf(resource);
  w->error_code = CodeOf(action.error);
  w->ambient_code = 0;
  w->ambient_hash = 0;
  if (w->channel < 0) return;
  channel(w->channel)->OnResource(*w, resource, action.error);
  Touch(w->channel);
}

void Client::NotifyAmbient(Watch *w, const gxds_action &action) {
  if (w->held == kNothing)
    Fail("stray-ambient", "an ambient error for a watcher without a resource");
  uint64_t hash = Hash(action.error);
  if (w->ambient_code == static_cast<int>(CodeOf(action.error)) && w->ambient_hash == hash) {
    Fail("ambient-twice", "a watcher is notified twice of an ambient error");
  }
  if (action.error) CheckUnreachable(*w, *action.error);
  w->ambient_code = CodeOf(action.error);
  w->ambient_hash = hash;
  w->ambient_outage = action.error && IsOutage(*action.error);
  world_->Did(kDidAmbient);
  if (w->channel < 0) return;
  channel(w->channel)->OnAmbient(*w, action.error);
  Touch(w->channel);
}

// A57: a resource does not exist only if it was deleted, or if its timeout has passed since the
// request.
void Client::CheckTimeout(const Watch &w, const gxds_error &error) {
  bool transient = gxds_str_starts_with(error.message, gxds_str_z("timeout obtaining"));
  if (!transient && !gxds_str_starts_with(error.message, gxds_str_z("does not exist"))) return;
  world_->Did(kDidDoesNotExist);
  const Entry &e = entries_[w.type][w.name];
  bool in_time = e.was_missing || (transient ? e.may_be_late : e.may_not_exist);
  if (!in_time && !e.unsure && e.held == kNothing) {
    Fail("early-not-found", "a resource is reported not to exist before its time is up");
  }
}

// A server is unreachable only if a stream or a channel failed and no response has come since.
void Client::CheckUnreachable(const Watch &w, const gxds_error &error) {
  if (!IsOutage(error)) return;
  int primary = world_->options().authority_servers[AuthorityOf(w.name)][0];
  if (!conns_[primary].failed_lately) Fail("false-outage", "server%d has not failed", primary);
}

}  // namespace gxds_sim
