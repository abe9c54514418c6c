// Discovery messages as short strings, for the tests of tools/serve and of the program.
//
// A resource is "a=1": its name, and a number in a harmless field, so that contents differ.
// "a|b|c=1" has the aliases b and c. A cluster "a>e=1" has the EDS endpoints of e ("a>=1": of a).
#ifndef GRPC_XDS_TEST_TOOLS_MESSAGES_H_
#define GRPC_XDS_TEST_TOOLS_MESSAGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace xds_test {

enum Type { LDS, RDS, CDS, EDS };

const char *TypeUrl(Type type);

// "CDS a=1" in the form of a resource file (JSON).
std::string ResourceJson(const std::string &resource);
// All of them as one file.
std::string FileJson(const std::vector<std::string> &resources);

struct Request {
  std::string type_url;
  std::vector<std::string> names;
  std::string nonce;
  std::string version;
  std::string error;  // not empty: a NACK
  std::string node;   // not empty: the request has a node with that id
};
std::string Encode(const Request &request);

struct DeltaRequest {
  std::string type_url;
  std::vector<std::string> subscribe;
  std::vector<std::string> unsubscribe;
  std::map<std::string, std::string> versions;  // initial ones
  std::string nonce;
  std::string error;  // not empty: a NACK
  std::string node;   // not empty: the request has a node with that id
};
std::string Encode(const DeltaRequest &request);

struct Response {
  std::string type;                    // "CDS"
  std::vector<std::string> resources;  // "a=1"
  std::string version;
  std::string nonce;
  std::map<std::string, std::string> versions;  // delta: the version of each resource
  std::vector<std::string> removed;             // delta
  // "CDS a=1 b=2 -c"
  std::string Text() const;
};
// An empty type means that the bytes are no DiscoveryResponse of ours.
Response Decode(const std::string &bytes);
Response DecodeDelta(const std::string &bytes);

struct Locality {
  std::string zone;
  uint64_t successful;
  uint64_t error;
  uint64_t in_progress;
  uint64_t issued;
  std::string more = {};  // serialized fields of its message
};
struct Report {
  std::string node;  // not empty: the request has a node with that id
  bool all_clusters_feature = true;
  std::string cluster;  // empty: none
  std::string eds_service;
  std::vector<Locality> localities;
  std::vector<std::pair<std::string, uint64_t>> drops;
  uint64_t uncategorized_drops = 0;
};
std::string Encode(const Report &report);
// "interval 1.000000000 all", or the requested clusters in place of "all".
std::string DecodeLoadStatsResponse(const std::string &bytes);

}  // namespace xds_test

#endif
