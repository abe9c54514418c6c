// Requests and responses of ADS, in both encodings, from and to bytes, through upb.
#ifndef GRPC_XDS_TEST_SIM_CODEC_H_
#define GRPC_XDS_TEST_SIM_CODEC_H_

#include <string>
#include <vector>

#include "test/sim/basics.h"

namespace gxds_sim {

// Its views borrow: until the bytes go, or the next call of ParseRequest().
struct Request {
  int type = -1;  // -1: none of ours
  gxds_str version = {};
  gxds_str nonce = {};
  Mask names = 0;
  bool odd_names = false;  // a name twice, or one that is none of ours
  bool has_node = false;
  gxds_str node_id = {};
  bool nack = false;
  int error_code = 0;
  gxds_str error = {};
};
// Fails if the bytes are no DiscoveryRequest.
Request ParseRequest(gxds_str bytes);

// What a planted fault makes of a request: the same with these changes.
struct RequestChange {
  const std::string *version = nullptr;
  const std::string *nonce = nullptr;
  const std::string *node_id = nullptr;  // adds a node
  Mask without = 0;
};
std::string ChangeRequest(gxds_str bytes, const RequestChange &change);

// One element of a response's resources.
struct AnyView {
  gxds_str type_url = {};
  gxds_str value = {};
  bool wrapped = false;  // in a Resource of that name
  gxds_str name = {};
  bool broken_wrapper = false;  // and the Resource is no message
  gxds_str version = {};
  gxds_duration ttl = 0;
  bool heartbeat = false;  // without the resource
  bool bad_ttl = false;    // or not to be used
};
// Serializes into *out, whose memory is used again.
void BuildResponse(gxds_str type_url, gxds_str version, gxds_str nonce,
                   const std::vector<AnyView> &resources, std::string *out);

// The index of a type by its URL; -1: none of ours.
int TypeOfUrl(gxds_str url);

// ---- delta (codec_delta.cc) ----

// Its views borrow: until the bytes go, or the next call of ParseDeltaRequest().
struct DeltaRequest {
  int type = -1;
  gxds_str nonce = {};
  Mask subscribe = 0;
  Mask unsubscribe = 0;
  bool odd_names = false;
  Mask claims = 0;  // names whose versions it tells
  gxds_str versions[kNameCount] = {};
  bool has_node = false;
  gxds_str node_id = {};
  bool nack = false;
  int error_code = 0;
  gxds_str error = {};
};
// Fails if the bytes are no DeltaDiscoveryRequest.
DeltaRequest ParseDeltaRequest(gxds_str bytes);

// What a planted fault, or a server that drops names, makes of one.
struct DeltaRequestChange {
  const std::string *nonce = nullptr;
  const std::string *versions = nullptr;  // all of them
  bool without_claims = false;
  bool without_subscribe = false;
  bool without_unsubscribe = false;
};
std::string ChangeDeltaRequest(gxds_str bytes, const DeltaRequestChange &change);

// One element of a response's resources.
struct DeltaView {
  gxds_str type_url = {};
  gxds_str value = {};
  gxds_str name = {};
  gxds_str version = {};
  gxds_str alias = {};  // empty: none
  gxds_duration ttl = 0;
  bool bad_ttl = false;
  bool heartbeat = false;  // without the resource
};
void BuildDeltaResponse(int type, gxds_str version, gxds_str nonce,
                        const std::vector<DeltaView> &resources, Mask removed, std::string *out);
// The resources' bytes of what may be a response; false: it is none.
bool DeltaValues(gxds_str bytes, std::vector<std::string> *out);

// ---- both ----

// Whether the bytes, if they are a response at all, have only values that are among `known`: then
// no resource in them is one that nobody made.
bool HasOnlyValues(gxds_str bytes, bool delta, const std::vector<gxds_str> &known);

// The serialized Node of that id.
std::string BuildNode(const std::string &id);

}  // namespace gxds_sim

#endif
