// A web server with the resources of a simulated server. It serves xDS over REST-JSON, or resource
// files and their index. It keeps no state about its clients.
#ifndef GRPC_XDS_TEST_SIM_WEBSITE_H_
#define GRPC_XDS_TEST_SIM_WEBSITE_H_

#include <map>
#include <string>

#include "test/sim/files.h"
#include "test/sim/world.h"

namespace gxds_sim {

// Its fault, for a while.
enum WebFault : uint8_t { kWebNoFault, kWebRefuses, kWebNonsense, kWebRepeats };

// The contents of a response over REST for one type.
struct WebState {
  Mask names = 0;  // the requested names
  int content[kNameCount];
  std::string version;
  WebState();
};

constexpr int kIndex = kTypeCount;  // the index of the files, in addition to the types

// One request and its response.
struct WebExchange {
  uint64_t id = 0;
  int stream = 0;  // the number of the client's stream
  int type = 0;    // or kIndex
  std::string body;
  std::string etag;
  gxds_time since = 0;
  bool lost = false;  // it takes so long that the client cancels it
  // The request over REST.
  Mask names = 0;
  std::string version;
  // The response.
  bool after_repair = false;
  bool good = false;
  int code = 0;
  std::string text;  // the body, or the error if there is none
  std::string content_type;
  std::string new_etag;
  gxds_duration max_age = 0;
  gxds_duration retry_after = 0;
  WebState state;
  FilesState files;
};

// The path of that type, or of the index.
std::string WebPath(bool files, int type);
const gxds_schema *WebSchema(bool files);

class Website {
 public:
  Website(World *world, int server);
  Website(const Website &) = delete;

  int server() const { return server_; }  // its index in bootstraps
  void SetFault(WebFault fault, gxds_duration how_long);
  void Repair() { fault_ = kWebNoFault; }
  void Respond(WebExchange *e);

 private:
  bool HasFault(WebFault fault) const;
  void RespondRest(WebExchange *e);
  void RespondFiles(WebExchange *e);
  void Refuse(WebExchange *e);
  void Garble(WebExchange *e);
  WebState StateFor(int type, Mask names) const;
  std::string JsonOf(int content);
  std::string BodyOf(int type, const WebState &state);
  FilesState AllHeld() const;
  std::string FileOf(int type, const FilesState &state) const;
  std::string IndexOf(const FilesState &state) const;

  World *world_;
  int server_;
  WebFault fault_ = kWebNoFault;
  gxds_time fault_until_ = 0;
  // The form of its responses.
  bool sends_all_;  // over REST: all resources, not only the requested ones
  bool camel_case_;
  bool has_nonces_;
  bool has_etags_;
  int nonces_ = 0;
  std::map<int, std::string> json_;                 // by content
  std::map<Mask, WebState> responses_[kTypeCount];  // the last one by the requested names
  FilesState before_;                               // the state when the fault began
};

}  // namespace gxds_sim

#endif
