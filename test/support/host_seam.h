// What tests need from gRPC and what differs between its versions. Implemented in
// test/host/grpc_1_51 and grpc_1_83.
#ifndef GRPC_XDS_TEST_SUPPORT_HOST_SEAM_H_
#define GRPC_XDS_TEST_SUPPORT_HOST_SEAM_H_

#include <string_view>

namespace gxds_test {

// From now on `read` is called with each line that is logged as information or as an error, on the
// thread that logs it. Null ends that, though a line that is being logged may still come. For
// HostLog only.
void SetHostLogReader(void (*read)(std::string_view line));

// Whether the hostname of an endpoint (A81) is part of a connection's identity: a different
// hostname then means a different connection.
extern const bool kHostnameIsPartOfConnection;

// Whether the child of a fork, with fork support, can make RPCs on the channels of its parent.
extern const bool kChildMayUseChannelOfParent;

// The shortest first backoff of a retry policy, as a fraction of the policy's initial backoff.
extern const double kShortestFirstBackoff;

// Whether gRPC needs a thread that polls its epoll set, as the reactor does.
extern const bool kHostIsPolled;

// The error for the refresh_interval "often" of "tls" credentials.
extern const char kNotADuration[];

// The text in an RPC's status when its connection was closed because pings got no response, and
// when its channel has no credentials.
extern const char kPingsUnanswered[];
extern const char kNoCredentials[];

}  // namespace gxds_test

#endif
