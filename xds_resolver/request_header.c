#include "xds_resolver/request_header.h"

gxds_header_source gxds_header_source_of(gxds_str name) {
  static const struct {
    const char *name;
    gxds_header_source source;
  } known[] = {
      {"content-type", GXDS_HEADER_CONTENT_TYPE},
      {":method", GXDS_HEADER_METHOD},
      {":path", GXDS_HEADER_REQUEST_PATH},
      {":authority", GXDS_HEADER_AUTHORITY},
      {":scheme", GXDS_HEADER_NEVER},
  };
  if (gxds_str_ends_with(name, gxds_str_z("-bin"))) return GXDS_HEADER_NEVER;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (gxds_str_equal(name, gxds_str_z(known[i].name))) return known[i].source;
  }
  return GXDS_HEADER_METADATA;
}

bool gxds_request_header(const gxds_route_request *request, gxds_header_source source,
                         gxds_str name, gxds_str *value) {
  switch (source) {
    case GXDS_HEADER_METADATA:
      return request->header(request->arg, name, value);
    case GXDS_HEADER_NEVER:
      return false;
    case GXDS_HEADER_CONTENT_TYPE:
      *value = gxds_str_z("application/grpc");
      return true;
    case GXDS_HEADER_METHOD:
      *value = gxds_str_z("POST");
      return true;
    case GXDS_HEADER_REQUEST_PATH:
      *value = request->path;
      return true;
    case GXDS_HEADER_AUTHORITY:
      if (!request->header(request->arg, name, value)) *value = request->channel->authority;
      return true;
  }
  return false;
}
