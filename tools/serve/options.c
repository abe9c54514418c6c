#include "tools/serve/options.h"

#include "tools/command/args.h"

const char gxds_serve_help[] =
    "usage: xds serve DIR [--listen ADDRESS:PORT] [--load-interval SECONDS] [--json] [--quiet]\n"
    "                     [--port-file FILE] [--http ADDRESS:PORT] [--rest ADDRESS:PORT]\n"
    "       xds serve --synthetic clusters=K,endpoints=N,localities=L,seed=S [...]\n"
    "       xds serve --write-index DIR\n"
    "\n"
    "An xDS control plane for development. It serves the resources in the files of DIR to any\n"
    "number of clients (ADS and the services of one type, in state of the world and in delta),\n"
    "follows changes of the files, and collects load reports (LRS). It has no security: use it\n"
    "only on your own machine.\n"
    "\n"
    "  --listen ADDRESS:PORT    where to listen; port 0 lets the kernel pick one\n"
    "                           (default 127.0.0.1:18000). Or unix:PATH, a socket; one that a\n"
    "                           killed server has left is replaced\n"
    "  --load-interval SECONDS  how often clients report their load (default 1)\n"
    "  --json                   print each event as a JSON object\n"
    "  --quiet                  print errors, warnings and NACKs only\n"
    "  --port-file FILE         write the port to FILE when the server listens\n"
    "  --http ADDRESS:PORT      serve a page for the browser: the connected clients, the "
    "resources\n"
    "                           that each has requested and received, and load beside weights;\n"
    "                           weights can be changed there (until a file changes)\n"
    "  --rest ADDRESS:PORT      serve as a web server: xDS over REST-JSON (POST\n"
    "                           /v3/discovery:listeners, :routes, :clusters, :endpoints), and\n"
    "                           the resources as files (GET /xds-index.json)\n"
    "  --write-index            check the files of DIR, write DIR/xds-index.json and exit: then\n"
    "                           any web server can serve DIR to clients as their configuration\n"
    "  --synthetic SPEC         no files: K clusters of N endpoints in L localities each, made "
    "from\n"
    "                           the seed, behind the listener synthetic.example\n"
    "\n"
    "Files. Hidden files and folders below DIR are not read.\n"
    "  *.json, *.yaml, *.yml\n"
    "      Listeners, RouteConfigurations, Clusters and ClusterLoadAssignments in proto3 JSON "
    "form,\n"
    "      as objects with \"@type\": one, a list, or {\"resources\": [...]}, which may have the\n"
    "      other fields of a DiscoveryResponse. In YAML each document is one of these.\n"
    "  *.pb, *.binpb\n"
    "      A DiscoveryResponse in binary form.\n"
    "  *.textproto, *.txtpb, *.pbtxt\n"
    "      A DiscoveryResponse in protobuf's text form, or resources without one, as\n"
    "      [type.googleapis.com/TYPE] {...}.\n"
    "A resource may be inside the field \"resource\" of a message of the type\n"
    "type.googleapis.com/envoy.service.discovery.v3.Resource. Clients in delta can then request "
    "it\n"
    "also by each name in the field \"aliases\" (a list).\n"
    "\n"
    "A change is served when nothing in DIR has changed for 50 ms, or at once if a symlink on the\n"
    "path DIR is replaced. If a file has errors, they are printed with file, line and field, and\n"
    "the last state without errors stays. A resource that clients will reject is served after a\n"
    "warning with the reason, so that you can see the NACK.\n"
    "\n"
    "Events of --json. The field \"event\" is one of these; each has these other fields:\n"
    "  listening                address (the last field); service: \"http\" for the page, "
    "\"rest\"\n"
    "                           for --rest\n"
    "  resources                detail: how many resources of each type are served\n"
    "  error                    file, line, field, detail\n"
    "  warning                  file, line, type, names, detail\n"
    "  stream_open              client, service: \"ads\", \"lds\", \"rds\", \"cds\", \"eds\", "
    "each\n"
    "                           also with \"delta \" before it, or \"lrs\"\n"
    "  stream_close             client, service, detail\n"
    "  subscribed, unsubscribed client, type, names (\"*\": everything)\n"
    "  push                     client, type, names, removed, version, nonce; detail (delta): how\n"
    "                           many resources the client then has\n"
    "  ack                      client, type, version, nonce\n"
    "  nack                     client, type, version (the last accepted), nonce, detail\n"
    "                           (a push or nack of a POST has service \"rest\", and no nonce)\n"
    "  stale                    client, type, nonce: a request with an old nonce was ignored\n"
    "  unknown_type             client, detail: a request for a type that is not served\n"
    "  load                     client, load: a list of\n"
    "      {cluster, eds_service, locality {region, zone, sub_zone}, successful, error,\n"
    "       in_progress, issued, total {successful, error, issued},\n"
    "       metrics: a list of {name, requests, sum} from backends} and\n"
    "      {cluster, eds_service, total_dropped, dropped {category: count}}\n"
    "client is {node, peer}, type is a type URL. Numbers are counted since the last report, "
    "except\n"
    "in_progress (at this moment) and total (of this client so far). Empty fields are left out.\n"
    "\n"
    "The server does not wait for the reader of its output. If 16 MB wait for it, further events "
    "are\n"
    "left out, and a warning in their place has their number.\n"
    "\n"
    "Exit status: 0 after SIGTERM or SIGINT, 1 if it cannot serve, 2 if the command line is wrong "
    "or\n"
    "the output was lost.\n";

