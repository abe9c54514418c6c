// The load reports that a backend sends out of band (A51), as one policy wants them of one
// subchannel: on a stream of the subchannel's own connection, which all that want reports on that
// connection share, of this channel or of others.
//
// Not the host's OobBackendMetricWatcher: its BackendMetricData lacks all but the utilizations of
// CPU and memory.
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
#include "src/core/lib/gprpp/ref_counted.h"
#include "src/core/lib/gprpp/ref_counted_ptr.h"
#include "src/core/lib/gprpp/sync.h"
#include "src/core/lib/load_balancing/subchannel_interface.h"

namespace grpc_xds {

class OobProducer;  // private: the stream of a subchannel

// Counted, since the subchannel and the policy may go in either order.
class OobReports : public grpc_core::RefCounted<OobReports> {
 public:
  explicit OobReports(gxds_load_listener* listener);
  ~OobReports() override;

  // The subchannel whose reports are meant; once. Until it ends, it keeps the reports.
  void Attach(grpc_core::SubchannelInterface* subchannel);
  // How often reports are wanted; GXDS_TIME_NEVER: not at all, as in the beginning.
  void Want(gxds_duration interval);
  gxds_duration wanted() const;

  gxds_load_listener* listener() const { return listener_; }

 private:
  friend class OobWatcher;

  // From and to the subchannel.
  void SetProducer(grpc_core::RefCountedPtr<OobProducer> producer);

  gxds_load_listener* const listener_;
  mutable grpc_core::Mutex mu_;
  gxds_duration wanted_ ABSL_GUARDED_BY(mu_) = GXDS_TIME_NEVER;
  // Null: the subchannel is not there yet, or no longer.
  grpc_core::RefCountedPtr<OobProducer> producer_ ABSL_GUARDED_BY(mu_);
};

// What a subchannel is given by Attach(): it lives as long as the subchannel.
class OobWatcher : public grpc_core::InternalSubchannelDataWatcherInterface {
 public:
  explicit OobWatcher(grpc_core::RefCountedPtr<OobReports> reports)
      : reports_(std::move(reports)) {}
  ~OobWatcher() override;

  void SetSubchannel(grpc_core::Subchannel* subchannel) override;
  OobReports* reports() const { return reports_.get(); }

 private:
  const grpc_core::RefCountedPtr<OobReports> reports_;
};

// gxds_subchannel_report_load() of a subchannel of the host's own.
void ReportLoad(grpc_core::SubchannelInterface* subchannel, gxds_load_listener* listener,
                gxds_duration interval);

}  // namespace grpc_xds

#endif
