#include "host/grpc_common/layout.h"
#include "test/host/layout/classes.h"

GXDS_SAME_VTABLE(layout_test::Same);
GXDS_SAME_SIZE(layout_test::Same);
GXDS_SAME_VTABLE(layout_test::Larger);
GXDS_SAME_SIZE(layout_test::Larger);
GXDS_SAME_VTABLE(layout_test::Swapped);
GXDS_SAME_VTABLE(layout_test::Retyped);
GXDS_IMPLEMENTS(layout_test::Final, layout_test::Implemented);
GXDS_SAME_VTABLE(Outer);
GXDS_SAME_SIZE(Outer);
#ifdef CHANGED
GXDS_SAME_VTABLE(layout_test::Gone);
GXDS_SAME_SIZE(layout_test::Gone);
#endif
