#include "tools/serve/options.h"

#include "tools/command/args.h"

const char gxds_serve_help[] =
    "usage: xds serve DIR [--listen ADDRESS:PORT] [--load-interval SECONDS] [--json] [--quiet]\n"
    "                     [--port-file FILE] [--http ADDRESS:PORT] [--rest ADDRESS:PORT]\n"
    "       xds serve --synthetic clusters=K,endpoints=N,localities=L,seed=S [...]\n"
    "       xds serve --write-index DIR\n"
    "\n"
    "An xDS control plane for development: serves the resources in the files of DIR to any number\n"
    "of clients (ADS and the services of one type, in state of the world and in delta), follows\n"
    "the files as they change, and collects load reports (LRS). It has no security: use it on a\n"
    "machine of your own.\n"
    "\n"
    "  --listen ADDRESS:PORT    where to listen; port 0 lets the kernel pick one\n"
    "                           (default 127.0.0.1:18000)\n"
    "  --load-interval SECONDS  how often clients shall report their load (default 1)\n"
    "  --json                   print one JSON object per event, for machines\n"
    "  --quiet                  print errors, warnings and NACKs only\n"
    "  --port-file FILE         write the port into FILE once it listens\n"
    "  --http ADDRESS:PORT      a page for the browser: who is connected, what each client asked\n"
    "                           for and holds, load against weights; weights can be changed there\n"
    "                           (until a file changes)\n"
    "  --rest ADDRESS:PORT      what a client asks a web server for: xDS over REST-JSON (POST\n"
    "                           /v3/discovery:listeners, :routes, :clusters, :endpoints), and\n"
    "                           the resources as files (GET /xds-index.json)\n"
    "  --write-index            checks the files of DIR, writes DIR/xds-index.json and ends: then\n"
    "                           any web server that has DIR is one to get configuration from\n"
    "  --synthetic SPEC         no files: K clusters of N endpoints in L localities each, made "
    "from\n"
    "                           the seed, behind the listener synthetic.example\n"
    "\n"
    "Files: *.json, *.yaml and *.yml, not in folders below DIR and not hidden. Each holds "
    "Listeners,\n"
    "RouteConfigurations, Clusters and ClusterLoadAssignments in proto3 JSON form, as objects "
    "with\n"
    "\"@type\": one, a list, or {\"resources\": [...]}, which may have the other fields of a\n"
    "DiscoveryResponse; in YAML any of these per document. *.pb and *.binpb: a DiscoveryResponse\n"
    "in binary. *.textproto, *.txtpb and *.pbtxt: one in protobuf's text form, where resources "
    "may\n"
    "also stand by themselves, as [type.googleapis.com/TYPE] {...}.\n"
    "A resource may be the \"resource\" of one of the type\n"
    "type.googleapis.com/envoy.service.discovery.v3.Resource, whose \"aliases\" (a list) are then\n"
    "other names by which a client of delta may ask for it.\n"
    "\n"
    "A new state is taken when nothing in DIR changed for 50 ms, or at once when a symlink to or "
    "in\n"
    "DIR is swapped. Files with errors never replace the last good state; the errors are printed\n"
    "with file, line and field. A resource that clients will refuse is served nevertheless, after\n"
    "a warning that says why: that is how NACKs are tried.\n"
    "\n"
    "Events of --json: \"event\" is one of\n"
    "  listening                address (the last field); service \"http\": of the page,\n"
    "                           \"rest\": of --rest\n"
    "  resources                detail: how many of each type are being served\n"
    "  error                    file, line, field, detail\n"
    "  warning                  file, line, type, names, detail\n"
    "  stream_open              client, service: \"ads\", \"delta ads\", \"lds\", \"delta lds\" "
    "and so on\n"
    "                           for rds, cds and eds; or \"lrs\"\n"
    "  stream_close             client, service, detail\n"
    "  subscribed, unsubscribed client, type, names (\"*\": everything)\n"
    "  push                     client, type, names, removed, version, nonce; detail (delta): how\n"
    "                           many resources the client has by then\n"
    "  ack                      client, type, version, nonce\n"
    "  nack                     client, type, version (the last accepted), nonce, detail\n"
    "                           push and nack with service \"rest\": of a POST, without nonce\n"
    "  stale                    client, type, nonce: a request with an old nonce was ignored\n"
    "  unknown_type             client, detail: a request for a type that is not served\n"
    "  load                     client, load: a list of\n"
    "      {cluster, eds_service, locality {region, zone, sub_zone}, successful, error,\n"
    "       in_progress, issued, total {successful, error, issued},\n"
    "       metrics: a list of {name, requests, sum}, as backends reported them} and\n"
    "      {cluster, eds_service, total_dropped, dropped {category: count}}\n"
    "client is {node, peer}, type a type URL. Numbers are those since the last report, but for\n"
    "in_progress (now) and total (all of this client). Empty fields are left out.\n";

static const char *checked_address(const char *option, const char *value, gxds_text *error) {
  gxds_args_check_address(option, value, error);
  return value;
}

static bool parse_one(char *const *argv, int *i, gxds_serve_command *out, gxds_text *error) {
  const char *arg = argv[*i];
  const char *value;
  if (strcmp(arg, "--json") == 0) {
    out->json = true;
  } else if (strcmp(arg, "--quiet") == 0) {
    out->quiet = true;
  } else if (strcmp(arg, "--write-index") == 0) {
    out->write_index = true;
  } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
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
    if (!gxds_args_seconds(value, &out->load_interval)) {
      gxds_text_addf(error, "--load-interval: expected 0.001 to 86400 seconds, found %s", value);
    }
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
  if (out->dir && out->is_synthetic) {
    gxds_text_addf(error, "either a directory or --synthetic, not both: %s", out->dir);
  } else if (out->is_synthetic && out->write_index) {
    gxds_text_add_z(error, "--write-index is of a directory");
  } else if (!out->dir && !out->is_synthetic && !out->help) {
    gxds_text_add_z(error, "which directory?");
  }
  return error->size == 0;
}
