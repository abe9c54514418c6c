// The inputs and outputs of the host in memory, as values: statuses, args, configs, addresses.
#ifndef GRPC_XDS_TEST_HOST_MEMORY_VALUES_H_
#define GRPC_XDS_TEST_HOST_MEMORY_VALUES_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "host/addresses.h"
#include "host/args.h"
#include "host/lb_config.h"

namespace memory {

inline std::string Text(gxds_str s) { return s.size == 0 ? "" : std::string(s.data, s.size); }
// Borrow: as long as s.
inline gxds_str View(const std::string& s) { return gxds_str_of(s.data(), s.size()); }

struct Status {
  Status() = default;
  Status(gxds_code c, std::string m) : code(c), message(std::move(m)) {}
  explicit Status(const gxds_status& s) : code(s.code), message(Text(s.message)) {}
  static Status Take(gxds_status s) {
    Status out(s);
    gxds_status_fini(&s);
    return out;
  }

  bool ok() const { return code == GXDS_OK; }
  gxds_status ToC() const;  // the caller's
  std::string ToString() const;
  bool operator==(const Status& other) const {
    return code == other.code && message == other.message;
  }

  gxds_code code = GXDS_OK;
  std::string message;
};
inline Status Unavailable(std::string message) {
  return Status(GXDS_UNAVAILABLE, std::move(message));
}
std::ostream& operator<<(std::ostream& out, const Status& status);

// The arguments of a channel: integers and strings.
class Args {
 public:
  Args Set(const std::string& name, std::variant<int, std::string> value) const {
    Args out = *this;
    out.values_[name] = std::move(value);
    return out;
  }
  // Null: none of that name is an integer.
  const int* GetInt(const std::string& name) const {
    auto it = values_.find(name);
    return it == values_.end() ? nullptr : std::get_if<int>(&it->second);
  }
  // Null: none of that name is a string.
  const std::string* GetString(const std::string& name) const {
    auto it = values_.find(name);
    return it == values_.end() ? nullptr : std::get_if<std::string>(&it->second);
  }
  bool operator==(const Args& other) const { return values_ == other.values_; }
  std::string ToString() const;

  const gxds_args* ToC() const;  // one reference, the caller's
  static const Args& Of(const gxds_args* args);

 private:
  std::map<std::string, std::variant<int, std::string>> values_;
};
std::ostream& operator<<(std::ostream& out, const Args& args);

// A reference of a config; empty: none.
class Config {
 public:
  Config() = default;
  explicit Config(gxds_lb_config* take_config) : config_(take_config) {}
  // The config of a policy of the host's.
  static Config OfHost(const std::string& policy);
  Config(const Config& other)
      : config_(other.config_ == nullptr ? nullptr : gxds_lb_config_ref(other.config_)) {}
  Config& operator=(Config other) {
    std::swap(config_, other.config_);
    return *this;
  }
  ~Config() { gxds_lb_config_unref(config_); }

  gxds_lb_config* get() const { return config_; }  // borrow
  template <typename T>
  const T& as() const {
    return *reinterpret_cast<const T*>(config_);
  }
  std::string name() const { return Text(config_->policy); }

 private:
  gxds_lb_config* config_ = nullptr;
};

// An address that is not from a snapshot, as a resolver of the host's would return it.
struct Address {
  std::string text = "";  // "10.0.0.1:80"
  uint32_t weight = 1;
  std::string hash_key = "";           // A76
  std::vector<std::string> path = {};  // the path of the child policies that the address is for
  std::string detail = "";             // what else identifies its subchannel: a balancer's token
};

// A list of addresses, or the status that says why there is none. By default an empty list.
class Addresses {
 public:
  Addresses() : Addresses(std::vector<Address>()) {}
  Addresses(const std::vector<Address>& addresses);   // NOLINT
  Addresses(Status why) : status_(std::move(why)) {}  // NOLINT
  explicit Addresses(const gxds_addresses* take_list) : list_(take_list) {}
  Addresses(const Addresses& other)
      : list_(other.list_ == nullptr ? nullptr : gxds_addresses_ref(other.list_)),
        status_(other.status_) {}
  Addresses& operator=(Addresses other) {
    std::swap(list_, other.list_);
    std::swap(status_, other.status_);
    return *this;
  }
  ~Addresses() { gxds_addresses_unref(list_); }

  const gxds_addresses* get() const { return list_; }  // borrow; null: see status()
  const Status& status() const { return status_; }

 private:
  const gxds_addresses* list_ = nullptr;
  Status status_;
};

// "10.0.0.1:80"
std::string AddressText(const gxds_lb_address& address);

}  // namespace memory

#endif
