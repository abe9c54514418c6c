// Converts ADS requests and responses of both variants from and to bytes, with upb.
#ifndef GRPC_XDS_TEST_SIM_CODEC_H_
#define GRPC_XDS_TEST_SIM_CODEC_H_

#include <string>
#include <vector>

#include "test/sim/basics.h"

namespace gxds_sim {

// Its views are borrowed: valid until the bytes are freed, or until the next call of
// ParseRequest().
struct Request {
  int type = -1;  // -1: not one of ours
  gxds_str version = {};
  gxds_str nonce = {};
  Mask names = 0;
  bool odd_names = false;  // a name occurs twice, or is not ours
  bool has_node = false;
  gxds_str node_id = {};
  bool nack = false;
  int error_code = 0;
  gxds_str error = {};
};
// The check fails if the bytes are no DiscoveryRequest.
Request ParseRequest(gxds_str bytes);

// The changes that a planted fault makes to a request.
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
  bool wrapped = false;  // in a Resource with that name
  gxds_str name = {};
  bool broken_wrapper = false;  // the Resource cannot be decoded
  gxds_str version = {};
  gxds_duration ttl = 0;
  bool heartbeat = false;  // contains no resource
  bool bad_ttl = false;    // the TTL is invalid
};
// Serializes into *out, and reuses its memory.
void BuildResponse(gxds_str type_url, gxds_str version, gxds_str nonce,
                   const std::vector<AnyView> &resources, std::string *out);

// The index of a type by its URL; -1: not one of ours.
int TypeOfUrl(gxds_str url);

// ---- delta (codec_delta.cc) ----

// Its views are borrowed: valid until the bytes are freed, or until the next call of
// ParseDeltaRequest().
struct DeltaRequest {
  int type = -1;
  gxds_str nonce = {};
  Mask subscribe = 0;
  Mask unsubscribe = 0;
  bool odd_names = false;
  Mask versioned = 0;  // names with versions in the request (initial_resource_versions)
  gxds_str versions[kNameCount] = {};
  bool has_node = false;
  gxds_str node_id = {};
  bool nack = false;
  int error_code = 0;
  gxds_str error = {};
};
// The check fails if the bytes are no DeltaDiscoveryRequest.
DeltaRequest ParseDeltaRequest(gxds_str bytes);

// The changes that a planted fault, or a server that drops names, makes to a request.
struct DeltaRequestChange {
  const std::string *nonce = nullptr;
  const std::string *versions = nullptr;  // all of them
  bool without_versions = false;
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
  bool heartbeat = false;  // contains no resource
};
void BuildDeltaResponse(int type, gxds_str version, gxds_str nonce,
                        const std::vector<DeltaView> &resources, Mask removed, std::string *out);
// The bytes of a response's resources. False: the bytes are no response.
bool DeltaValues(gxds_str bytes, std::vector<std::string> *out);

// ---- both ----

// Whether the bytes, if they are a response, contain only values in `known`, so no resource that
// the simulator did not make.
bool HasOnlyValues(gxds_str bytes, bool delta, const std::vector<gxds_str> &known);

// The serialized Node of that id.
std::string BuildNode(const std::string &id);

}  // namespace gxds_sim

#endif
