// A client's web source: the production's gxds_web_server, with a fake of HTTP for its requests and
// answers.
#ifndef GRPC_XDS_TEST_SIM_WEB_H_
#define GRPC_XDS_TEST_SIM_WEB_H_

#include <map>
#include <string>
#include <vector>

#include "test/sim/website.h"
#include "test/sim/world.h"
#include "web/server.h"

namespace gxds_sim {

struct Conn;

// The web source of one client.
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
  // Sends the fetches that are due.
  void Fetch();
  bool WasSent() { return gxds_web_server_was_sent(server_); }
  // A request arrives at the web server; its answer arrives at the client.
  void OnArrival(int id);
  void OnAnswer(int id);
  // The next response, as a message; -1: none.
  int Next();
  // Whether the stream has ended.
  bool TakeEnd();
  // Schedules its next work that no event triggers.
  void Schedule();

 private:
  gxds_time PollsUntil() const;
  void ScheduleAt(gxds_time at);
  void ScheduleExchange(EventKind kind, gxds_time at, const WebExchange &e);
  void CheckPost(WebExchange *e);
  void CheckGet(const WebExchange &e) const;
  void Plant(WebExchange *e) const;
  bool IsAwaited(const WebExchange &e) const;
  void ExpectOfRest(const WebExchange &e);
  void ExpectOfFiles(const WebExchange &e);
  void CheckRest(const Message &message);
  void CheckFiles(const Message &message) const;
  bool IsSaid(const Message &message, size_t index) const;
  Conn &conn() const;
  void CancelSome();

  World *world_;
  int client_;
  int number_;
  gxds_web_server *server_;
  bool files_;
  int streams_ = 0;
  bool open_ = false;
  bool to_end_ = false;   // REST: the last answer must end the stream
  bool may_end_ = false;  // files: there was a fault, so the stream may end
  gxds_time wake_at_ = GXDS_TIME_NEVER;
  bool polled_well_ = false;   // the last poll was after healing
  gxds_time asked_at_ = 0;     // when the engine last sent a request
  gxds_time poll_until_ = 0;   // after healing: later polls are not checked
  gxds_time retry_until_ = 0;  // no request may be sent before
  std::map<uint64_t, WebExchange> exchanges_;
  struct Type {
    std::string list;  // the requested names
    Mask names = 0;
    uint64_t newest = 0;                // the request whose answer it waits for; 0: none
    std::vector<std::string> versions;  // versions received for exactly these names
    std::string last_version;           // received for any names; for a planted fault
    bool given = false;                 // state is set, from the last good answer
    WebState state;
    std::string nonce;        // of the last response
    bool unanswered = false;  // the engine has not answered it
    bool nack = false;        // the engine's last answer was a NACK
    gxds_time due = 0;        // the next poll, at the earliest
    bool hurried = false;     // the last poll was early, because of a NACK
  };
  Type types_[kTypeCount];           // REST
  std::vector<FilesState> indexes_;  // files: the successive contents of the index
};

}  // namespace gxds_sim

#endif
