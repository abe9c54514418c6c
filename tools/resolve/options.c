#include "tools/resolve/options.h"

#include <ctype.h>

#include "base/memory.h"
#include "tools/command/args.h"

#define COMMON_OPTIONS                                                                     \
  "  --authority NAME   choose the virtual host by NAME (default: the target's service)\n" \
  "  --timeout SECONDS  wait for the configuration at most that long (default 20)\n"       \
  "  --json             print the tree as one line of JSON with the fields kind, name,\n"  \
  "                     attributes, error and children\n"

#define COMMON_END                                                                          \
  "The bootstrap comes from GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG. The command\n" \
  "fetches the configuration as a channel of this library does, but it sends no RPC and\n"  \
  "connects to no endpoint. GRPC_VERBOSITY=info shows the log of the client.\n"

const char gxds_resolve_help[] =
    "usage: xds resolve TARGET [--watch] [--graph FILE] [--authority NAME] [--timeout SECONDS]\n"
    "                          [--json]\n"
    "\n"
    "Fetches the whole configuration of TARGET (xds:///service) from its control planes and "
    "prints\n"
    "it as a tree: listener, route configuration, virtual host, routes, clusters, priorities,\n"
    "localities and endpoints, with versions, states and errors in place.\n"
    "\n" COMMON_OPTIONS
    "  --watch            then print each change until interrupted: old lines with -, new lines\n"
    "                     with +; with --json the whole tree at each change\n"
    "  --graph FILE       also draw the tree into FILE (.svg, .png, .pdf and so on), with\n"
    "                     graphviz's `dot`; if that is not installed, its input is in FILE.dot. A\n"
    "                     FILE that ends with .dot or .gv gets only the input\n"
    "\n" COMMON_END
    "\n"
    "Exit status: 0 if an RPC can be sent (a route leads to a cluster with endpoints), 1 if it\n"
    "cannot, 2 if the command line or the bootstrap is wrong, or if the output was lost.\n";

const char gxds_route_help[] =
    "usage: xds route TARGET METHOD [-H KEY=VALUE]... [--authority NAME] [--timeout SECONDS]\n"
    "                        [--json]\n"
    "\n"
    "Prints the route that an RPC to METHOD (/package.Service/Method) with this metadata takes on\n"
    "a channel to TARGET (xds:///service), the clusters of the route, and why the other routes do\n"
    "not match.\n"
    "\n"
    "  -H KEY=VALUE       metadata of the RPC; may be repeated\n" COMMON_OPTIONS "\n" COMMON_END
    "\n"
    "Exit status: 0 if the RPC can be sent (its route leads to a cluster with endpoints), 1 if it\n"
    "cannot, 2 if the command line or the bootstrap is wrong, or if the output was lost.\n";

void gxds_query_fini(gxds_query *q) {
  gxds_str_free(&q->rpc.path);
  for (size_t i = 0; i < q->rpc.header_count; i++) {
    gxds_str_free(&q->rpc.headers[i].name);
    gxds_str_free(&q->rpc.headers[i].value);
  }
  gxds_free(q->rpc.headers);
  *q = (gxds_query){0};
}

static void add_header(gxds_query *q, const char *text, gxds_text *error) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    gxds_text_addf(error, "-H: expected KEY=VALUE, found %s", text);
    return;
  }
  gxds_text name = {0};
  for (const char *c = text; c < equals; c++) {
    char lower = (char)tolower((unsigned char)*c);
    gxds_text_add(&name, gxds_str_of(&lower, 1));
  }
  gxds_rpc *rpc = &q->rpc;
  rpc->headers = gxds_realloc(rpc->headers, rpc->header_count + 1, sizeof *rpc->headers);
  rpc->headers[rpc->header_count].name = gxds_text_take(&name);
  rpc->headers[rpc->header_count++].value = gxds_str_dup(gxds_str_z(equals + 1));
}

static void add_argument(gxds_query *q, const char *arg, gxds_text *error) {
  if (!q->target) {
    q->target = arg;
  } else if (q->is_route && q->rpc.path.size == 0) {
    q->rpc.path = gxds_str_format("%s%s", arg[0] == '/' ? "" : "/", arg);
  } else {
    gxds_text_addf(error, "one argument too many: %s", arg);
  }
}

static bool parse_one(char *const *argv, int *i, gxds_query *q, gxds_text *error) {
  const char *arg = argv[*i];
  const char *value;
  if (gxds_args_is_help(argv, *i)) {
    q->help = true;
  } else if (gxds_args_flag(argv, *i, "--json")) {
    q->json = true;
  } else if (!q->is_route && gxds_args_flag(argv, *i, "--watch")) {
    q->watch = true;
  } else if (!q->is_route && (value = gxds_args_value(argv, i, "--graph", error)) != NULL) {
    q->graph = value;
  } else if (q->is_route && (value = gxds_args_value(argv, i, "-H", error)) != NULL) {
    add_header(q, value, error);
  } else if ((value = gxds_args_value(argv, i, "--authority", error)) != NULL) {
    q->authority = value;
  } else if ((value = gxds_args_value(argv, i, "--timeout", error)) != NULL) {
    gxds_args_seconds("--timeout", value, &q->timeout, error);
  } else if (error->size == 0 && arg[0] == '-') {
    gxds_text_addf(error, "no such option: %s", arg);
  } else if (error->size == 0) {
    add_argument(q, arg, error);
  }
  return error->size == 0;
}

bool gxds_query_parse(int argc, char *const *argv, gxds_query *out, gxds_text *error) {
  *out = (gxds_query){.is_route = strcmp(argv[0], "route") == 0, .timeout = 20 * GXDS_SECOND};
  for (int i = 1; i < argc; i++) {
    if (!parse_one(argv, &i, out, error)) return false;
  }
  if (out->help) return true;
  if (!out->target) {
    gxds_text_add_z(error, "which target? (xds:///service)");
  } else if (out->is_route && out->rpc.path.size == 0) {
    gxds_text_add_z(error, "which method? (/package.Service/Method)");
  }
  return error->size == 0;
}
