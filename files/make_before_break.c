#include "files/make_before_break.h"

const gxds_file_type gxds_file_update_order[GXDS_FILE_TYPE_COUNT] = {
    GXDS_FILE_CLUSTER, GXDS_FILE_ENDPOINTS, GXDS_FILE_LISTENER, GXDS_FILE_ROUTE_CONFIG};