bool gxds_serve_is_socket(const char *address) {
  return gxds_str_starts_with(gxds_str_z(address), gxds_str_z("unix:")) ||
         gxds_str_starts_with(gxds_str_z(address), gxds_str_z("unix-abstract:"));
}

static const char *checked_address(const char *option, const char *value, gxds_text *error) {
  gxds_args_check_address(option, value, error);
  return value;
}

static bool parse_one(char *const *argv, int *i, gxds_serve_command *out, gxds_text *error) {
  const char *arg = argv[*i];
  const char *value;
  if (gxds_args_flag(argv, *i, "--json")) {
    out->json = true;
  } else if (gxds_args_flag(argv, *i, "--quiet")) {
    out->quiet = true;
  } else if (gxds_args_flag(argv, *i, "--write-index")) {
    out->write_index = true;
  } else if (gxds_args_is_help(argv, *i)) {
    out->help = true;
  } else if ((value = gxds_args_value(argv, i, "--listen", error)) != NULL) {
    out->listen = checked_address("--listen", value, error);
  } else if ((value = gxds_args_value(argv, i, "--synthetic", error)) != NULL) {
    out->is_synthetic = gxds_synthetic_parse(value, &out->synthetic, error);
  } else if ((value = gxds_args_value(argv, i, "--http", error)) != NULL) {
    out->http = checked_address("--http", value, error);
  } else if ((value = gxds_args_value(argv, i, "--rest", error)) != NULL) {
    out->rest = checked_address("--rest", value, error);
  } else if ((value = gxds_args_value(argv, i, "--port-file", error)) != NULL) {
    out->port_file = value;
  } else if ((value = gxds_args_value(argv, i, "--load-interval", error)) != NULL) {
    gxds_args_seconds("--load-interval", value, &out->load_interval, error);
  } else if (error->size) {
    return false;
  } else if (arg[0] == '-') {
    gxds_text_addf(error, "no such option: %s", arg);
  } else if (out->dir) {
    gxds_text_addf(error, "one directory at a time: %s and %s", out->dir, arg);
  } else {
    out->dir = arg;
  }
  return error->size == 0;
}

bool gxds_serve_command_parse(int argc, char *const *argv, gxds_serve_command *out,
                              gxds_text *error) {
  *out = (gxds_serve_command){.listen = "127.0.0.1:18000", .load_interval = GXDS_SECOND};
  for (int i = 1; i < argc; i++) {
    if (!parse_one(argv, &i, out, error)) return false;
  }
  if (out->help) return true;
  if (out->dir && out->is_synthetic) {
    gxds_text_addf(error, "either a directory or --synthetic, not both: %s", out->dir);
  } else if (out->is_synthetic && out->write_index) {
    gxds_text_add_z(error, "--write-index is of a directory");
  } else if (out->port_file && gxds_serve_is_socket(out->listen)) {
    gxds_text_addf(error, "--port-file: %s has no port", out->listen);
  } else if (!out->dir && !out->is_synthetic) {
    gxds_text_add_z(error, "which directory?");
  }
  return error->size == 0;
}
