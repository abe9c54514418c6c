#include "tools/lint/lint.h"

#include <errno.h>
#include <fcntl.h>
#include <grpc/grpc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/dir.h"
#include "tools/command/args.h"
#include "tools/lint/check.h"

static const char help[] =
    "usage: xds lint [--json] [--no-warnings] FILE|DIR...\n"
    "\n"
    "Checks bootstraps and resource files as a gRPC client does. It prints every error with file,\n"
    "line and field, in the words of the client's NACK. It warns about fields that are unknown,\n"
    "deprecated or ignored by gRPC.\n"
    "\n"
    "The files of one call belong together:\n"
    "  - No two of them may have the same resource.\n"
    "  - If a resource names another one, the files should have it. This is checked only for "
    "types\n"
    "    of which the files have a resource; those of other types come from elsewhere.\n"
    "  - If there is a bootstrap, resources may use only its certificate providers and servers.\n"
    "    Without a bootstrap they may use any.\n"
    "\n"
    "A JSON object with \"xds_servers\" or \"node\" is a bootstrap. All other files have "
    "resources,\n"
    "as `xds serve --help` describes. In a directory, the files that `xds serve` would read are\n"
    "checked. In a binary file errors have no line, and there are no warnings about fields.\n"
    "\n"
    "  --json         print each error or warning as a JSON object: severity (\"error\" or\n"
    "                 \"warning\"), file, line, resource, field, detail; empty fields are left "
    "out\n"
    "  --no-warnings  print errors only\n"
    "\n"
    "Exit status: 0 without errors, 1 with errors, 2 if a file cannot be read, the command line\n"
    "is wrong or the output was lost.\n";

typedef struct lint {
  bool json;
  bool no_warnings;
  bool unreadable;
  gxds_dir_files files; /* of all arguments */
  gxds_findings findings;
} lint;

static void add_file(lint *l, gxds_str name, gxds_str take_bytes) {
  gxds_dir_files *f = &l->files;
  f->items = gxds_realloc(f->items, f->count + 1, sizeof *f->items);
  f->items[f->count++] = (gxds_file_input){gxds_str_dup(name), take_bytes};
}

static void cannot_read(lint *l, const char *path, const char *why) {
  fprintf(stderr, "xds lint: %s: %s\n", path, why);
  l->unreadable = true;
}

static void read_file(lint *l, const char *path) {
  gxds_text bytes = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || !gxds_text_add_file(&bytes, fd, GXDS_FILE_SIZE_MAX)) {
    cannot_read(l, path, strerror(errno));
    gxds_text_fini(&bytes);
  } else {
    gxds_str take = gxds_text_take(&bytes);
    add_file(l, gxds_str_z(path), take.data ? take : gxds_str_dup(take));
  }
  if (fd >= 0) close(fd);
}

/* Without this warning, a mistyped path, or files with other endings, would look like files without
 * errors. */
static void warn_of_empty_dir(lint *l, const char *path) {
  gxds_findings_add(&l->findings,
                    &(gxds_finding){.kind = GXDS_FINDING_WARNING,
                                    .file = gxds_str_z(path),
                                    .text = gxds_str_z("holds no file that `xds serve` reads: "
                                                       "their names end in .json, .yaml and so on "
                                                       "(xds serve --help)")});
}

static gxds_str path_in(const char *dir, gxds_str name) {
  return gxds_str_format("%s%s%.*s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/",
                         GXDS_STR_ARG(name));
}

static void cannot_read_all(lint *l, const char *dir, const gxds_file_errors *errors) {
  for (size_t i = 0; i < errors->stored; i++) {
    const gxds_file_error *e = &errors->items[i];
    bool of_dir = e->file.size == 0 || gxds_str_equal(e->file, gxds_str_z(dir));
    gxds_str path = of_dir ? gxds_str_dup(gxds_str_z(dir)) : path_in(dir, e->file);
    cannot_read(l, path.data, e->text.data);
    gxds_str_free(&path);
  }
  gxds_lint_print_more(errors);
}

