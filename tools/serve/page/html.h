/* The contents of page.html at build time. Immutable. */
#ifndef GRPC_XDS_TOOLS_SERVE_PAGE_HTML_H_
#define GRPC_XDS_TOOLS_SERVE_PAGE_HTML_H_

#include <stddef.h>

extern const unsigned char gxds_page_html[];
extern const size_t gxds_page_html_size;

#endif
