// Made-up resource types, and the xDS messages that carry them.
//
// A resource's bytes are "name=value"; a value that begins with "bad" is invalid. Foo is like LDS
// and CDS (absence deletes), Bar is not.
#ifndef GRPC_XDS_TEST_XDS_CLIENT_TEST_TYPES_H_
#define GRPC_XDS_TEST_XDS_CLIENT_TEST_TYPES_H_

#include <map>
#include <string>
#include <vector>

#include "xds_client/client.h"

namespace gxds_test {

extern const gxds_resource_type kFoo;
extern const gxds_resource_type kBar;
extern const gxds_resource_type *const kTypes[2];

// How often a resource was decoded, and how many resources exist, in all tests so far.
extern size_t g_decode_count;
extern size_t g_live_resources;

gxds_str Str(const std::string &s);
std::string String(gxds_str s);
// The message of a SEND.
std::string Message(const gxds_action &send);

// The decoded resource, "name=value"; "name=value@uri" for a value that begins with "self", because
// such a resource depends on its server.
std::string Text(const gxds_resource *resource);

struct Any {
  std::string type_url;
  std::string value;
};
// A resource of a type, in an Any; and the same in the wrapper of SotW.
Any Bare(const gxds_resource_type &type, const std::string &bytes);
Any Wrapped(const gxds_resource_type &type, const std::string &name, const std::string &bytes);

std::string Response(const std::string &type_url, const std::string &version,
                     const std::string &nonce, const std::vector<Any> &resources);

// A field of a message that holds a string or a message.
std::string Field(unsigned number, const std::string &value);
// A server's error for a resource that it cannot send (xRFC TP3), as bytes of that message.
struct ResourceError {
  std::string name;
  int code;
  std::string message;
};
std::string Render(const ResourceError &error);

// A resource in a delta response. No bytes: a heartbeat.
struct Item {
  std::string name;
  std::string version;
  std::string bytes;
  double ttl = 0;  // seconds; 0: none
  std::vector<std::string> aliases = {};
  const gxds_resource_type *type = nullptr;  // the type of the bytes, if it is not the response's
};
std::string DeltaResponse(const gxds_resource_type &type, const std::string &nonce,
                          const std::vector<Item> &items,
                          const std::vector<std::string> &removed = {});
// The same wrapper in SotW.
Any Wrapped(const gxds_resource_type &type, const Item &item);

struct Request {
  std::string type_url;
  std::string version;
  std::string nonce;
  std::vector<std::string> names;
  std::string node_id;  // empty: no node
  int error_code = 0;
  std::string error;
  // Delta: names are subscribed.
  bool delta = false;
  std::vector<std::string> unsubscribed;
  std::map<std::string, std::string> versions;  // initial ones
};
// Fails the test if the bytes are no DiscoveryRequest.
Request ParseRequest(gxds_str bytes);
Request ParseDeltaRequest(gxds_str bytes);
// "Foo [foo1 foo2] version=1 nonce=n1 node NACK 3: …", without empty parts. Delta: "Foo +foo1
// +foo2@1 -foo3 nonce=n1 …", where @1 is the held version.
std::string Render(const Request &request);

}  // namespace gxds_test

#endif
