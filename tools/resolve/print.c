#include "tools/resolve/print.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static bool has_colours(void) { return isatty(STDOUT_FILENO) != 0; }

/* False if the output was lost. */
static bool flush(void) { return fflush(stdout) == 0 && !ferror(stdout); }

bool gxds_view_print(const gxds_view *v, bool json, const char *summary) {
  gxds_text text = {0};
  if (json) {
    gxds_view_render_json(v, &text);
    gxds_text_add_z(&text, "\n");
  } else {
    gxds_view_render_text(v, has_colours(), &text);
    gxds_text_add_z(&text, summary);
  }
  fwrite(text.data, 1, text.size, stdout);
  gxds_text_fini(&text);
  return flush();
}

bool gxds_view_print_change(const gxds_view *before, const gxds_view *now, bool json,
                            const char *summary) {
  gxds_text diff = {0};
  bool ok = true;
  gxds_view_render_diff(before, now, has_colours(), &diff);
  if (diff.size > 0 && json) {
    ok = gxds_view_print(now, json, summary);
  } else if (diff.size > 0) {
    char when[16];
    time_t seconds = time(NULL);
    struct tm local;
    strftime(when, sizeof when, "%H:%M:%S", localtime_r(&seconds, &local));
    printf("\n%s  %s%s", when, summary, diff.data);
    ok = flush();
  }
  gxds_text_fini(&diff);
  return ok;
}
