/* The `xds` program: a table of subcommands. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grpc_xds/grpc_xds.h"
#include "tools/demo/demo.h"
#include "tools/lint/lint.h"
#include "tools/resolve/resolve.h"
#include "tools/serve/serve.h"
#include "tools/status/status.h"

typedef struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help; /* NULL: the help does not show it */
} command;

static int run_version(int argc, char **argv);
static int run_help(int argc, char **argv);

static const command commands[] = {
    {"serve", xds_serve_main, "serve the xDS resources in a directory, for development"},
    {"resolve", xds_resolve_main, "print the configuration of a target as a tree"},
    {"route", xds_resolve_main, "print the route that an RPC takes, and why others do not match"},
    {"status", xds_status_main, "print the resources of a running program's xDS clients"},
    {"lint", xds_lint_main, "check bootstraps and resource files as a client does"},
    {"demo", xds_demo_main, "show what the plugin does, in fifteen seconds"},
    {"demo-backend", xds_demo_backend_main, NULL},
    {"version", run_version, "print the version"},
    {"help", run_help, "print this list"},
};
enum { kCommands = sizeof commands / sizeof *commands };

static int run_version(int argc, char **argv) {
  (void)argc;
  (void)argv;
  printf("xds %s\n", GRPC_XDS_VERSION);
  return 0;
}

static void print_usage(FILE *out) {
  fputs("usage: xds COMMAND [ARGUMENTS]\n\n", out);
  for (int i = 0; i < kCommands; i++) {
    if (commands[i].help) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
  }
  fputs("\n`xds COMMAND --help` describes a command.\n", out);
}

static int run_help(int argc, char **argv) {
  (void)argc;
  (void)argv;
  print_usage(stdout);
  return 0;
}

/* Without this, the first files and connections of a program that is started with a closed standard
 * output would get its number, and the output. Reads and writes still fail. */
static void keep_standard_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* takes the lowest */
  }
}

/* The status of a command whose output may still be in the buffer. A reader must not take a part of
 * the output for all of it. */
static int end(int result) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return result;
  fprintf(stderr, "xds: the output cannot be written%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "");
  return 2;
}

int main(int argc, char **argv) {
  keep_standard_descriptors();
  if (argc < 2) {
    print_usage(stderr);
    return 2;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
  if (strcmp(name, "--version") == 0) name = "version";
  for (int i = 0; i < kCommands; i++) {
    if (strcmp(name, commands[i].name) == 0) return end(commands[i].run(argc - 1, argv + 1));
  }
  fprintf(stderr, "xds: no such command: %s (xds help)\n", name);
  return 2;
}
