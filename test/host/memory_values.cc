#include "test/host/memory_values.h"

#include "lb_policies/endpoint_list/endpoint_list.h"

namespace memory {

gxds_status Status::ToC() const {
  if (ok()) return gxds_status_ok();
  return gxds_status_make(code, "%s", message.c_str());
}

std::string Status::ToString() const {
  return ok() ? "OK" : std::string(gxds_code_name(code)) + ": " + message;
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  return out << status.ToString();
}

// --- Args ---

namespace {

struct ArgsInC : gxds_args {
  Args value;
};

const gxds_args_ops kArgsOps = {
    [](gxds_args* args) { delete static_cast<ArgsInC*>(args); },
    [](const gxds_args* args, const char* name, int* out) {
      const int* value = Args::Of(args).GetInt(name);
      if (value != nullptr) *out = *value;
      return value != nullptr;
    },
    [](const gxds_args* a, const gxds_args* b) { return Args::Of(a) == Args::Of(b); },
    [](const gxds_args* args, const char* name, int value) {
      return Args::Of(args).Set(name, value).ToC();
    },
};

}  // namespace

const gxds_args* Args::ToC() const {
  auto* out = new ArgsInC{};
  gxds_ref_init(&out->refs);
  out->ops = &kArgsOps;
  out->value = *this;
  return out;
}

const Args& Args::Of(const gxds_args* args) { return static_cast<const ArgsInC*>(args)->value; }

std::string Args::ToString() const {
  std::string out = "{";
  for (const auto& [name, value] : values_) {
    const int* number = std::get_if<int>(&value);
    out += name + "=" + (number ? std::to_string(*number) : std::get<std::string>(value)) + " ";
  }
  return out + "}";
}

std::ostream& operator<<(std::ostream& out, const Args& args) { return out << args.ToString(); }

// --- Configs ---

namespace {

struct ConfigOfHost : gxds_lb_config {
  std::string name;
};

}  // namespace

Config Config::OfHost(const std::string& policy) {
  auto* out = new ConfigOfHost{};
  gxds_ref_init(&out->refs);
  out->name = policy;
  out->policy = View(out->name);
  out->destroy = [](gxds_lb_config* c) { delete static_cast<ConfigOfHost*>(c); };
  return Config(out);
}

// --- Addresses ---

namespace {

struct List : gxds_addresses {
  std::vector<Address> items;
};

const Address& At(const gxds_addresses* list, size_t index) {
  return static_cast<const List*>(list)->items[index];
}

const gxds_addresses* ToC(const std::vector<Address>& items);

// Like gRPC's: the list is empty if no address has that path.
const gxds_addresses* Below(const gxds_addresses* list, gxds_str name) {
  std::vector<Address> out;
  for (const Address& item : static_cast<const List*>(list)->items) {
    if (item.path.empty() || item.path[0] != Text(name)) continue;
    out.push_back(item);
    out.back().path.erase(out.back().path.begin());
  }
  return ToC(out);
}

const gxds_addresses_ops kListOps = {
    [](gxds_addresses* list) { delete static_cast<List*>(list); },
    [](const gxds_addresses* list, size_t index, gxds_lb_address* out) {
      const Address& item = At(list, index);
      out->native = &item;
      out->weight = item.weight;
      out->hash_key = View(item.hash_key);
    },
    [](const gxds_addresses* list, size_t index, gxds_text* out) {
      gxds_text_add(out, View(At(list, index).text));
    },
    [](const gxds_addresses* list, size_t index, gxds_text* out) {
      gxds_text_add(out, View(At(list, index).detail));
    },
    Below,
};

const gxds_addresses* ToC(const std::vector<Address>& items) {
  auto* out = new List{};
  gxds_ref_init(&out->refs);
  out->ops = &kListOps;
  out->count = items.size();
  out->items = items;
  return out;
}

}  // namespace

Addresses::Addresses(const std::vector<Address>& addresses) : list_(ToC(addresses)) {}

std::string AddressText(const gxds_lb_address& address) {
  gxds_text text = {};
  gxds_lb_address_render(&address, &text);
  std::string out = Text(gxds_text_str(&text));
  gxds_text_fini(&text);
  return out;
}

}  // namespace memory
