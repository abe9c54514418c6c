#include "transport/stream_call.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <string>
#include <utility>

#include "test/support/child.h"
#include "test/transport/jwt_text.h"
#include "test/transport/on_reactor.h"
#include "test/transport/raw_server.h"

namespace grpc_xds {
namespace {

struct Event {
  std::string what;  // "sent", "message", "closed"
  uint64_t id = 0;
  std::string bytes;
  int code = -1;
};

// The owner of a call under test. It records the call's events.
class Client {
 public:
  explicit Client(const std::string &target) {
    OnReactor([&] {
      grpc_channel_credentials *creds = grpc_insecure_credentials_create();
      grpc_arg arg = {
          GRPC_ARG_INTEGER, const_cast<char *>(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH), {}};
      arg.value.integer = -1;
      grpc_channel_args args = {1, &arg};
      channel_ = grpc_channel_create(target.c_str(), creds, &args);
      grpc_channel_credentials_release(creds);
    });
  }
  ~Client() {
    OnReactor([&] {
      gxds_stream_call_close(call_);
      gxds_call_creds_destroy(creds_);
      grpc_channel_destroy(channel_);
    });
  }
  // Sets the token of later calls. creds_type: the type of the channel's credentials.
  void UseToken(const std::string &path, const std::string &creds_type) {
    const gxds_str file = gxds_str_of(path.data(), path.size());
    gxds_bootstrap_server server{};
    server.creds_type = gxds_str_of(creds_type.data(), creds_type.size());
    server.jwt_token_files = &file;
    server.jwt_token_file_count = 1;
    OnReactor([&] { creds_ = gxds_call_creds_create(&server); });
  }
  void Open(bool wait_for_ready = true, gxds_duration timeout = 0) {
    OnReactor([&] {
      static const gxds_stream_call_events events = {Sent, Message, Closed};
      gxds_stream_call_options options{};
      options.method = "/test.Service/Method";
      options.wait_for_ready = wait_for_ready;
      options.deadline = timeout ? gxds_reactor_now() + timeout : GXDS_TIME_NEVER;
      options.id = ++last_id_;
      options.events = &events;
      options.owner = this;
      options.creds = creds_;
      call_ = gxds_stream_call_open(channel_, &options);
    });
  }
  void Send(const std::string &m) {
    OnReactor([&] { gxds_stream_call_send(call_, gxds_str_of(m.data(), m.size()), nullptr); });
  }
  void Send(const std::string &head, const gxds_block *rest) {
    OnReactor([&] { gxds_stream_call_send(call_, gxds_str_of(head.data(), head.size()), rest); });
  }
  void Read() {
    OnReactor([&] { gxds_stream_call_read(call_); });
  }
  void Close() {
    OnReactor([&] { gxds_stream_call_close(std::exchange(call_, nullptr)); });
  }
  void Finish() {
    OnReactor([&] { gxds_stream_call_finish(std::exchange(call_, nullptr)); });
  }
  void CloseInTheNextCallback() { close_in_callback_ = true; }
  void FinishInTheNextCallback() { finish_in_callback_ = true; }
  void ReadInEachCallback() { read_in_callback_ = true; }

  Event Take() { return events_.Take().value_or(Event{}); }
  bool Empty() { return events_.Empty(); }
  void Expect(const std::string &what) { EXPECT_EQ(Take().what, what); }
  void ExpectMessage(const std::string &bytes) {
    Event e = Take();
    EXPECT_EQ(e.what, "message");
    EXPECT_TRUE(e.bytes == bytes) << e.bytes.size() << " bytes";
  }
  void ExpectClosed(int code, const std::string &message) {
    Event e = Take();
    EXPECT_EQ(e.what, "closed");
    EXPECT_EQ(e.code, code);
    EXPECT_EQ(e.bytes, message);
  }

