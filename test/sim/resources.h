// The resources of the simulated world: names, and contents as servers hold them. A content is a
// whole resource, valid or not, in serialized form; its number is in the bytes, so that whoever
// holds the decoded resource can be asked which one it is.
#ifndef GRPC_XDS_TEST_SIM_RESOURCES_H_
#define GRPC_XDS_TEST_SIM_RESOURCES_H_

#include <string>
#include <vector>

#include "resources/resources.h"
#include "test/sim/basics.h"

struct upb_Arena;

namespace gxds_sim {

// gxds_resource_types, in the order of the enum in basics.h.
inline const gxds_resource_type &TypeOf(int type) { return *gxds_resource_types[type]; }
int TypeIndex(const gxds_resource_type *type);

// The canonical form: "n3", or "xdstp://a/envoy.config.cluster.v3.Cluster/n9?x=1&y=2".
const std::string &NameOf(int type, int name);
// Another spelling of the same name; for old-style names the same.
const std::string &OtherSpelling(int type, int name);
// The name with that canonical form; -1: none of ours.
int IdOf(int type, gxds_str text);
const std::string &DnsName(int host);  // "h2:80"
// Of EDS' endpoint with that port; empty: it has none.
std::string HostnameOf(int port);
// The label "version" of that endpoint.
std::string VersionOf(int port);
// A61: some contents' endpoints have a second address, which differs from the first in its last
// byte alone. The first of an endpoint's, by any of them.
std::string FirstAddressOf(const std::string &address);

enum ContentKind : uint8_t {
  kListenerRds,       // refs[0]: route configuration
  kListenerInline,    // refs: clusters
  kListenerSocket,    // of a server: not for channels
  kRoutes,            // refs: clusters
  kRoutesElsewhere,   // no virtual host for our channels
  kClusterEds,        // refs[0]: endpoints
  kClusterDns,        // refs[0]: host
  kClusterAggregate,  // refs: clusters
  kEndpoints,         // refs[i]: number of endpoints in locality i
};

enum ContentFault : uint8_t {
  kValid,
  kInvalid,      // says its name, and breaks a rule
  kUndecodable,  // no message at all
};

constexpr int kRefMax = 4;

struct Content {
  uint8_t type = 0;
  uint8_t name = 0;
  ContentKind kind = kEndpoints;
  ContentFault fault = kValid;
  bool other_spelling = false;  // of its own name
  bool misnamed = false;        // some wrapper said another name than this
  uint8_t ref_count = 0;
  uint8_t refs[kRefMax] = {};
  size_t offset = 0;  // of its bytes
  size_t size = 0;
};

// All contents of one run.
class Contents {
 public:
  Contents();
  ~Contents();
  Contents(const Contents &) = delete;

  void Clear();
  // Adds one; its bytes are made here. The result is its number.
  int Add(Content content);
  const Content &at(int number) const { return all_[static_cast<size_t>(number)]; }
  void SetMisnamed(int number) { all_[static_cast<size_t>(number)].misnamed = true; }
  int count() const { return static_cast<int>(all_.size()); }
  // Borrow: until the next Add().
  gxds_str BytesOf(int number) const;
  // The number in a decoded resource.
  static int NumberOf(const gxds_resource *resource);
  static std::string Describe(const Content &content);

 private:
  std::vector<Content> all_;
  std::string bytes_;
  std::vector<char> memory_;  // of the arena that bytes are made in
};

// What the content of that number says of the weight of a locality: by its zone.
uint32_t WeightOf(int number, const gxds_locality &locality);
// Likewise of its endpoint at that place.
uint32_t WeightOfEndpoint(int number, uint32_t place);

// E5: whether RPCs may want a version of a cluster's endpoints, and get no other.
bool HasSubsets(const Content &content, int number);
// A55: whether endpoints of the cluster of that number that drain serve sessions.
bool AllowsDraining(int number);

// A random valid content of that type and name, which refers to names of the set `clusters` (if it
// refers to clusters) and the like.
Content DrawContent(Random *random, int type, int name, Mask names);

}  // namespace gxds_sim

#endif
