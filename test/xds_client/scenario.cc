#include "test/xds_client/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"

namespace gxds_test {

namespace {

std::string RenderError(const gxds_error *error) {
  gxds_text text = {};
  gxds_text_add_z(&text, gxds_code_name(error ? error->code : GXDS_OK));
  if (error) gxds_text_add_z(&text, ": ");
  gxds_error_render(error, &text);
  std::string out = String(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

// With any input from the network, no log line and no status contains a raw control character.
void ExpectPrintable(const std::string &text) {
  for (char c : text) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << text;
  }
}

}  // namespace

std::string Watcher::Next() {
  if (notifications_.empty()) return "nothing";
  std::string next = notifications_.front();
  notifications_.pop_front();
  return next;
}

std::string Server::NextRequest() {
  if (requests_.empty()) return "nothing";
  std::string next = requests_.front();
  requests_.pop_front();
  return next;
}

void Server::Respond(const gxds_resource_type &type, const std::string &version,
                     const std::vector<std::string> &resources) {
  std::vector<Any> anys;
  for (const std::string &bytes : resources) anys.push_back(Bare(type, bytes));
  Send(type.type_url, version, anys);
}

void Server::Send(const std::string &type_url, const std::string &version,
                  const std::vector<Any> &resources) {
  SendRaw(Response(type_url, version, "n" + std::to_string(++nonce_), resources));
}

void Server::RespondWithErrors(const gxds_resource_type &type, const std::string &version,
                               const std::vector<std::string> &resources,
                               const std::vector<ResourceError> &errors) {
  std::vector<Any> anys;
  for (const std::string &bytes : resources) anys.push_back(Bare(type, bytes));
  std::string message = Response(type.type_url, version, "n" + std::to_string(++nonce_), anys);
  for (const ResourceError &error : errors) message += Field(7, Render(error));
  SendRaw(message);
}

void Server::RespondDelta(const gxds_resource_type &type, const std::vector<Item> &items,
                          const std::vector<std::string> &removed) {
  SendRaw(DeltaResponse(type, "n" + std::to_string(++nonce_), items, removed));
}

void Server::SendRaw(const std::string &message) {
  ASSERT_NE(stream_, 0u) << "no stream to " << uri_;
  ASSERT_TRUE(wants_message_) << "flow control: nobody reads from " << uri_;
  wants_message_ = false;
  gxds_client_on_message(scenario_->client_, stream_, message.data(), message.size(),
                         scenario_->now_);
  scenario_->Drain();
}

void Server::CloseStream(gxds_code code, const std::string &message) {
  ASSERT_NE(stream_, 0u) << "no stream to " << uri_;
  gxds_status status =
      code == GXDS_OK ? gxds_status_ok() : gxds_status_make(code, "%s", message.c_str());
  gxds_stream_id stream = stream_;
  stream_ = 0;
  wants_message_ = send_outstanding_ = false;
  gxds_client_on_stream_closed(scenario_->client_, stream, &status, scenario_->now_);
  gxds_status_fini(&status);
  scenario_->Drain();
}

void Server::RestartStream(gxds_code code, const std::string &message) {
  CloseStream(code, message);
  scenario_->ResetBackoff();
}

void Server::FailChannel(const std::string &message, gxds_code code) {
  ASSERT_TRUE(connected_);
  gxds_status status = gxds_status_make(code, "%s", message.c_str());
  gxds_client_on_channel_failed(scenario_->client_, id_, &status, scenario_->now_);
  gxds_status_fini(&status);
  scenario_->Drain();
}

void Server::ReleaseSend() {
  ASSERT_TRUE(send_outstanding_);
  send_outstanding_ = false;
  gxds_client_on_sent(scenario_->client_, stream_, scenario_->now_);
  scenario_->Drain();
}

static const gxds_host kTracingHost = [] {
  gxds_host host = {};
  host.traces = [](gxds_trace trace) { return trace == GXDS_TRACE_XDS_CLIENT; };
  return host;
}();

Scenario::Scenario(ScenarioOptions options) : disk_(options.disk) {
  BuildBootstrap(options);
  gxds_client_options client_options = {};
  client_options.bootstrap = &bootstrap_;
  client_options.host = options.trace ? &kTracingHost : nullptr;
  client_options.types = kTypes;
  client_options.type_count = 2;
  client_options.seed = 1;
  client_options.resource_does_not_exist_timeout = options.resource_timeout;
  client_options.wall_offset = options.wall_offset;
  client_options.keeps_resources = disk_ != nullptr;
  client_ = gxds_client_create(&client_options);
}

Scenario::~Scenario() {
  if (!forgiving_) {
    for (const auto &watcher : watchers_) {
      for (const std::string &each : watcher->notifications_)
        ADD_FAILURE() << "not looked at: " << each;
    }
    for (const auto &server : servers_) {
      for (const std::string &request : server.second->requests_) {
        ADD_FAILURE() << "not looked at: " << request << " to " << server.first;
      }
    }
    if (!forgiving_timers_) {
      EXPECT_EQ(UntilDeadline(), GXDS_TIME_NEVER) << "a timer still runs";
    }
  }
  gxds_client_destroy(client_);
  EXPECT_EQ(g_live_resources, 0u);
  EXPECT_EQ(bootstrap_.refs.count, 1);
}

const gxds_bootstrap_server *const *Scenario::Build(const std::vector<ServerConfig> &configs) {
  server_lists_.emplace_back();
  for (const ServerConfig &config : configs) {
    gxds_bootstrap_server server = {};
    strings_.push_back(config.uri);
    server.uri = Str(strings_.back());
    server.creds_type = gxds_str_z("insecure");
    server.fail_on_data_errors = config.fail_on_data_errors;
    server.resource_timer_is_transient_error = config.resource_timer_is_transient_error;
    server.delta = config.delta;
    server.ignore_resource_deletion = config.ignore_resource_deletion;
    bootstrap_servers_.push_back(server);
    server_lists_.back().push_back(&bootstrap_servers_.back());
  }
  return server_lists_.back().data();
}

void Scenario::BuildBootstrap(const ScenarioOptions &options) {
  gxds_ref_init(&bootstrap_.refs);
  bootstrap_.servers = Build(options.servers);
  bootstrap_.server_count = options.servers.size();
  strings_.push_back(options.node_id);
  bootstrap_.node_id = Str(strings_.back());
  // message Node { string id = 1; … }
  strings_.push_back(options.node_id.empty()
                         ? ""
                         : std::string("\x0a") + static_cast<char>(options.node_id.size()) +
                               options.node_id);
  bootstrap_.node = Str(strings_.back());
  for (const auto &authority : options.authorities) {
    gxds_bootstrap_authority a = {};
    strings_.push_back(authority.first);
    a.name = Str(strings_.back());
    a.servers = Build(authority.second);
    a.server_count = authority.second.size();
    a.fallback_on_reachability_only = options.fallback_on_reachability_only;
    bootstrap_authorities_.push_back(a);
  }
  bootstrap_.authorities = bootstrap_authorities_.data();
  bootstrap_.authority_count = bootstrap_authorities_.size();
}

Server &Scenario::server(const std::string &uri) {
  std::unique_ptr<Server> &server = servers_[uri];
  if (!server) {
    server = std::make_unique<Server>();
    server->scenario_ = this;
    server->uri_ = uri;
  }
  return *server;
}

Server &Scenario::by_stream(gxds_stream_id stream) {
  for (const auto &server : servers_) {
    if (stream != 0 && server.second->stream_ == stream) return *server.second;
  }
  ADD_FAILURE() << "an action for stream " << stream << ", which is not open";
  return server("nowhere");
}

Watcher &Scenario::Watch(const gxds_resource_type &type, const std::string &name) {
  return *WatchTogether({{&type, name}})[0];
}

std::vector<Watcher *> Scenario::WatchTogether(
    const std::vector<std::pair<const gxds_resource_type *, std::string>> &wanted) {
  std::vector<Watcher *> out;
  for (const auto &want : wanted) {
    watchers_.push_back(std::make_unique<Watcher>());
    Watcher *watcher = watchers_.back().get();
    out.push_back(watcher);
    watcher->id_ =
        gxds_client_watch(client_, want.first, Str(want.second), {watcher, 7, scope_}, now_);
    Validate();
  }
  if (draining_ == 0) Drain();
  return out;
}

void Scenario::Cancel(Watcher &watcher) {
  watcher.cancelled_ = true;
  gxds_client_unwatch(client_, watcher.id_, now_);
  Validate();
  if (draining_ == 0) Drain();
}

void Scenario::KeepAll(const std::string &uri, uint32_t scope) {
  for (size_t i = 0; i < bootstrap_.server_count; i++) {
    if (String(bootstrap_.servers[i]->uri) != uri) continue;
    gxds_client_keep_all(client_, scope, bootstrap_.servers[i]);
  }
  Validate();
  if (draining_ == 0) Drain();
}

void Scenario::Together(const std::function<void()> &fn) {
  draining_++;
  fn();
  draining_--;
  Drain();
}

void Scenario::Validate() {
  if (!validating_seldom_) gxds_client_validate(client_);
}

void Scenario::Drain() {
  draining_++;
  gxds_client_validate(client_);
  for (bool again = true; again;) {
    while (const gxds_action *action = gxds_client_next_action(client_)) {
      Validate();
      Carry(*action);
    }
    gxds_client_validate(client_);
    again = false;
    for (const auto &entry : servers_) {
      Server &server = *entry.second;
      if (!server.send_outstanding_ || server.hold_sends_) continue;
      server.send_outstanding_ = false;
      gxds_client_on_sent(client_, server.stream_, now_);
      gxds_client_validate(client_);
      again = true;
    }
  }
  draining_--;
}

void Scenario::Carry(const gxds_action &action) {
  switch (action.kind) {
    case GXDS_ACTION_CONNECT: {
      Server &s = server(String(action.server->uri));
      EXPECT_FALSE(s.connected_);
      s.connected_ = true;
      s.id_ = action.server_id;
      trace_.push_back("CONNECT " + s.uri_);
      break;
    }
    case GXDS_ACTION_DISCONNECT: {
      Server &s = server(String(action.server->uri));
      EXPECT_TRUE(s.connected_ && s.stream_ == 0 && s.id_ == action.server_id);
      s.connected_ = false;
      trace_.push_back("DISCONNECT " + s.uri_);
      break;
    }
    case GXDS_ACTION_OPEN_STREAM: {
      Server &s = server(String(action.server->uri));
      EXPECT_TRUE(s.connected_ && s.stream_ == 0);
      std::string method = action.method;
      std::string service = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";
      s.delta_ = method == service + "DeltaAggregatedResources";
      EXPECT_EQ(method,
                service + (s.delta_ ? "DeltaAggregatedResources" : "StreamAggregatedResources"));
      s.stream_ = action.stream;
      s.nonce_ = 0;
      s.streams_opened_++;
      trace_.push_back("OPEN " + s.uri_);
      break;
    }
    case GXDS_ACTION_CLOSE_STREAM: {
      Server &s = by_stream(action.stream);
      s.stream_ = 0;
      s.wants_message_ = s.send_outstanding_ = false;
      trace_.push_back("CLOSE " + s.uri_);
      break;
    }
    case GXDS_ACTION_SEND: {
      Server &s = by_stream(action.stream);
      EXPECT_FALSE(s.send_outstanding_) << "two SENDs at once";
      s.send_outstanding_ = true;
      const std::string message = Message(action);
      s.request_bytes_ = message.size();
      s.request_head_bytes_ = action.bytes.size;
      s.request_rest_.reset(action.rest ? gxds_block_ref(action.rest) : nullptr);
      s.requests_.push_back(
          Render(s.delta_ ? ParseDeltaRequest(Str(message)) : ParseRequest(Str(message))));
      trace_.push_back("SEND");
      break;
    }
    case GXDS_ACTION_READ: {
      Server &s = by_stream(action.stream);
      EXPECT_FALSE(s.wants_message_) << "two READs at once";
      s.wants_message_ = true;
      trace_.push_back("READ");
      break;
    }
    case GXDS_ACTION_RESOURCE:
    case GXDS_ACTION_AMBIENT_ERROR:
      Notify(action);
      break;
    case GXDS_ACTION_LOG:
      ExpectPrintable(String(action.bytes));
      log_.push_back(String(action.bytes));
      break;
    case GXDS_ACTION_PERSIST:
    case GXDS_ACTION_FORGET:
    case GXDS_ACTION_RESTORE:
      CarryKept(action);
      break;
  }
}

void Scenario::CarryKept(const gxds_action &action) {
  std::string authority = action.authority.size ? "/" + String(action.authority) : "";
  std::string scope = action.scope ? std::to_string(action.scope) + ": " : "";
  std::string key = scope + String(action.server->uri) + authority + " " + action.type->short_name +
                    " " + String(action.name);
  if (action.kind == GXDS_ACTION_PERSIST) {
    (*disk_)[key] = String(action.version) + " " + String(action.bytes);
    trace_.push_back("PERSIST " + key);
  } else if (action.kind == GXDS_ACTION_FORGET) {
    disk_->erase(key);
    trace_.push_back("FORGET " + key);
  } else {
    gxds_kept kept = {};
    kept.scope = action.scope;
    kept.server = action.server;
    kept.type = action.type;
    kept.name = action.name;
    auto found = disk_->find(key);
    if (found != disk_->end()) {
      size_t space = found->second.find(' ');
      kept.found = true;
      kept.version = gxds_str_of(found->second.data(), space);
      kept.bytes = gxds_str_of(found->second.data() + space + 1, found->second.size() - space - 1);
      kept.accepted = 1738324800 * GXDS_SECOND;
    }
    trace_.push_back("RESTORE " + key);
    gxds_client_restore(client_, &kept, now_);
    gxds_client_validate(client_);
  }
}

void Scenario::Notify(const gxds_action &action) {
  auto *watcher = static_cast<Watcher *>(action.watcher.owner);
  EXPECT_FALSE(watcher->cancelled_) << "a watcher is notified after its end";
  EXPECT_EQ(action.watch, watcher->id_);
  EXPECT_EQ(action.watcher.token, 7u);
  std::string status = RenderError(action.error);
  ExpectPrintable(status);
  if (action.kind == GXDS_ACTION_AMBIENT_ERROR) {
    watcher->notifications_.push_back("ambient " + status);
  } else if (action.resource) {
    EXPECT_EQ(action.error, nullptr);
    watcher->notifications_.push_back(Text(action.resource));
  } else {
    ASSERT_NE(action.error, nullptr);
    watcher->notifications_.push_back("error " + status);
  }
  trace_.push_back("NOTIFY");
  if (!watcher->then_) return;
  std::function<void()> then = std::move(watcher->then_);
  watcher->then_ = nullptr;
  then();
}

void Scenario::Advance(gxds_duration duration) {
  gxds_time end = now_ + duration;
  while (gxds_client_deadline(client_) <= end) {
    now_ = std::max(now_, gxds_client_deadline(client_));
    gxds_client_on_deadline(client_, now_);
    Drain();
  }
  now_ = end;
}

gxds_duration Scenario::UntilDeadline() const {
  gxds_time deadline = gxds_client_deadline(client_);
  return deadline == GXDS_TIME_NEVER ? GXDS_TIME_NEVER : deadline - now_;
}

void Scenario::ResetBackoff() {
  gxds_client_reset_backoff(client_, now_);
  Drain();
}

std::string Scenario::Dump() const {
  std::string out;
  gxds_client_each_resource(
      client_,
      [](void *arg, const gxds_resource_info *info) {
        static const char *const states[] = {"REQUESTED",      "ACKED",          "NACKED",
                                             "DOES_NOT_EXIST", "RECEIVED_ERROR", "TIMEOUT"};
        auto *text = static_cast<std::string *>(arg);
        *text += std::string(info->type->short_name) + " " + String(info->name) + " " +
                 states[info->state];
        if (info->resource) {
          *text += " " + String(info->version) + " " + String(info->bytes);
          EXPECT_GT(info->updated, 0);
        }
        if (info->error) {
          *text += " failed " + String(info->failed_version) + " " + RenderError(info->error);
          EXPECT_GT(info->failed, 0);
        }
        *text += " watchers=" + std::to_string(info->watcher_count) + "\n";
      },
      &out);
  return out;
}

std::vector<std::string> Scenario::TakeTrace() {
  std::vector<std::string> out;
  out.swap(trace_);
  return out;
}

bool Scenario::Logged(const std::string &part) const {
  return std::any_of(log_.begin(), log_.end(),
                     [&](const std::string &line) { return line.find(part) != std::string::npos; });
}

}  // namespace gxds_test
