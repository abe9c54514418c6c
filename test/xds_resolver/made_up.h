// Resources made by hand, as the decoders would make them.
#ifndef GRPC_XDS_TEST_XDS_RESOLVER_MADE_UP_H_
#define GRPC_XDS_TEST_XDS_RESOLVER_MADE_UP_H_

#include <string>
#include <vector>

#include "resources/resources.h"
#include "xds_resolver/config.h"

namespace made_up {

inline gxds_str Z(const char *z) { return gxds_str_z(z); }
inline gxds_str S(const std::string &s) { return gxds_str_of(s.data(), s.size()); }
inline std::string Str(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

// The number of existing resources of these types, to detect leaked references.
inline int g_alive = 0;

struct Cluster {
  gxds_cluster c{};
  gxds_cluster_rare rare{};
  std::string name;
  std::string eds_name;
  std::string dns_host;
  std::vector<std::string> children;
  std::vector<gxds_str> child_views;
};

struct Endpoints {
  gxds_endpoints e{};
  std::string name;
  std::vector<gxds_locality *> owned;
  std::vector<const gxds_locality *> localities;
  gxds_priority priority{};
};

// Makes an error with this text, which the caller ends with gxds_error_unref(). why nullptr: no
// error, so returns nullptr.
inline const gxds_error *NewError(const char *why, gxds_code code = GXDS_UNAVAILABLE) {
  if (!why) return nullptr;
  gxds_text text = {};
  gxds_text_add_z(&text, why);
  return gxds_error_create(code, &text, Z(""), Z(""));
}
inline std::string Words(const gxds_error *e) {
  gxds_str text = gxds_error_text(e);
  std::string words(text.size ? text.data : "", text.size);
  gxds_str_free(&text);
  return words;
}

inline void DestroyCluster(gxds_resource *r) {
  g_alive--;
  delete reinterpret_cast<Cluster *>(r);
}
inline void DestroyEndpoints(gxds_resource *r) {
  g_alive--;
  Endpoints *e = reinterpret_cast<Endpoints *>(r);
  for (auto *l : e->owned) gxds_locality_unref(l);
  delete e;
}

inline const gxds_resource_type kCluster = {"cluster", nullptr, "CDS",
                                            true,      nullptr, DestroyCluster};
inline const gxds_resource_type kEndpoints = {"endpoints", nullptr, "EDS",
                                              false,       nullptr, DestroyEndpoints};

inline Cluster *NewCluster(const std::string &name, gxds_cluster_kind kind) {
  g_alive++;
  auto *c = new Cluster;
  gxds_ref_init(&c->c.base.refs);
  c->c.base.type = &kCluster;
  c->name = name;
  c->c.name = S(c->name);
  c->c.kind = kind;
  return c;
}

inline const gxds_cluster *EdsCluster(const std::string &name, const std::string &eds_name = "") {
  Cluster *c = NewCluster(name, GXDS_CLUSTER_EDS);
  c->eds_name = eds_name;
  c->c.eds_service_name = S(c->eds_name);
  return &c->c;
}

inline const gxds_cluster *DnsCluster(const std::string &name, const std::string &host,
                                      uint16_t port) {
  Cluster *c = NewCluster(name, GXDS_CLUSTER_LOGICAL_DNS);
  c->dns_host = host;
  c->rare.dns_host = S(c->dns_host);
  c->c.rare = &c->rare;
  c->c.dns_port = port;
  return &c->c;
}

inline const gxds_cluster *Aggregate(const std::string &name,
                                     const std::vector<std::string> &children) {
  Cluster *c = NewCluster(name, GXDS_CLUSTER_AGGREGATE);
  c->children = children;
  for (const auto &child : c->children) c->child_views.push_back(S(child));
  c->c.aggregate = c->child_views.data();
  c->c.aggregate_count = c->child_views.size();
  return &c->c;
}

// One priority, with a locality for each number, which has that many endpoints; without numbers: no
// priority.
inline const gxds_endpoints *NewEndpoints(const std::string &name,
                                          const std::vector<size_t> &localities = {1}) {
  g_alive++;
  auto *e = new Endpoints;
  gxds_ref_init(&e->e.base.refs);
  e->e.base.type = &kEndpoints;
  e->name = name;
  for (size_t i = 0; i < localities.size(); i++) {
    std::string zone = "zone" + std::to_string(i);
    gxds_locality *l = gxds_locality_create(Z("region"), S(zone), Z(""), 1, localities[i]);
    e->owned.push_back(l);
    e->localities.push_back(l);
  }
  e->priority.localities = e->localities.data();
  e->priority.locality_count = e->localities.size();
  e->e.priorities = &e->priority;
  e->e.priority_count = localities.empty() ? 0 : 1;
  return &e->e;
}

// The name that was given to NewEndpoints().
inline const std::string &NameOf(const gxds_endpoints *e) {
  return reinterpret_cast<const Endpoints *>(e)->name;
}

inline void Unref(const gxds_cluster *c) { gxds_resource_unref(&c->base); }
inline void Unref(const gxds_endpoints *e) { gxds_resource_unref(&e->base); }

}  // namespace made_up

#endif
