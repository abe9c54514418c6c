// An ordinary gRPC program that a driver controls. It does not use this project's API; the plugin
// is preloaded.
//
//   client [-xds] TARGET...
//
// With -xds its channels have xDS credentials, otherwise insecure ones. Lines on standard input are
// orders. "call PATH [KEY=VALUE...]" makes one RPC on the first target, with this metadata. "on N
// PATH [KEY=VALUE...]" makes one on target N. Both print "ok REPLY" or "failed CODE MESSAGE".
// "dump" prints "config BASE64", the ClientConfig that a CSDS service would return. The program
// ends at the end of standard input.
#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

extern "C" grpc_slice grpc_dump_xds_configs(void);

namespace {

// A call during a change may wait for the change.
constexpr auto kDeadline = std::chrono::seconds(5);

std::string Text(grpc::ByteBuffer* buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer->Dump(&slices).ok()) return text;
  for (const auto& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return text;
}

// order: a path and metadata.
std::string Call(grpc::GenericStub* stub, std::istringstream order) {
  std::string path;
  order >> path;
  grpc::ClientContext context;
  for (std::string pair; order >> pair;) {
    size_t end = pair.find('=');
    if (end == std::string::npos) return "failed: no metadata: " + pair;
    context.AddMetadata(pair.substr(0, end), pair.substr(end + 1));
  }
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  grpc::Slice empty("");
  grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  std::mutex mu;
  std::condition_variable cv;
  bool done = false;
  stub->UnaryCall(&context, path, {}, &request, &response, [&](const grpc::Status& s) {
    std::lock_guard<std::mutex> lock(mu);
    status = s;
    done = true;
    cv.notify_one();
  });
  std::unique_lock<std::mutex> lock(mu);
  cv.wait(lock, [&] { return done; });
  if (status.ok()) return "ok " + Text(&response);
  std::string message = status.error_message();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return "failed " + std::to_string(status.error_code()) + " " + message;
}

std::string Base64(const std::string& bytes) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::string Dump() {
  grpc_slice slice = grpc_dump_xds_configs();
  std::string bytes(reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
                    GRPC_SLICE_LENGTH(slice));
  grpc_slice_unref(slice);
  return "config " + Base64(bytes);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> targets(argv + 1, argv + argc);
  auto credentials = grpc::InsecureChannelCredentials();
  if (!targets.empty() && targets[0] == "-xds") {
    credentials = grpc::XdsCredentials(credentials);
    targets.erase(targets.begin());
  }
  if (targets.empty()) {
    std::cerr << "usage: client [-xds] TARGET...\n";
    return 2;
  }
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  for (const std::string& target : targets) {
    auto channel = grpc::CreateChannel(target, credentials);
    channel->GetState(true);  // requests the channel's configuration now, not at the first RPC
    stubs.push_back(std::make_unique<grpc::GenericStub>(channel));
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream order(line);
    std::string word;
    order >> word;
    size_t number = 0;
    if (word == "dump") {
      std::cout << Dump() << std::endl;
    } else if (word == "call" || (word == "on" && order >> number && number < stubs.size())) {
      std::cout << Call(stubs[number].get(), std::move(order)) << std::endl;
    } else {
      std::cout << "failed: no such order: " << line << std::endl;
    }
  }
  return 0;
}
