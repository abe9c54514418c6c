#include "files/watch.h"

#include "base/memory.h"

void gxds_file_watch_init(gxds_file_watch *w, gxds_time now) {
  *w = (gxds_file_watch){
      .first_event = now,
      .last_event = now,
      .pending = true,
      .retry = GXDS_TIME_NEVER,
      .swapped = true,
  };
}

static void close_file(gxds_file_watch *w, size_t i) {
  gxds_str_free(&w->open[i]);
  w->open[i] = w->open[--w->open_count];
}

void gxds_file_watch_fini(gxds_file_watch *w) {
  while (w->open_count) close_file(w, 0);
  gxds_free(w->open);
  *w = (gxds_file_watch){0};
}

static size_t find_open(const gxds_file_watch *w, gxds_str file) {
  size_t i = 0;
  while (i < w->open_count && !gxds_str_equal(w->open[i], file)) i++;
  return i;
}

static void note_event(gxds_file_watch *w, gxds_time now) {
  if (!w->pending || w->open_count) w->first_event = now;
  w->pending = true;
  w->last_event = now;
}

void gxds_file_watch_on_change(gxds_file_watch *w, gxds_str file, gxds_file_watch_change change,
                               gxds_time now) {
  note_event(w, now);
  if (change == GXDS_FILE_WATCH_ATTRIBUTES) return;
  size_t i = find_open(w, file);
  if (change != GXDS_FILE_WATCH_WRITTEN) {
    if (i < w->open_count) close_file(w, i);
    return;
  }
  if (i < w->open_count || w->open_count == GXDS_FILE_WATCH_OPEN_FILES_MAX) return;
  if (!w->open) w->open = gxds_calloc(GXDS_FILE_WATCH_OPEN_FILES_MAX, sizeof *w->open);
  w->open[w->open_count++] = gxds_str_dup(file);
}

void gxds_file_watch_on_swap(gxds_file_watch *w, gxds_time now) {
  note_event(w, now);
  w->swapped = true;
  /* The link now leads to other files, so the files that were being written no longer matter. */
  while (w->open_count) close_file(w, 0);
}

void gxds_file_watch_on_unstable(gxds_file_watch *w, gxds_time now) { note_event(w, now); }

void gxds_file_watch_on_starved(gxds_file_watch *w, gxds_time then) { w->retry = then; }

gxds_time gxds_file_watch_deadline(const gxds_file_watch *w) {
  if (!w->pending) return w->retry;
  if (w->swapped) return w->last_event;
  if (w->open_count) return gxds_time_after(w->last_event, GXDS_FILE_WATCH_OPEN_MAX);
  gxds_time quiet = gxds_time_after(w->last_event, GXDS_FILE_WATCH_QUIET);
  gxds_time latest = gxds_time_after(w->first_event, GXDS_FILE_WATCH_CHANGING_MAX);
  return quiet < latest ? quiet : latest;
}

bool gxds_file_watch_take(gxds_file_watch *w, gxds_time now) {
  if (now < gxds_file_watch_deadline(w)) return false;
  w->pending = false;
  w->retry = GXDS_TIME_NEVER;
  w->swapped = false;
  while (w->open_count) close_file(w, 0);
  return true;
}
