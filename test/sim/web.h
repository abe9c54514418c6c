// A client's web source: the production's gxds_web_server, with a fake of HTTP for its requests and
// responses.
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
  // A request arrives at the web server; its response arrives at the client.
  void OnArrival(int id);
  void OnResponse(int id);
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
  bool MatchesIndex(const Message &message, size_t index) const;
  Conn &conn() const;
  void CancelSome();

  World *world_;
  int client_;
  int number_;
  gxds_web_server *server_;
  bool files_;
  int streams_ = 0;
  bool open_ = false;
  bool to_end_ = false;   // REST: the last response must end the stream
  bool may_end_ = false;  // files: there was a fault, so the stream may end
  gxds_time wake_at_ = GXDS_TIME_NEVER;
  bool polled_after_repair_ = false;  // the last poll was after the repair
  gxds_time requested_at_ = 0;        // when the engine last sent a request
  gxds_time poll_until_ = 0;          // after the repair: later polls are not checked
  gxds_time retry_until_ = 0;         // no request may be sent before
  std::map<uint64_t, WebExchange> exchanges_;
  struct Type {
    std::string list;  // the requested names
    Mask names = 0;
    uint64_t newest = 0;                // the request whose response it waits for; 0: none
    std::vector<std::string> versions;  // versions received for exactly these names
    std::string last_version;           // received for any names; for a planted fault
    bool has_state = false;             // from the last valid response
    WebState state;
    std::string nonce;     // of the last response
    bool ack_due = false;  // the engine sent no ACK or NACK of it
    bool nack = false;     // the engine sent a NACK of it
    gxds_time due = 0;     // the next poll, at the earliest
    bool hurried = false;  // the last poll was early, because of a NACK
  };
  Type types_[kTypeCount];           // REST
  std::vector<FilesState> indexes_;  // files: the successive contents of the index
};

}  // namespace gxds_sim

#endif
