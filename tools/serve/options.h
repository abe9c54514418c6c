/* The command line of `xds serve`. Pure. */
#ifndef GRPC_XDS_TOOLS_SERVE_OPTIONS_H_
#define GRPC_XDS_TOOLS_SERVE_OPTIONS_H_

#include "base/text.h"
#include "base/time.h"
#include "files/synthetic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gxds_serve_command {
  const char *dir; /* NULL: synthetic resources are served */
  bool is_synthetic;
  gxds_synthetic synthetic; /* the resources that are served instead of a directory */
  const char *listen;
  const char *http; /* the address of the page; NULL: there is none */
  /* The address for clients that use REST or files over HTTP; NULL: there is none. */
  const char *rest;
  bool write_index; /* only write the index */
  gxds_duration load_interval;
  bool json;
  bool quiet;
  const char *port_file; /* NULL: none */
  bool help;
} gxds_serve_command;

extern const char gxds_serve_help[];

/* Whether it is an address of gRPC without a port. */
bool gxds_serve_is_socket(const char *address);

/* argv[0] is the subcommand's name, argv[argc] is NULL. Strings of *out are those of argv. On
 * errors returns false, and adds the reason to error. */
bool gxds_serve_command_parse(int argc, char *const *argv, gxds_serve_command *out,
                              gxds_text *error);

#ifdef __cplusplus
}
#endif

#endif