static void read_dir(lint *l, const char *path) {
  gxds_dir_files files;
  gxds_file_errors errors = {0};
  if (!gxds_dir_read_readable(path, &files, &errors)) {
    cannot_read_all(l, path, &errors);
  } else if (files.count == 0) {
    warn_of_empty_dir(l, path);
  }
  gxds_file_errors_fini(&errors);
  for (size_t i = 0; i < files.count; i++) {
    gxds_str name = path_in(path, files.items[i].name);
    add_file(l, name, gxds_str_dup(files.items[i].bytes));
    gxds_str_free(&name);
  }
  gxds_dir_files_fini(&files);
}

static void read_path(lint *l, const char *path) {
  struct stat s;
  if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
    read_dir(l, path);
  } else {
    read_file(l, path);
  }
}

static void check(lint *l) {
  const gxds_bootstrap *bootstrap = NULL;
  gxds_file_input *resources = gxds_calloc(l->files.count, sizeof *resources);
  size_t count = 0;
  for (size_t i = 0; i < l->files.count; i++) {
    const gxds_file_input file = l->files.items[i];
    if (!gxds_lint_bootstrap(file, &l->findings, &bootstrap)) resources[count++] = file;
  }
  gxds_schema *schema = gxds_schema_create();
  gxds_validator *validator = gxds_validator_create(bootstrap);
  gxds_file_errors errors = {0};
  const gxds_file_set *set = gxds_file_set_build(schema, resources, count, NULL, &errors);
  if (set) gxds_lint_links(set, &l->findings);
  gxds_file_set_unref(set);
  gxds_findings_add_file_errors(&l->findings, &errors);
  gxds_file_errors_fini(&errors);
  for (size_t i = 0; i < count; i++) {
    gxds_lint_resources(schema, validator, resources[i], &l->findings);
  }
  gxds_validator_destroy(validator);
  gxds_schema_destroy(schema);
  gxds_bootstrap_unref(bootstrap);
  gxds_free(resources);
}

static void print(const lint *l) {
  bool colours = isatty(STDOUT_FILENO) != 0;
  for (size_t i = 0; i < l->findings.count; i++) {
    const gxds_finding *f = &l->findings.items[i];
    if (l->no_warnings && f->kind == GXDS_FINDING_WARNING) continue;
    gxds_text line = {0};
    if (l->json) {
      gxds_finding_render_json(f, &line);
    } else {
      gxds_finding_render_text(f, colours, &line);
    }
    puts(line.data);
    gxds_text_fini(&line);
  }
}

/* Returns -1 to continue, otherwise the exit status. */
static int parse(lint *l, int argc, char **argv) {
  int paths = 0;
  for (int i = 1; i < argc; i++) {
    if (gxds_args_is_help(argv, i)) {
      fputs(help, stdout);
      return 0;
    }
    if (gxds_args_flag(argv, i, "--json")) {
      l->json = true;
    } else if (gxds_args_flag(argv, i, "--no-warnings")) {
      l->no_warnings = true;
    } else if (argv[i][0] == '-') {
      fprintf(stderr, "xds lint: no such option: %s (xds lint --help)\n", argv[i]);
      return 2;
    } else {
      argv[1 + paths++] = argv[i];
    }
  }
  if (paths == 0) {
    fprintf(stderr, "xds lint: which files? (xds lint --help)\n");
    return 2;
  }
  for (int i = 0; i < paths; i++) read_path(l, argv[1 + i]);
  return -1;
}

int xds_lint_main(int argc, char **argv) {
  lint l = {0};
  int result = parse(&l, argc, argv);
  if (result < 0) {
    grpc_init();
    check(&l);
    grpc_shutdown_blocking();
    gxds_findings_sort(&l.findings);
    print(&l);
    result = l.unreadable ? 2 : l.findings.errors ? 1 : 0;
  }
  gxds_findings_fini(&l.findings);
  gxds_dir_files_fini(&l.files);
  return result;
}
