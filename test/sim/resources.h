// The resources of the simulated world: names, and contents as servers hold them. A content is a
// whole serialized resource, valid or not. Its number is in the bytes, so it can be read from the
// decoded resource.
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
// Another spelling of the same name; for old-style names the same spelling.
const std::string &OtherSpelling(int type, int name);
// The name with that canonical form; -1: none of ours.
int IdOf(int type, gxds_str text);
const std::string &DnsName(int host);  // "h2:80"
// The hostname of the EDS endpoint with that port; empty: none.
std::string HostnameOf(int port);
// The label "version" of that endpoint.
std::string VersionOf(int port);
// The first address of an endpoint, given any of its addresses. A61: the endpoints of some contents
// have a second address, which differs from the first only in the last byte.
std::string FirstAddressOf(const std::string &address);

enum ContentKind : uint8_t {
  kListenerRds,       // refs[0]: route configuration
  kListenerInline,    // refs: clusters
  kListenerSocket,    // a server's listener, not usable by channels
  kRoutes,            // refs: clusters
  kRoutesElsewhere,   // no virtual host for our channels
  kClusterEds,        // refs[0]: endpoints
  kClusterDns,        // refs[0]: host
  kClusterAggregate,  // refs: clusters
  kEndpoints,         // refs[i]: number of endpoints in locality i
};

enum ContentFault : uint8_t {
  kValid,
  kInvalid,      // has its name, and breaks a rule
  kUndecodable,  // no message at all
};

constexpr int kRefMax = 4;

struct Content {
  uint8_t type = 0;
  uint8_t name = 0;
  ContentKind kind = kEndpoints;
  ContentFault fault = kValid;
  bool other_spelling = false;  // its own name has the other spelling
  bool misnamed = false;        // a wrapper had another name
  uint8_t ref_count = 0;
  uint8_t refs[kRefMax] = {};
  uint8_t first = 0;  // endpoints: by how much all ports are greater
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
  // Adds a content, makes its bytes, and returns its number.
  int Add(Content content);
  const Content &at(int number) const { return all_[static_cast<size_t>(number)]; }
  void SetMisnamed(int number) { all_[static_cast<size_t>(number)].misnamed = true; }
  int count() const { return static_cast<int>(all_.size()); }
  // Borrowed: valid until the next Add().
  gxds_str BytesOf(int number) const;
  // The number in a decoded resource.
  static int NumberOf(const gxds_resource *resource);
  static std::string Describe(const Content &content);

 private:
  std::vector<Content> all_;
  std::string bytes_;
  std::vector<char> memory_;  // of the arena in which the bytes are made
};

// The weight of a locality, found by its zone, in the content of that number.
uint32_t WeightOf(int number, const gxds_locality &locality);
// The weight of the endpoint at that place.
uint32_t WeightOfEndpoint(int number, uint32_t place);

// E5: whether RPCs may select a version of the cluster's endpoints.
bool HasSubsets(const Content &content, int number);
// A55: whether draining endpoints of the cluster of that number serve sessions.
bool AllowsDraining(int number);

// A random valid content of that type and name. It refers only to names in `names`. endpoints_max:
// of a locality.
Content DrawContent(Random *random, int type, int name, Mask names, int endpoints_max = 2);

}  // namespace gxds_sim

#endif
