// The model of what a client should hold, and its comparison with the engine.
#include "base/status.h"
#include "test/sim/ads.h"
#include "test/sim/channel.h"
#include "test/sim/client.h"

namespace gxds_sim {

// ---- the model ----

int Client::ModelNumber(World *world, int content) {
  const Content &c = world->contents().at(content);
  return c.kind == kListenerSocket ? static_cast<int>(kSomeSocket) : content;
}

void Client::Accept(int type, int name, int server, const Item &item, gxds_duration ttl,
                    int alias_of) {
  Entry &e = entries_[type][name];
  int number = ModelNumber(world_, item.content);
  if (e.unsure || (e.held == number && e.source != server)) e.may_renew = true;
  e.held = number;
  e.source = server;
  e.state = GXDS_RESOURCE_ACKED;
  e.was_missing = e.was_missing || e.may_not_exist || e.may_be_late;
  e.unsure = e.may_not_exist = e.may_be_late = e.restored = false;
  e.version = item.version;
  e.alias_of = alias_of;
  Renew(type, name, ttl);
}

void Client::Renew(int type, int name, gxds_duration ttl) {
  Entry &e = entries_[type][name];
  e.ttl_unsure = false;
  e.ttl_at = ttl ? world_->now() + ttl : GXDS_TIME_NEVER;
}

// Resources whose TTL has expired are dropped.
void Client::EndTtls(gxds_time now) {
  for (int type = 0; type < kTypeCount; type++) {
    for (int name = 0; name < kNameCount; name++) {
      Entry &e = entries_[type][name];
      if (e.ttl_unsure && (e.unsure || e.held != kNothing)) {
        BeUnsure(type, name);
        e.may_not_exist = true;
      } else if (e.ttl_at <= now) {
        if (e.watchers) world_->Did(kDidTtlEnds);
        if (!e.unsure) e.state = GXDS_RESOURCE_DOES_NOT_EXIST;
        Drop(&e);
        e.may_not_exist = true;
      }
    }
  }
}

void Client::Drop(Entry *e) {
  if (!e->unsure) e->held = kNothing;
  e->source = -1;
  e->alias_of = -1;
  e->version.clear();
  e->restored = false;
  e->ttl_at = GXDS_TIME_NEVER;
}

void Client::Reject(int type, int name, int server) {
  Entry &e = entries_[type][name];
  e.state = GXDS_RESOURCE_NACKED;
  if (world_->server(server).options().fail_on_data_errors) {
    e.unsure = false;
    Drop(&e);
  }
}

void Client::Delete(int type, int name, int server) {
  Entry &e = entries_[type][name];
  bool known = e.state == GXDS_RESOURCE_DOES_NOT_EXIST || e.state == GXDS_RESOURCE_RECEIVED_ERROR;
  if (e.unsure || e.held == kNothing || known) return;
  e.state = GXDS_RESOURCE_DOES_NOT_EXIST;
  if (world_->server(server).options().fail_on_data_errors) Drop(&e);
}

void Client::Miss(int type, int name, int server) {
  Entry &e = entries_[type][name];
  e.state = GXDS_RESOURCE_RECEIVED_ERROR;
  if (world_->server(server).options().fail_on_data_errors) {
    e.unsure = false;
    Drop(&e);
  }
}

void Client::Remove(int type, int name, int server) {
  Entry &e = entries_[type][name];
  e.may_not_exist = true;
  if (e.unsure || e.state == GXDS_RESOURCE_DOES_NOT_EXIST) return;
  e.state = GXDS_RESOURCE_DOES_NOT_EXIST;
  if (world_->server(server).options().fail_on_data_errors) Drop(&e);
}

void Client::BeUnsure(int type, int name) {
  any_unsure_ = true;
  Entry &e = entries_[type][name];
  e.unsure = e.may_renew = true;
  e.ttl_unsure = e.ttl_unsure || world_->options().any_ttl;
  e.ttl_at = GXDS_TIME_NEVER;
}

void Client::BeUnsure() {
  any_unsure_ = true;
  for (auto &names : entries_) {
    for (Entry &e : names) {
      e.unsure = e.may_renew = e.ttl_unsure = true;
      e.ttl_at = GXDS_TIME_NEVER;
    }
  }
}

// ---- after every drain ----

void Client::Observe() {
  constexpr uint32_t kCompareEvery = 16;
  if (any_unsure_ || ++observations_ % kCompareEvery == 0) CompareWithEngine();
  for (const Watch &w : watches_) {
    if (w.used && w.name >= 0) CheckWatch(w);
  }
  for (auto &names : entries_) {
    for (Entry &e : names) e.may_renew = e.was_missing = false;
  }
  for (Conn &conn : conns_) {
    conn.failed_lately = conn.failed;
    conn.maybe_given_up = false;
  }
}

void Client::CheckWatch(const Watch &w) {
  const Entry &e = entries_[w.type][w.name];
  if (w.held != e.held) {
    Fail("held", "%s n%d: a watcher has #%d, but should have #%d", TypeOf(w.type).short_name,
         w.name, w.held, e.held);
  }
}

// The engine's own view of the cache, by type and name.
void Client::CompareWithEngine() {
  any_unsure_ = false;
  seen_.clear();
  gxds_client_each_resource(
      engine_,
      [](void *arg, const gxds_resource_info *info) {
        static_cast<std::vector<gxds_resource_info> *>(arg)->push_back(*info);
      },
      &seen_);
  size_t watched = 0;
  for (Mask names : watched_) watched += static_cast<size_t>(__builtin_popcount(names));
  if (watched != seen_.size()) {
    Fail("cache-count", "%zu resources are held, should be %zu", seen_.size(), watched);
  }
  for (const gxds_resource_info &info : seen_) CompareResource(info);
}

void Client::CompareResource(const gxds_resource_info &info) {
  int type = TypeIndex(info.type);
  int name = IdOf(type, info.name);
  if (name < 0) Fail("cache-name", "a resource is held that nobody watches");
  Entry &e = entries_[type][name];
  int number = NumberOf(info.resource);
  if (e.unsure) {
    e.held = number;
    e.source = -1;
    e.alias_of = kUnknownAlias;
    e.restored = info.restored;
    e.may_not_exist = e.may_not_exist || info.state == GXDS_RESOURCE_DOES_NOT_EXIST;
    e.may_be_late = e.may_be_late || info.state == GXDS_RESOURCE_TIMEOUT;
    bool misnamed = number >= 0 && world_->contents().at(number).name != name;
    if (misnamed) world_->contents().SetMisnamed(number);
  }
  /* The engine's timer changed the state. The model has no such timer, but checks the
   * notifications. */
  bool timed_out = (info.state == GXDS_RESOURCE_DOES_NOT_EXIST && e.may_not_exist) ||
                   (info.state == GXDS_RESOURCE_TIMEOUT && e.may_be_late);
  timed_out = timed_out && (!info.resource || info.restored);
  if (e.unsure || timed_out) e.state = info.state;
  e.unsure = false;
  bool same = static_cast<int>(info.watcher_count) == e.watchers && number == e.held &&
              info.state == e.state;
  if (!same) {
    Fail("cache", "%s n%d: #%d in state %d with %zu watchers, should be #%d, %d, %d",
         info.type->short_name, name, number, info.state, info.watcher_count, e.held, e.state,
         e.watchers);
  }
}

// ---- the end ----

void Client::Repair() {
  for (auto &c : channels_) {
    if (!c) continue;
    c->Repair();
  }
}

void Client::CheckConverged() {
  if (gxds_client_deadline(engine_) != GXDS_TIME_NEVER) {
    Fail("leftover-deadline", "a deadline is left when nothing is going on");
  }
  CompareWithEngine();
  for (const Watch &w : watches_) {
    if (!w.used) continue;
    const char *type = TypeOf(w.type).short_name;
    if (!w.notified) Fail("not-notified", "%s n%d: a watcher waits for ever", type, w.name);
    if (w.name < 0) continue;
    CheckWatch(w);
    /* An outage ends with a response, and a client that the server trusts to have everything gets
     * none. */
    int primary = world_->options().authority_servers[AuthorityOf(w.name)][0];
    bool outage = w.ambient_outage && conns_[primary].failed;
    int truth = world_->truth(w.type, w.name);
    if (truth >= 0) {
      if (w.held != ModelNumber(world_, truth)) {
        Fail("not-converged", "%s n%d: #%d, but the truth is #%d", type, w.name, w.held, truth);
      }
      if (w.ambient_code && !outage) {
        Fail("leftover-ambient", "%s n%d: an error is left", type, w.name);
      }
    } else if (w.held == kNothing && !w.error_code) {
      Fail("not-notified", "%s n%d: nothing, and no error", type, w.name);
    } else if (w.held != kNothing && !outage && ReportsDeletions(w) &&
               w.ambient_code != GXDS_NOT_FOUND) {
      Fail("deletion", "%s n%d: deleted, but its watcher was notified of %d", type, w.name,
           w.ambient_code);
    }
  }
  CheckSubscriptions();
  if (cache_) cache_->CheckConverged();
  for (auto &c : channels_) {
    if (c) c->CheckConverged();
  }
}

// Whether the client learns that a resource was deleted. If it came from another server, it was
// requested again from the primary, and its timer ended. If the model does not know from which one
// it came, the primary perhaps had sent nothing that has changed since.
bool Client::ReportsDeletions(const Watch &w) const {
  int primary = world_->options().authority_servers[AuthorityOf(w.name)][0];
  const ServerOptions &o = world_->server(primary).options();
  if (world_->IsNoServer(primary)) return true;
  if (o.delta && !conns_[primary].no_delta) return o.removes_absent;
  const int source = entries_[w.type][w.name].source;
  if (source >= 0 && source != primary) return !o.transient_timer;
  if (source < 0 && o.extra_responses == kNoExtraResponses) return false;
  return w.type == kLds || w.type == kCds;
}

// Checks that the client requests exactly the watched names from each server, and that no response
// waits for its ACK or NACK.
void Client::CheckSubscriptions() {
  for (int server = 0; server < world_->options().servers; server++) {
    const Conn &conn = conns_[server];
    if (!conn.id) continue;
    if (conn.stream < 0) Fail("no-stream", "no stream to server%d", server);
    const Stream &s = world_->stream(conn.stream);
    if (s.delta != (world_->server(server).options().delta && !conn.no_delta)) {
      Fail("encoding", "the stream to server%d is in the wrong encoding", server);
    }
    if (s.sending || !s.read_wanted || !s.inbox.empty()) {
      Fail("stuck", "something is stuck on the stream to server%d", server);
    }
    for (int type = 0; type < kTypeCount; type++) {
      const SotwClientEnd &client_end = s.sotw.client_end[type];
      bool waits = s.delta ? !s.delta_state.client_end[type].acks_due.empty()
                           : client_end.requested && client_end.ack_due;
      if (waits) {
        Fail("no-ack", "a response of server%d got no ACK or NACK", server);
      }
      for (int a = 0; a < kAuthorityCount; a++) {
        Mask watched = watched_[type] & kAuthorityNames[a];
        Mask requested = RequestedNames(s, type) & kAuthorityNames[a];
        if (requested == watched || (requested == 0 && !IsPrimary(server, a))) continue;
        Fail("subscriptions", "%s %x are requested from server%d, should be %x",
             TypeOf(type).short_name, requested, server, watched);
      }
    }
  }
}

void Client::Finish() {
  for (auto &c : channels_) {
    if (c) c->Finish();
    c.reset();
  }
  for (size_t i = 0; i < watches_.size(); i++) {
    if (watches_[i].used) EndWatch(static_cast<int>(i));
  }
  Drain();
  if (gxds_client_watch_count(engine_) != 0) Fail("leftover-watch", "a watch is left");
  if (gxds_client_deadline(engine_) != GXDS_TIME_NEVER) {
    Fail("leftover-deadline", "a deadline is left without watches");
  }
  for (const Conn &conn : conns_) {
    if (conn.id) Fail("leftover-server", "a server is kept without watches");
  }
}

uint64_t Client::Digest() {
  uint64_t digest = 0;
  for (const Watch &w : watches_) {
    if (w.used) digest = Mix(digest, static_cast<uint64_t>(w.held));
  }
  for (auto &c : channels_) {
    if (c) digest = Mix(digest, c->Digest());
  }
  return digest;
}

}  // namespace gxds_sim
