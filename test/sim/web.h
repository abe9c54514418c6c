// A web server that speaks xDS over REST-JSON, and what the clients make of it: the production's
// gxds_web_server, and what HTTP does with its requests.
#ifndef GRPC_XDS_TEST_SIM_WEB_H_
#define GRPC_XDS_TEST_SIM_WEB_H_

#include <map>
#include <string>
#include <vector>

#include "test/sim/world.h"
#include "web/server.h"

namespace gxds_sim {

struct Conn;

// What is wrong with it, for a while.
enum WebTrouble : uint8_t { kWebWell, kWebRefuses, kWebNonsense, kWebRepeats };

// What an answer says of one type.
struct WebState {
  Mask names = 0;  // that were asked for
  int content[kNameCount];
  std::string version;
  WebState();
};

// One request, and what came of it.
struct WebExchange {
  uint64_t id = 0;
  int type = 0;
  std::string body;
  gxds_time since = 0;
  bool lost = false;  // it takes so long that the client gives it up
  // What was asked.
  Mask names = 0;
  std::string version;
  // The answer.
  bool after_healing = false;
  bool good = false;
  int code = 0;
  std::string words;  // the body, or why there is none
  std::string content_type;
  gxds_duration max_age = 0;
  gxds_duration retry_after = 0;
  WebState state;
};

// Knows nothing of its clients.
class Website {
 public:
  Website(World *world, int server);
  Website(const Website &) = delete;

  int server() const { return server_; }  // that it is in bootstraps
  void BeIn(WebTrouble trouble, gxds_duration how_long);
  void Heal() { trouble_ = kWebWell; }
  void Answer(WebExchange *e);

 private:
  WebState StateFor(int type, Mask names) const;
  void Refuse(WebExchange *e);
  void Garble(WebExchange *e);
  std::string JsonOf(int content);
  std::string BodyOf(int type, const WebState &state);

  World *world_;
  int server_;
  WebTrouble trouble_ = kWebWell;
  gxds_time trouble_until_ = 0;
  bool sends_all_;  // whatever is asked for
  bool camel_case_;
  bool has_nonces_;
  int nonces_ = 0;
  std::map<int, std::string> json_;            // of contents
  std::map<Mask, WebState> said_[kTypeCount];  // to who asked for these
};

// One client's.
class WebSource {
 public:
  WebSource(World *world, int client, int number);
  ~WebSource();
  WebSource(const WebSource &) = delete;

  int number() const { return number_; }
  void OnOpen();
  void OnClose();
  void OnRequest(gxds_str bytes);
  void OnRead() { ScheduleAt(world_->now()); }
  // Sends what is to be fetched.
  void Fetch();
  bool WasSent() { return gxds_web_server_was_sent(server_); }
  // A request comes to the web server, or its answer comes back.
  void OnArrival(int id);
  void OnAnswer(int id);
  // The next response, as a message; -1: there is nothing to say.
  int Next();
  // Whether the stream ended.
  bool TakeEnd();
  // When there is something to do without that.
  void Schedule();

 private:
  void ScheduleAt(gxds_time at);
  void ScheduleExchange(EventKind kind, gxds_time at, const WebExchange &e);
  void CheckRequest(WebExchange *e);
  void Plant(WebExchange *e) const;
  void CheckResponse(const Message &message);
  Conn &conn() const;
  void CancelSome();

  World *world_;
  int client_;
  int number_;
  gxds_web_server *server_;
  bool open_ = false;
  bool to_end_ = false;  // the answer that came last must end the stream
  gxds_time wake_at_ = GXDS_TIME_NEVER;
  gxds_time poll_until_ = 0;   // when all is well: nothing that comes later is looked at
  gxds_time retry_until_ = 0;  // nothing may be asked before
  std::map<uint64_t, WebExchange> exchanges_;
  struct Type {
    bool asked = false;
    Mask names = 0;
    uint64_t newest = 0;                // the request that is waited for; 0: none
    std::vector<std::string> versions;  // given for just these names
    std::string last_version;           // given for any, for a planted fault
    bool given = false;                 // state is of the last good answer
    WebState state;
  };
  Type types_[kTypeCount];
};

}  // namespace gxds_sim

#endif
