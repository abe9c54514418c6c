// Many xDS clients in one process. Each is the library's engine and transport on its own
// connection, without a channel. All run on the one reactor.
#ifndef GRPC_XDS_TEST_SERVE_LOAD_CLIENTS_H_
#define GRPC_XDS_TEST_SERVE_LOAD_CLIENTS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "bootstrap/bootstrap.h"
#include "test/transport/on_reactor.h"
#include "transport/session.h"

namespace gxds_serve_load {

struct ClientsOptions {
  uint16_t port;  // of the server, on 127.0.0.1
  bool delta;
  int clients;
  int clusters;  // each client watches all, and their endpoints
  int changing;  // the place of the cluster whose endpoints change
  int changes;   // how many changes there will be
};

class Clients {
 public:
  explicit Clients(const ClientsOptions& options);
  // Ends all clients.
  ~Clients();
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  // Starts all clients at once.
  void Open();
  // Waits until each client has all resources; false if that takes too long.
  bool AwaitComplete();

  // A change with that number (1, 2, …) is about to be written.
  void OnChange(int number);
  // Waits until each client has the last change; false if that takes too long.
  bool AwaitLast();

  // How long a client was without a change. A client that is notified of several merged changes
  // gets all of them at that time.
  struct Lag {
    float ms;
    int change;
  };
  // Of each client and change, sorted. Valid after AwaitLast().
  std::vector<Lag> Lags();
  // How many updates of the changing endpoint all clients were notified of. If changes were merged,
  // there are fewer updates than changes.
  uint64_t updates() const { return updates_; }
  // Errors that clients were notified of after their first resource; 0 in a good run.
  int errors() const { return errors_; }
  // For a run that failed: how many clients have all resources, and how many the last change.
  std::string Progress();

 private:
  struct Client;

  static void OnNotification(void* arg, const gxds_action* action);
  void OnError(const Client& client, const gxds_error& error);
  void OnResource(Client* client, const gxds_action& action);
  void OnNumber(Client* client, int number);
  void Note(int* count);
  bool AwaitAll(const int& count);

  const ClientsOptions options_;
  const grpc_xds::ReactorUse use_;
  const gxds_bootstrap* bootstrap_ = nullptr;
  std::vector<std::unique_ptr<Client>> clients_;  // the reactor's, once Open() began

  std::vector<std::atomic<gxds_time>> written_;  // when each change was; by its number
  std::vector<Lag> lags_;                        // the reactor's
  std::atomic<uint64_t> updates_{0};
  std::atomic<int> errors_{0};
  std::atomic<int> early_errors_{0};  // before a client had its first resource

  std::mutex mu_;
  std::condition_variable changed_;
  int complete_ = 0;  // clients that have all resources
  int at_last_ = 0;   // clients that have the last change
};

}  // namespace gxds_serve_load

#endif
