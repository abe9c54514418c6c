// The snapshot that a channel should publish: A74, A37 and A75 implemented a second time, without
// increments, from all that the channel has received.
#ifndef GRPC_XDS_TEST_SIM_REFERENCE_H_
#define GRPC_XDS_TEST_SIM_REFERENCE_H_

#include "test/sim/resources.h"
#include "xds_resolver/config.h"

namespace gxds_sim {

enum Presence : uint8_t { kRequested, kPresent, kFailed };

// The last notification of one watch of a channel.
struct Received {
  uint64_t token = 0;  // 0: not watched
  int watch = -1;
  Presence presence = kRequested;
  const gxds_resource *resource = nullptr;  // PRESENT: a reference
};

struct ReceivedTable {
  int listener = 0;
  Received of[kTypeCount][kNameCount];
  Received dns[kDnsCount];
};

struct ReferenceEntry {
  gxds_cluster_entry_kind kind = GXDS_ENTRY_ERROR;
  const gxds_resource *cluster = nullptr;
  const gxds_resource *endpoints = nullptr;
  int leaf_count = 0;
  uint8_t leaves[kNameCount] = {};
};

struct Reference {
  bool awaited = false;    // the channel waits for something, and the rest is incomplete
  bool failed = false;     // the channel has no configuration
  bool unwatched = false;  // a needed resource is not watched
  // The names that must be watched.
  Mask needed[kTypeCount] = {};
  Mask needed_dns = 0;
  // The snapshot.
  const gxds_resource *listener = nullptr;
  const gxds_resource *route_config = nullptr;
  Mask routes = 0;
  Mask roots = 0;
  Mask clusters = 0;
  ReferenceEntry entries[kNameCount];
};

// held, subscribed: clusters that are needed even if no route names them.
Reference MakeReference(const ReceivedTable &received, Mask held, Mask subscribed);

// ---- reading resources by name ids ----

// The clusters of a virtual host's routes.
Mask ClustersOf(const gxds_virtual_host *host);
const gxds_virtual_host *HostOf(const gxds_route_config *routes);
// The source of the endpoints of an EDS or DNS cluster.
const Received &SourceOf(const ReceivedTable &received, const gxds_cluster *cluster);
int DnsOf(const gxds_cluster *cluster);

constexpr char kDataPlaneAuthority[] = "service.example";

}  // namespace gxds_sim

#endif
