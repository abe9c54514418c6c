// A web server that has what a server of the simulator holds: it speaks xDS over REST-JSON, or has
// resource files and their index. It knows nothing of its clients.
#ifndef GRPC_XDS_TEST_SIM_WEBSITE_H_
#define GRPC_XDS_TEST_SIM_WEBSITE_H_

#include <map>
#include <string>

#include "test/sim/files.h"
#include "test/sim/world.h"

namespace gxds_sim {

// What is wrong with it, for a while.
enum WebTrouble : uint8_t { kWebWell, kWebRefuses, kWebNonsense, kWebRepeats };

// What an answer over REST says of one type.
struct WebState {
  Mask names = 0;  // that were asked for
  int content[kNameCount];
  std::string version;
  WebState();
};

constexpr int kIndex = kTypeCount;  // beside the types: that of the files

// One request, and what came of it.
struct WebExchange {
  uint64_t id = 0;
  int stream = 0;  // of the client's, in order
  int type = 0;    // or kIndex
  std::string body;
  std::string etag;
  gxds_time since = 0;
  bool lost = false;  // it takes so long that the client gives it up
  // What was asked over REST.
  Mask names = 0;
  std::string version;
  // The answer.
  bool after_healing = false;
  bool good = false;
  int code = 0;
  std::string words;  // the body, or why there is none
  std::string content_type;
  std::string new_etag;
  gxds_duration max_age = 0;
  gxds_duration retry_after = 0;
  WebState state;
  FilesState files;
};

// Where what is of that type, or the index of all.
std::string WebPath(bool files, int type);
const gxds_schema *WebSchema(bool files);

class Website {
 public:
  Website(World *world, int server);
  Website(const Website &) = delete;

  int server() const { return server_; }  // that it is in bootstraps
  void BeIn(WebTrouble trouble, gxds_duration how_long);
  void Heal() { trouble_ = kWebWell; }
  void Answer(WebExchange *e);

 private:
  bool IsIn(WebTrouble trouble) const;
  void AnswerRest(WebExchange *e);
  void AnswerFiles(WebExchange *e);
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
  WebTrouble trouble_ = kWebWell;
  gxds_time trouble_until_ = 0;
  // How it speaks.
  bool sends_all_;  // over REST: whatever is asked for
  bool camel_case_;
  bool has_nonces_;
  bool has_etags_;
  int nonces_ = 0;
  std::map<int, std::string> json_;            // of contents
  std::map<Mask, WebState> said_[kTypeCount];  // to who asked for these
  FilesState before_;                          // when the trouble began
};

}  // namespace gxds_sim

#endif