 private:
  void Note(Event e, bool last = false) {
    EXPECT_TRUE(gxds_reactor_is_current());
    EXPECT_EQ(e.id, last_id_);
    if (last) call_ = nullptr;
    if (call_ && close_in_callback_) gxds_stream_call_close(std::exchange(call_, nullptr));
    if (call_ && finish_in_callback_) gxds_stream_call_finish(std::exchange(call_, nullptr));
    if (call_ && read_in_callback_ && e.what == "message") gxds_stream_call_read(call_);
    events_.Put(std::move(e));
  }
  static void Sent(void *owner, uint64_t id) {
    static_cast<Client *>(owner)->Note({"sent", id, "", -1});
  }
  static void Message(void *owner, uint64_t id, const void *data, size_t size) {
    static_cast<Client *>(owner)->Note(
        {"message", id, std::string(static_cast<const char *>(data), size), -1});
  }
  static void Closed(void *owner, uint64_t id, const gxds_status *status) {
    std::string message(status->message.data ? status->message.data : "", status->message.size);
    static_cast<Client *>(owner)->Note({"closed", id, message, status->code}, true);
  }

  ReactorUse use_;
  grpc_channel *channel_ = nullptr;
  gxds_stream_call *call_ = nullptr;
  gxds_call_creds *creds_ = nullptr;
  uint64_t last_id_ = 40;
  bool close_in_callback_ = false;
  bool finish_in_callback_ = false;
  bool read_in_callback_ = false;
  Inbox<Event> events_;
};

TEST(StreamCall, CarriesMessagesBothWays) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  client.Send("ping");
  client.Expect("sent");
  auto stream = server.Take();
  EXPECT_EQ(stream->Method(), "/test.Service/Method");
  EXPECT_EQ(stream->Take(), "ping");
  client.Read();
  stream->Send("pong");
  client.ExpectMessage("pong");
  client.Send("again");
  client.Expect("sent");
  EXPECT_EQ(stream->Take(), "again");
}

TEST(StreamCall, CarriesEmptyAndHugeMessages) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  std::string huge(20 * 1000 * 1000, 'x');  // thousands of slices
  for (size_t i = 0; i < huge.size(); i++) huge[i] = static_cast<char>(i * 7 + i / 251);
  for (const std::string &m : {std::string(), huge}) {
    client.Read();
    stream->Send(m);
    client.ExpectMessage(m);
    client.Send(m);
    client.Expect("sent");
    EXPECT_TRUE(stream->Take() == m);
  }
}

const gxds_block *Block(const std::string &bytes) {
  gxds_text text = {};
  gxds_text_add(&text, gxds_str_of(bytes.data(), bytes.size()));
  return gxds_block_create(&text);
}

int References(const gxds_block *b) { return __atomic_load_n(&b->refs.count, __ATOMIC_ACQUIRE); }

// The sender releases its reference before the message is sent: gRPC holds its own reference.
TEST(StreamCall, SendsWhatItWasLentAfterItsHead) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  const std::string rest(1000 * 1000, 'r');
  const gxds_block *again = Block("again");
  for (int i = 0; i < 3; i++) {
    const gxds_block *block = Block(rest);
    client.Send("head", block);
    gxds_block_unref(block);
    client.Expect("sent");
    EXPECT_TRUE(stream->Take() == "head" + rest);
    client.Send("head", again);
    client.Expect("sent");
    EXPECT_EQ(stream->Take(), "headagain");
  }
  gxds_block_unref(again);
}

TEST(StreamCall, LendsWithoutACopyAndGivesBackWhenItIsClosed) {
  RawServer server;
  std::string uri = server.uri();
  server.Stop();
  const gxds_block *block = Block("rest");
  {
    Client client(uri);
    client.Open(/*wait_for_ready=*/true);
    client.Send("head", block);
    EXPECT_EQ(References(block), 2);
    client.Close();
  }
  EXPECT_TRUE(WaitUntil([&] { return References(block) == 1; }));  // released on any thread
  gxds_block_unref(block);
}

TEST(StreamCall, ReadsOneMessageForEachRead) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  for (int i = 0; i < 3; i++) stream->Send(std::to_string(i));
  client.Send("all are on the way");
  client.Expect("sent");
  stream->Take();
  for (int i = 0; i < 3; i++) {
    EXPECT_TRUE(client.Empty());
    client.Read();
    client.ExpectMessage(std::to_string(i));
  }
}

