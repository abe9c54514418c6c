#include "test/sim/client_cache.h"

#include "test/sim/client.h"
#include "test/sim/shelf.h"

namespace gxds_sim {

ClientCache::~ClientCache() {
  for (int i = 0; i < kServerMax; i++) world_->shelf(client_->index(), i).Close();
}

// Opens the file at its first use.
Shelf &ClientCache::ShelfOf(int server) {
  Shelf &shelf = world_->shelf(client_->index(), server);
  if (!shelf.is_open()) shelf.Open(world_, &process_, world_->server(server).config()->uri);
  return shelf;
}

void ClientCache::Carry(const gxds_action &action) {
  int server = world_->ServerOf(action.server);
  bool files = server >= 0 && world_->IsFiles(server);  // on disk anyway
  if (server < 0 || (files && action.kind == GXDS_ACTION_PERSIST)) {
    Fail("cache-server", "the cache of a server that has none");
  }
  if (action.kind == GXDS_ACTION_RESTORE) return Restore(action);
  if (files) return;
  bool lost = world_->plant() == kPlantCacheLost && action.kind == GXDS_ACTION_PERSIST;
  if (lost && !planted_) {
    planted_ = true;
    return;
  }
  world_->Did(action.kind == GXDS_ACTION_PERSIST ? kDidPersist : kDidForget);
  ShelfOf(server).Put(action);
}

// ---- events of the client ----

void ClientCache::OnWatch(int authority) {
  Start &s = starts_[authority];
  if (s.watched) return;
  s.watched = true;
  s.since = world_->now();
  if (s.first_watch == GXDS_TIME_NEVER) s.first_watch = world_->now();
}

void ClientCache::OnUnwatch(int authority) {
  Start &s = starts_[authority];
  s.watched = false;
  s.from_unsure = true;  // the server to start from may change once more
}

void ClientCache::OnResponse(int server, bool unsure) {
  for (int a = 0; a < kAuthorityCount; a++) {
    Usage usage = client_->Uses(server, a);
    Start &s = starts_[a];
    if (usage == kNotUsed) continue;
    (s.watched && usage == kUsed && !unsure ? s.responded : s.perhaps_responded) = true;
  }
}

// ---- the start ----

gxds_resource_info ClientCache::InfoOf(int type, int name) const {
  struct Search {
    int type;
    int name;
    gxds_resource_info found;
  } search = {type, name, {}};
  gxds_client_each_resource(
      client_->engine(),
      [](void *arg, const gxds_resource_info *info) {
        Search *s = static_cast<Search *>(arg);
        if (TypeIndex(info->type) == s->type && IdOf(s->type, info->name) == s->name) {
          s->found = *info;
        }
      },
      &search);
  return search.found;
}

// Whether all servers have failed, or none responded in time.
bool ClientCache::IsDue(const Start &start, int authority) const {
  if (world_->now() >= start.first_watch + GXDS_RESTORE_AFTER) return true;
  const Options &o = world_->options();
  for (int i = 0; i < o.authority_count[authority]; i++) {
    const Conn &conn = client_->conn(o.authority_servers[authority][i]);
    if (!conn.failed && !conn.failed_lately && !conn.failed_unsure) return false;
  }
  return true;
}

void ClientCache::Restore(const gxds_action &action) {
  int server = world_->ServerOf(action.server);
  int type = TypeIndex(action.type);
  int name = IdOf(type, action.name);
  if (name < 0) Fail("cache-name", "a name that nobody knows is requested from the cache");
  Start &s = starts_[AuthorityOf(name)];
  if (!s.due && !IsDue(s, AuthorityOf(name))) {
    Fail("early-start", "the cache is used before servers had their time");
  }
  s.due = true;
  bool was_restored = InfoOf(type, name).restored;
  gxds_cache_record r = {};
  bool found = ShelfOf(server).Find(type, name, &r);
  gxds_kept kept = {};
  kept.scope = action.scope;
  kept.server = action.server;
  kept.type = action.type;
  kept.name = action.name;
  kept.found = found;
  kept.version = r.version;
  kept.bytes = r.bytes;
  kept.accepted = r.accepted;
  client_->BeUnsure(type, name);
  gxds_client_restore(client_->engine(), &kept, world_->now());
  gxds_resource_info info = InfoOf(type, name);
  if (!info.restored || was_restored) return;
  bool same =
      found && gxds_str_equal(info.bytes, r.bytes) && gxds_str_equal(info.version, r.version);
  if (!same) Fail("restored-other", "what is used is not what was kept");
  if (s.responded) Fail("restored-late", "what was kept is used, though a server responded");
  world_->Did(kDidRestored);
  s.from = server;
  s.from_unsure = false;
}

void ClientCache::CheckStarted(gxds_time carried) {
  for (int a = 0; a < kAuthorityCount; a++) {
    Start &s = starts_[a];
    bool due = s.watched && carried >= s.since + GXDS_RESTORE_AFTER;
    if (!due || s.responded || s.perhaps_responded || s.from_unsure) continue;
    const Options &o = world_->options();
    for (int type = 0; type < kTypeCount; type++) {
      ForEachName(client_->Watched(type) & kAuthorityNames[a], [&](int name) {
        const Entry &e = client_->entry(type, name);
        if (e.unsure || e.held != kNothing) return;
        for (int i = 0; i < o.authority_count[a]; i++) {
          int server = o.authority_servers[a][i];
          if (world_->server(server).config()->directory.size) continue;
          if ((s.from >= 0 && s.from != server) || !ShelfOf(server).Has(type, name)) continue;
          Fail("not-started", "%s n%d: no server responds, and what server%d sent is kept, unused",
               TypeOf(type).short_name, name, server);
        }
      });
    }
  }
}

void ClientCache::CheckEnding() {
  if (!world_->options().any_ttl) return;
  for (int type = 0; type < kTypeCount; type++) {
    ForEachName(client_->Watched(type), [&](int name) {
      const Entry &e = client_->entry(type, name);
      if (e.unsure || e.source < 0 || e.ttl_at == GXDS_TIME_NEVER || e.restored) return;
      Shelf &shelf = ShelfOf(e.source);
      if (!shelf.read_only() && shelf.Has(type, name)) {
        Fail("kept-ttl", "%s n%d of server%d has a ttl, and is kept", TypeOf(type).short_name, name,
             e.source);
      }
    });
  }
}

void ClientCache::CheckConverged() {
  for (int type = 0; type < kTypeCount; type++) {
    ForEachName(client_->Watched(type), [&](int name) {
      const Entry &e = client_->entry(type, name);
      if (e.restored && world_->truth(type, name) >= 0) {
        Fail("still-restored", "%s n%d is from the cache, though servers respond",
             TypeOf(type).short_name, name);
      }
      gxds_resource_info info = InfoOf(type, name);
      const Conn &conn = client_->conn(world_->options().authority_servers[AuthorityOf(name)][0]);
      bool responds = conn.stream >= 0 && world_->stream(conn.stream).got_response;
      if (responds && info.restored && info.state == GXDS_RESOURCE_ACKED) {
        Fail("still-restored", "%s n%d is reported as from the cache, though its server responds",
             TypeOf(type).short_name, name);
      }
      if (info.state != GXDS_RESOURCE_ACKED || info.restored) return;
      int server = world_->ServerOf(client_->SourceOf(type, name));
      if (world_->server(server).config()->directory.size) return;
      Shelf &shelf = ShelfOf(server);
      if (!shelf.read_only() && !shelf.Holds(type, name, info.bytes)) {
        Fail("not-kept", "%s n%d of server%d is used, and not kept", TypeOf(type).short_name, name,
             server);
      }
    });
  }
}

}  // namespace gxds_sim
