#include "tools/resolve/graph.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool ends_with(const char *path, const char *ending) {
  return gxds_str_ends_with(gxds_str_z(path), gxds_str_z(ending));
}

static bool write_text(const gxds_view *root, const char *path) {
  gxds_text dot = {0};
  gxds_view_render_dot(root, &dot);
  FILE *f = fopen(path, "w");
  bool ok = f && fwrite(dot.data, 1, dot.size, f) == dot.size;
  if (f && fclose(f) != 0) ok = false;
  if (!ok) fprintf(stderr, "xds resolve: %s: %s\n", path, strerror(errno));
  gxds_text_fini(&dot);
  return ok;
}

/* Runs graphviz's `dot`. True if it made the picture. */
static bool draw(const char *text, const char *path) {
  const char *ending = strrchr(path, '.');
  gxds_str format = gxds_str_format("-T%s", ending && !strchr(ending, '/') ? ending + 1 : "svg");
  char *argv[] = {"dot", (char *)format.data, "-o", (char *)path, (char *)text, NULL};
  pid_t pid;
  int status = 1;
  bool ok = posix_spawnp(&pid, "dot", NULL, NULL, argv, environ) == 0;
  ok = ok && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  gxds_str_free(&format);
  return ok;
}

bool gxds_graph_write(const gxds_view *root, const char *path) {
  if (ends_with(path, ".dot") || ends_with(path, ".gv")) return write_text(root, path);
  gxds_str text = gxds_str_format("%s.dot", path);
  bool ok = write_text(root, text.data);
  if (ok && draw(text.data, path)) {
    unlink(text.data);
  } else if (ok) {
    fprintf(stderr, "xds resolve: graphviz's `dot` did not draw it (is it installed?): see %s\n",
            text.data);
  }
  gxds_str_free(&text);
  return ok;
}
