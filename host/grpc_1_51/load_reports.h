// The load reports that a backend sends out of band (A51), as one policy wants them of one
// subchannel: on a stream of the subchannel's own connection, which all that want reports on that
// connection share, of this channel or of others.
//
// Not the host's OobBackendMetricWatcher: its BackendMetricData lacks all but the utilizations of
// CPU and memory.
//
// When there is a stream, gxds_orca_stream says; after a failure it begins anew as
// SubchannelStreamClient has it: at once if a report came, else with backoff.
#ifndef GRPC_XDS_HOST_GRPC_1_51_LOAD_REPORTS_H_
#define GRPC_XDS_HOST_GRPC_1_51_LOAD_REPORTS_H_

#include <grpc/support/port_platform.h>

#include <memory>

#include "base/time.h"
#include "host/subchannel.h"
#include "src/core/ext/filters/client_channel/subchannel.h"
#include "src/core/ext/filters/client_channel/subchannel_interface_internal.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"

namespace grpc_xds {

class OobProducer;  // private: the stream of a subchannel

// What a subchannel is given for a listener, who finds it in listener->subchannels: it lives as
// long as the subchannel, and under the channel's serializer.
class OobWatcher : public grpc_core::InternalSubchannelDataWatcherInterface {
 public:
  explicit OobWatcher(gxds_load_listener* listener);
  ~OobWatcher() override;

  void SetSubchannel(grpc_core::Subchannel* subchannel) override;
  // How often reports are wanted; GXDS_TIME_NEVER: not at all, as in the beginning.
  void Want(gxds_duration interval);

  gxds_duration wanted() const { return wanted_; }
  gxds_load_listener* listener() const { return listener_; }

 private:
  gxds_load_listener* const listener_;
  gxds_duration wanted_ = GXDS_TIME_NEVER;
  grpc_core::RefCountedPtr<OobProducer> producer_;  // null: the subchannel is none of the host's
};

// gxds_subchannel_report_load() of a subchannel of the host's own.
void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval);

}  // namespace grpc_xds

#endif
