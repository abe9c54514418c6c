// Helpers of the tests of lrs/: a server, and reports as text.
#ifndef GRPC_XDS_TEST_LRS_LRS_FAKES_H_
#define GRPC_XDS_TEST_LRS_LRS_FAKES_H_

#include <memory>
#include <string>

#include "lrs/load_report.h"

namespace lrs_test {

inline std::string Text(gxds_str s) { return std::string(s.data ? s.data : "", s.size); }

inline gxds_bootstrap_server Server(const char *uri) {
  gxds_bootstrap_server s = {};
  s.uri = gxds_str_z(uri);
  s.creds_type = gxds_str_z("insecure");
  return s;
}

struct StoreUnref {
  void operator()(gxds_load_store *s) const {
    gxds_load_store_close(s);
    gxds_load_store_unref(s);
  }
};
using Store = std::unique_ptr<gxds_load_store, StoreUnref>;

struct LoadUnref {
  void operator()(gxds_locality_load *l) const { gxds_locality_load_unref(l); }
  void operator()(gxds_drop_load *d) const { gxds_drop_load_unref(d); }
};
using Load = std::unique_ptr<gxds_locality_load, LoadUnref>;
using Drops = std::unique_ptr<gxds_drop_load, LoadUnref>;

inline Load Locality(gxds_load_store *s, const gxds_bootstrap_server &server, const char *cluster,
                     const char *zone = "z", const char *service = "") {
  return Load(gxds_load_store_locality(s, &server, gxds_str_z(cluster), gxds_str_z(service),
                                       gxds_str_z("r"), gxds_str_z(zone), gxds_str_z("s")));
}

inline Drops DropsOf(gxds_load_store *s, const gxds_bootstrap_server &server, const char *cluster,
                     const char *service = "") {
  return Drops(gxds_load_store_drops(s, &server, gxds_str_z(cluster), gxds_str_z(service)));
}

inline void Call(const Load &l, bool failed = false) {
  gxds_locality_load_started(l.get());
  gxds_locality_load_finished(l.get(), failed);
}

}  // namespace lrs_test

#endif
