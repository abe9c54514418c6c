// What a client makes of a web server: the production's gxds_web_server, with what HTTP does to its
// requests and their answers.
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
  bool to_end_ = false;   // REST: the answer that came last must end the stream
  bool may_end_ = false;  // files: something was wrong
  gxds_time wake_at_ = GXDS_TIME_NEVER;
  bool polled_well_ = false;   // the last poll was when all is well
  gxds_time asked_at_ = 0;     // the engine did
  gxds_time poll_until_ = 0;   // when all is well: nothing that comes later is looked at
  gxds_time retry_until_ = 0;  // nothing may be asked before
  std::map<uint64_t, WebExchange> exchanges_;
  struct Type {
    std::string list;  // what is asked for
    Mask names = 0;
    uint64_t newest = 0;                // the request that is waited for; 0: none
    std::vector<std::string> versions;  // given for just these names
    std::string last_version;           // given for any, for a planted fault
    bool given = false;                 // state is of the last good answer
    WebState state;
    std::string nonce;        // of the last response
    bool unanswered = false;  // by the engine
    bool nack = false;        // that was its last word
    gxds_time due = 0;        // the next poll, at the earliest
    bool hurried = false;     // the last one was early, for a NACK
  };
  Type types_[kTypeCount];           // REST
  std::vector<FilesState> indexes_;  // files: what the indexes said, one after the other
};

}  // namespace gxds_sim

#endif
