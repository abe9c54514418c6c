#include "transport/jwt_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/memory.h"
#include "transport/jwt.h"

struct gxds_jwt_file {
  gxds_str path;
  gxds_str token;      /* empty: no token was read yet */
  gxds_time until;     /* wall time: GXDS_JWT_EARLY before the token expires */
  gxds_status failure; /* the failure of the last attempt; OK: it succeeded, or there was no
                          attempt */
  gxds_time retry;     /* after a failure: no attempt before this time */
  gxds_backoff backoff;
  gxds_random random;
};

gxds_jwt_file *gxds_jwt_file_create(gxds_str path, uint64_t seed) {
  gxds_jwt_file *f = GXDS_NEW(gxds_jwt_file);
  f->path = gxds_str_dup(path);
  f->failure = gxds_status_ok();
  f->random.state = seed;
  gxds_backoff_init_xds(&f->backoff);
  return f;
}

void gxds_jwt_file_destroy(gxds_jwt_file *f) {
  if (!f) return;
  gxds_str_free(&f->path);
  gxds_str_free(&f->token);
  gxds_status_fini(&f->failure);
  gxds_free(f);
}

static gxds_status cannot_read(const gxds_jwt_file *f, const char *why) {
  return gxds_status_make(GXDS_UNAVAILABLE, "cannot read the token file %.*s (jwt_token_file): %s",
                          GXDS_STR_ARG(f->path), why);
}

static gxds_status is_bad(const gxds_jwt_file *f, const char *why) {
  return gxds_status_make(GXDS_UNAUTHENTICATED, "the token in %.*s (jwt_token_file) %s",
                          GXDS_STR_ARG(f->path), why);
}

static gxds_status read_all(const gxds_jwt_file *f, int fd, gxds_text *out) {
  struct stat file;
  if (fstat(fd, &file) != 0) return cannot_read(f, strerror(errno));
  if (!S_ISREG(file.st_mode)) return cannot_read(f, "it is no regular file");
  if (!gxds_text_add_file(out, fd, GXDS_JWT_BYTES_MAX)) return cannot_read(f, strerror(errno));
  return gxds_status_ok();
}

static gxds_status is_expired(const gxds_jwt_file *f, gxds_time expiry) {
  time_t seconds = (time_t)(expiry / GXDS_SECOND);
  struct tm utc;
  char at[sizeof "expired at YYYY-mm-ddTHH:MM:SSZ"];
  gmtime_r(&seconds, &utc);
  strftime(at, sizeof at, "expired at %FT%TZ", &utc);
  return is_bad(f, at);
}

static gxds_status take_token(gxds_jwt_file *f, gxds_str bytes, gxds_time wall) {
  if (bytes.size > GXDS_JWT_BYTES_MAX) {
    return gxds_status_make(GXDS_UNAUTHENTICATED,
                            "the token file %.*s (jwt_token_file) is larger than the %zu bytes "
                            "allowed",
                            GXDS_STR_ARG(f->path), GXDS_JWT_BYTES_MAX);
  }
  gxds_str token = gxds_str_trim(bytes); /* editors end files with a newline */
  gxds_time expiry;
  const char *why = gxds_jwt_expiry(token, &expiry);
  if (why) return is_bad(f, why);
  if (expiry <= wall) return is_expired(f, expiry);
  gxds_str_set(&f->token, token);
  f->until = expiry == GXDS_TIME_NEVER ? expiry : expiry - GXDS_JWT_EARLY;
  return gxds_status_ok();
}

/* O_NONBLOCK, because opening a pipe could wait. */
static gxds_status read_token(gxds_jwt_file *f, gxds_time wall) {
  int fd = open(f->path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return cannot_read(f, strerror(errno));
  gxds_text bytes = {0};
  gxds_status status = read_all(f, fd, &bytes);
  close(fd);
  if (gxds_status_is_ok(&status)) status = take_token(f, gxds_text_str(&bytes), wall);
  gxds_text_fini(&bytes);
  return status;
}

/* A97: after a failure the file is read again when the token is needed, but not before the backoff
 * is over. */
static void refresh(gxds_jwt_file *f, gxds_time now, gxds_time wall) {
  if (!gxds_status_is_ok(&f->failure) && now < f->retry) return;
  gxds_status_set(&f->failure, read_token(f, wall));
  if (gxds_status_is_ok(&f->failure)) {
    gxds_backoff_reset(&f->backoff);
  } else {
    f->retry = gxds_time_after(now, gxds_backoff_next(&f->backoff, &f->random));
  }
}

gxds_status gxds_jwt_file_get(gxds_jwt_file *f, gxds_time now, gxds_time wall, gxds_str *token) {
  bool kept = f->token.size > 0 && wall < f->until;
  if (kept) *token = gxds_str_dup(f->token);
  /* A97: shortly before the kept token may no longer be used, the call still gets it, but the file
   * is read again for later calls. */
  if (!kept || wall >= f->until - GXDS_JWT_REFRESH) refresh(f, now, wall);
  if (kept) return gxds_status_ok();
  if (!gxds_status_is_ok(&f->failure)) return gxds_status_copy(&f->failure);
  *token = gxds_str_dup(f->token);
  return gxds_status_ok();
}

void gxds_jwt_file_reset_backoff(gxds_jwt_file *f) {
  f->retry = 0;
  gxds_backoff_reset(&f->backoff);
}