TEST(StreamCall, AFinishedCallEndsWhenTheServerHasReadEverything) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  stream->FinishWithClient();
  stream->HoldReads();
  for (const char *m : {"first", "last"}) {
    client.Send(m);
    client.Expect("sent");
  }
  client.Finish();
  EXPECT_EQ(stream->Take(), "first");
  stream->ReadOn();
  EXPECT_EQ(stream->Take(), "last");
  stream->WaitForEnd();
  EXPECT_FALSE(stream->IsCancelled());
  EXPECT_TRUE(client.Empty());
}

// Flow control: a server can't end a call before its last messages were read.
TEST(StreamCall, AFinishedCallReadsWhatTheServerStillSends) {
  RawServer server;
  for (bool reading : {true, false}) {
    Client client(server.uri());
    client.Open();
    auto stream = server.Take();
    if (reading) client.Read();
    client.Send("last");
    client.Expect("sent");
    client.Finish();
    EXPECT_EQ(stream->Take(), "last");
    for (int i = 0; i < 20; i++) stream->Send(std::string(1000 * 1000, 'x'));
    stream->Finish(grpc::Status::OK);
    stream->WaitForEnd();
    EXPECT_FALSE(stream->IsCancelled());
    OnReactor([] {});
    EXPECT_TRUE(client.Empty());
  }
}

TEST(StreamCall, ACallbackMayFinishTheCall) {
  RawServer server;
  Client client(server.uri());
  client.FinishInTheNextCallback();
  client.Open();
  auto stream = server.Take();
  client.Read();
  stream->Send("first");
  client.ExpectMessage("first");
  stream->Send("dropped");
  stream->Finish(grpc::Status::OK);
  stream->WaitForEnd();
  EXPECT_FALSE(stream->IsCancelled());
  OnReactor([] {});
  EXPECT_TRUE(client.Empty());
}

TEST(StreamCall, AFinishedCallThatTheServerDoesNotEndIsCancelled) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  stream->HoldReads();
  client.Send("first");
  client.Expect("sent");
  EXPECT_EQ(stream->Take(), "first");
  client.Finish();
  stream->WaitForEnd();
  EXPECT_TRUE(stream->IsCancelled());
  EXPECT_TRUE(client.Empty());
}

TEST(StreamCall, ReportsTheStatusAfterAllMessages) {
  RawServer server;
  Client client(server.uri());
  client.ReadInEachCallback();
  for (int round = 0; round < 50; round++) {
    client.Open();
    auto stream = server.Take();
    client.Read();
    stream->Send("1");
    stream->Send("2");
    stream->Finish(grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "not you"));
    client.ExpectMessage("1");
    client.ExpectMessage("2");
    client.ExpectClosed(GRPC_STATUS_PERMISSION_DENIED, "not you");
  }
}

TEST(StreamCall, ReportsACleanEnd) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  stream->Finish(grpc::Status::OK);
  client.ExpectClosed(GRPC_STATUS_OK, "");
}

TEST(StreamCall, ASendThatFailsIsNotReportedAsSent) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  auto stream = server.Take();
  client.Send(std::string(50 * 1000 * 1000, 'x'));  // more than flow control allows
  stream->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "going"));
  Event e = client.Take();
  if (e.what == "sent") e = client.Take();  // the message was sent in time
  EXPECT_EQ(e.what, "closed");
  OnReactor([] {});
  EXPECT_TRUE(client.Empty());
}

TEST(StreamCall, CloseCancelsAndReportsNothing) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  client.Read();
  auto stream = server.Take();
  client.Close();
  stream->WaitForEnd();
  client.Open();  // a later event to wait for
  stream = server.Take();
  stream->Finish(grpc::Status::OK);
  client.ExpectClosed(GRPC_STATUS_OK, "");
}

