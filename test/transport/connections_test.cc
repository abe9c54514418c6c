// Connections that request, read and idle at will. The test sets the time.
#include "transport/connections.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"

namespace {

gxds_str Str(const std::string& s) { return {s.data(), s.size()}; }

// A request ends with a dot. The response is the request and g_more.
std::string g_more;
gxds_time g_takes = 0;  // how long a response takes
gxds_time g_now = 0;

const gxds_service kService = {
    [](gxds_str request) { return request.size > 0 && request.data[request.size - 1] == '.'; },
    [](int, gxds_str request, gxds_http_response* out) {
      gxds_text_add(&out->head, request);
      out->body = gxds_str_dup(Str(g_more));
      g_now += g_takes;
    }};

// The client's side of a connection.
class Peer {
 public:
  explicit Peer(gxds_connections* to) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
    gxds_connections_add(to, ends_[0], g_now);
  }
  ~Peer() { close(ends_[1]); }
  void Send(const std::string& bytes) {
    ASSERT_EQ(send(ends_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }
  // Returns what arrived since the last call, and records the end.
  std::string Receive() {
    static char part[1 << 16];
    std::string all;
    ssize_t got;
    while ((got = recv(ends_[1], part, sizeof part, 0)) > 0) all.append(part, size_t(got));
    closed_ = got == 0 || errno != EAGAIN;
    return all;
  }
  bool IsClosed() {
    Receive();
    return closed_;
  }
  int other_end() const { return ends_[0]; }

 private:
  int ends_[2];
  bool closed_ = false;
};

class Connections : public testing::Test {
 protected:
  Connections() {
    g_more = "";
    g_takes = 0;
    g_now = 1000 * GXDS_SECOND;
    all_.service = &kService;
  }
  ~Connections() override { gxds_connections_end(&all_); }
  Peer& Connect() {
    peers_.push_back(std::make_unique<Peer>(&all_));
    return *peers_.back();
  }
  std::vector<Peer*> Connect(int count) {
    std::vector<Peer*> out;
    for (int i = 0; i < count; i++) out.push_back(&Connect());
    return out;
  }
  // Does turns like the thread, while there is work without waiting.
  void Turns() {
    pollfd events[GXDS_CONNECTIONS_MAX];
    for (;;) {
      gxds_connections_turn(&all_, g_now);
      const size_t count = gxds_connections_events(&all_, events);
      if (gxds_connections_deadline(&all_) > g_now && poll(events, nfds_t(count), 0) == 0) return;
    }
  }

  gxds_connections all_ = {};
  std::vector<std::unique_ptr<Peer>> peers_;
};

TEST_F(Connections, ARequestGetsAResponseAndIsClosed) {
  Peer& peer = Connect();
  g_more = "answer";
  peer.Send("que");
  Turns();
  EXPECT_EQ(peer.Receive(), "");
  peer.Send("stion.");
  Turns();
  EXPECT_EQ(peer.Receive(), "question.answer");
  EXPECT_TRUE(peer.IsClosed());
  EXPECT_EQ(gxds_connections_deadline(&all_), GXDS_TIME_NEVER);
}

TEST_F(Connections, FifteenWithoutARequestKeepNobodyWaiting) {
  const std::vector<Peer*> idle = Connect(15);
  Turns();
  for (int i = 0; i < 100; i++) {
    Peer& peer = Connect();
    peer.Send("x.");
    Turns();
    EXPECT_EQ(peer.Receive(), "x.");
  }
  for (Peer* p : idle) EXPECT_FALSE(p->IsClosed());
}

TEST_F(Connections, TheOldestWithoutARequestMakesRoom) {
  g_more = std::string(8 << 20, 'x');  // more than a socket buffers
  Peer& reads_slowly = Connect();
  reads_slowly.Send("first.");
  Turns();
  const std::vector<Peer*> idle = Connect(15);
  Connect();
  EXPECT_FALSE(reads_slowly.IsClosed());
  EXPECT_TRUE(idle[0]->IsClosed());
  EXPECT_FALSE(idle[1]->IsClosed());
}

TEST_F(Connections, WhenAllHaveRequestsTheOldestMakesRoom) {
  g_more = std::string(8 << 20, 'x');
  const std::vector<Peer*> slow = Connect(16);
  for (Peer* p : slow) p->Send(".");
  Turns();
  g_more = "";
  Peer& peer = Connect();
  peer.Send("x.");
  Turns();
  EXPECT_EQ(peer.Receive(), "x.");
  EXPECT_TRUE(slow[0]->IsClosed());
  EXPECT_FALSE(slow[1]->IsClosed());
}

TEST_F(Connections, WhoSendsLittleByLittleHasTenSecondsInAll) {
  Peer& slow = Connect();
  for (int i = 0; i < 10; i++) {
    Turns();
    ASSERT_FALSE(slow.IsClosed()) << i;
    EXPECT_EQ(gxds_connections_deadline(&all_), g_now + (10 - i) * GXDS_SECOND);
    slow.Send("x");
    g_now += GXDS_SECOND;
  }
  Turns();
  EXPECT_TRUE(slow.IsClosed());
}

TEST_F(Connections, WhoReadsLittleByLittleHasTenSecondsInAll) {
  g_more = std::string(8 << 20, 'x');
  Peer& slow = Connect();
  slow.Send(".");
  Turns();
  g_now += 9 * GXDS_SECOND;
  Turns();
  EXPECT_NE(slow.Receive(), "");
  Turns();
  Peer& other = Connect();
  g_more = "";
  other.Send("x.");
  Turns();
  EXPECT_EQ(other.Receive(), "x.") << "others are answered meanwhile";
  g_now += GXDS_SECOND;
  Turns();
  EXPECT_TRUE(slow.IsClosed());
}

TEST_F(Connections, AllIsSentToWhoReads) {
  g_more = std::string(8 << 20, 'x');
  Peer& peer = Connect();
  peer.Send("x.");
  std::string all;
  while (all_.count > 0) {
    Turns();
    all += peer.Receive();
  }
  EXPECT_EQ(all.size(), g_more.size() + 2);
  EXPECT_EQ(all.substr(0, 3), "x.x");
}

TEST_F(Connections, ATooLongRequestGetsNoResponse) {
  Peer& peer = Connect();
  peer.Send(std::string(GXDS_REQUEST_BYTES_MAX, 'x'));
  Turns();
  EXPECT_EQ(peer.Receive(), "");
  EXPECT_TRUE(peer.IsClosed());
}

TEST_F(Connections, WhoGoesIsForgotten) {
  Connect();
  peers_.clear();
  Turns();
  EXPECT_EQ(all_.count, 0u);
  g_more = std::string(8 << 20, 'x');
  Connect().Send(".");
  Turns();
  EXPECT_EQ(all_.count, 1u);
  peers_.clear();
  Turns();
  EXPECT_EQ(all_.count, 0u);
}

// Each response takes all the time that a connection has.
TEST_F(Connections, OneResponseIsMadeInATurnSoThatTheTimeOfTheOthersEnds) {
  g_takes = GXDS_CONNECTION_TIME;
  const std::vector<Peer*> asking = Connect(16);
  for (Peer* p : asking) p->Send("x.");
  Turns();
  EXPECT_EQ(g_now, 1010 * GXDS_SECOND) << "more than one was";
  EXPECT_EQ(asking[0]->Receive(), "x.");
  EXPECT_EQ(asking[1]->Receive(), "");
  EXPECT_TRUE(asking[1]->IsClosed());
}

TEST_F(Connections, ASocketThatTheProgramClosedIsLeftAlone) {
  Peer& peer = Connect();
  const int fd = peer.other_end();
  ASSERT_EQ(dup2(STDERR_FILENO, fd), fd);  // now a file of the program's own
  Turns();
  EXPECT_EQ(all_.count, 0u);
  EXPECT_NE(fcntl(fd, F_GETFD), -1);
  close(fd);
}

TEST_F(Connections, AChildOfAForkHasNone) {
  Peer& peer = Connect();
  const pid_t pid = fork();
  if (pid == 0) {
    gxds_connections_leave_to_parent(&all_);
    _exit(all_.count == 0 && fcntl(peer.other_end(), F_GETFD) == -1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  peer.Send("x.");
  Turns();
  EXPECT_EQ(peer.Receive(), "x.");
}

// Otherwise the client would wait for an end that never comes.
TEST_F(Connections, AreClosedThoughAChildOfAForkHasACopy) {
  Peer& peer = Connect();
  const int copy = dup(peer.other_end());
  peer.Send("x.");
  Turns();
  EXPECT_TRUE(peer.IsClosed());
  close(copy);
}

}  // namespace
