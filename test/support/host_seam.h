// What tests ask of gRPC that each version has in another way: test/host/grpc_1_51, grpc_1_83.
#ifndef GRPC_XDS_TEST_SUPPORT_HOST_SEAM_H_
#define GRPC_XDS_TEST_SUPPORT_HOST_SEAM_H_

#include <string_view>

namespace gxds_test {

// From now on each line that is logged as information or as an error goes to read, on the thread
// that logs it. Null: no longer, but for one that is on its way. For HostLog alone.
void SetHostLogReader(void (*read)(std::string_view line));

// Whether the hostname of an endpoint (A81) is part of what a connection is shared by: with another
// hostname there is another connection.
extern const bool kHostnameIsPartOfConnection;

// Whether RPCs of a child of a fork, with fork support, are served on channels of its parent's.
extern const bool kChildMayUseChannelOfParent;

// The shortest that the first backoff of a retry policy may be, as a part of what the policy says.
extern const double kShortestFirstBackoff;

// Whether somebody must poll the epoll set of gRPC for it, which the transport's worker does.
extern const bool kHostIsPolled;

// What is wrong with the refresh_interval "often" of "tls" credentials.
extern const char kNotADuration[];

// What an RPC's status has when its connection was given up because pings stayed unanswered, and
// when its channel has no credentials.
extern const char kPingsUnanswered[];
extern const char kNoCredentials[];

}  // namespace gxds_test

#endif