TEST(StreamCall, MayBeClosedWithinItsCallbacks) {
  RawServer server;
  for (bool in_sent : {true, false}) {
    Client client(server.uri());
    client.CloseInTheNextCallback();
    client.Open();
    auto stream = server.Take();
    if (in_sent) {
      client.Send("x");
      client.Expect("sent");
    } else {
      client.Read();
      stream->Send("x");
      client.ExpectMessage("x");
    }
    stream->WaitForEnd();
    OnReactor([] {});
    EXPECT_TRUE(client.Empty());
  }
}

TEST(StreamCall, MayBeClosedBeforeItIsConnected) {
  RawServer server;
  std::string uri = server.uri();
  server.Stop();
  Client client(uri);
  client.Open();
  client.Send("x");
  client.Read();
  client.Close();
  OnReactor([] {});
  EXPECT_TRUE(client.Empty());
}

TEST(StreamCall, FailsAtOnceUnlessItWaitsForReady) {
  RawServer server;
  std::string uri = server.uri();
  server.Stop();
  Client client(uri);
  client.Open(/*wait_for_ready=*/false);
  Event e = client.Take();
  EXPECT_EQ(e.what, "closed");
  EXPECT_EQ(e.code, GRPC_STATUS_UNAVAILABLE);
  EXPECT_NE(e.bytes.find("Connection refused"), std::string::npos) << e.bytes;
}

// A57: the does-not-exist timer starts when the request is actually sent.
TEST(StreamCall, ThatWaitsForReadySendsWhenItIsConnected) {
  auto server = std::make_unique<RawServer>();
  int port = server->port();
  std::string uri = server->uri();
  server->Stop();
  Client client(uri), canary(uri);
  client.Open(/*wait_for_ready=*/true);
  client.Send("patient");
  canary.Open(/*wait_for_ready=*/false);
  canary.Expect("closed");  // so the connection attempt has failed
  EXPECT_TRUE(client.Empty());
  server = std::make_unique<RawServer>(port);
  client.Expect("sent");
  auto stream = server->Take();
  EXPECT_EQ(stream->Take(), "patient");
}

TEST(StreamCall, EndsAtItsDeadline) {
  RawServer server;
  Client client(server.uri());
  client.Open(/*wait_for_ready=*/true, 50 * GXDS_MILLISECOND);
  Event e = client.Take();
  EXPECT_EQ(e.what, "closed");
  EXPECT_EQ(e.code, GRPC_STATUS_DEADLINE_EXCEEDED);
}

TEST(StreamCall, ServerThatDiesEndsIt) {
  RawServer server;
  Client client(server.uri());
  client.Open();
  client.Read();
  server.Take();
  server.Stop();
  EXPECT_EQ(client.Take().what, "closed");
}

TEST(StreamCallDeathTest, AProcessMayExitInTheMiddleOfOne) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        auto *server = new RawServer;
        auto *client = new Client(server->uri());
        client->Open();
        client->Read();
        client->Send("x");
        client->Expect("sent");
        exit(7);
      },
      testing::ExitedWithCode(7), "");
}

// With credentials other than "insecure", gRPC checks the security of the connection.
TEST(StreamCall, NoTokenLeavesOnAConnectionInTheClear) {
  gxds_test::TempDir files;
  files.Write("token", gxds_test::Token("one", INT64_MAX));
  RawServer server;
  Client client(server.uri());
  client.UseToken(files.path() + "/token", "called otherwise");
  client.Open();
  client.ExpectClosed(GRPC_STATUS_UNAUTHENTICATED,
                      "Established channel does not have a sufficient security level to transfer "
                      "call credential.");
  EXPECT_TRUE(server.NoMoreStreams());
}

TEST(StreamCall, EndsWithTheStatusOfItsCredentials) {
  RawServer server;
  Client client(server.uri());
  client.UseToken("/nowhere", "insecure");
  for (int i = 0; i < 100; i++) {  // gRPC may ask for the tokens of ended calls
    client.Open();
    client.Close();
  }
  client.Open();
  client.ExpectClosed(GRPC_STATUS_UNAUTHENTICATED,
                      "call_creds are not sent over \"insecure\" channel_creds: a token needs "
                      "\"tls\", or others that encrypt");
  EXPECT_TRUE(server.NoMoreStreams());
}

}  // namespace
}  // namespace grpc_xds
