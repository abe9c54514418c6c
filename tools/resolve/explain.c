#include "tools/resolve/explain.h"

#include <inttypes.h>

#include "xds_resolver/route_match.h"

static const char *const path_words[] = {
    [GXDS_PATH_PREFIX] = "prefix",
    [GXDS_PATH_EXACT] = "path",
    [GXDS_PATH_REGEX] = "regex",
    [GXDS_PATH_SEGMENTS] = "path-separated prefix",
};

static const char *const header_words[] = {
    [GXDS_HEADER_EXACT] = "is",           [GXDS_HEADER_PREFIX] = "begins with",
    [GXDS_HEADER_SUFFIX] = "ends with",   [GXDS_HEADER_CONTAINS] = "contains",
    [GXDS_HEADER_REGEX] = "matches",      [GXDS_HEADER_RANGE] = "is in",
    [GXDS_HEADER_PRESENT] = "is present",
};

/* Adds a percentage: "25 %", "0.01 %". */
static void add_percent(int64_t per_million, gxds_text *out) {
  gxds_text_addf(out, "%g %%", (double)per_million / 10000);
}

static void add_header_match(const gxds_header_match *h, gxds_text *out) {
  gxds_text_addf(out, "header %.*s ", GXDS_STR_ARG(h->name));
  if (h->kind == GXDS_HEADER_PRESENT) {
    gxds_text_add_z(out, h->present != h->invert ? "is present" : "is absent");
    return;
  }
  if (h->invert) gxds_text_add_z(out, "not: ");
  gxds_text_addf(out, "%s ", header_words[h->kind]);
  if (h->kind == GXDS_HEADER_RANGE) {
    gxds_text_addf(out, "[%" PRId64 ", %" PRId64 ")", h->range_start, h->range_end);
  } else {
    gxds_text_addf(out, "\"%.*s\"", GXDS_STR_ARG(h->text));
    if (!h->case_sensitive && h->kind != GXDS_HEADER_REGEX) gxds_text_add_z(out, " in any case");
  }
  if (h->missing_is_empty) gxds_text_add_z(out, " (a missing one counts as \"\")");
}

void gxds_explain_match(const gxds_route *route, gxds_text *out) {
  const gxds_path_match *p = &route->path;
  gxds_text_addf(out, "%s \"%.*s\"", path_words[p->kind], GXDS_STR_ARG(p->text));
  if (p->kind != GXDS_PATH_REGEX && !p->case_sensitive) gxds_text_add_z(out, " in any case");
  for (size_t i = 0; i < route->header_count; i++) {
    gxds_text_add_z(out, ", ");
    add_header_match(&route->headers[i], out);
  }
  if (route->fraction_per_million < 0) return;
  gxds_text_add_z(out, ", ");
  add_percent(route->fraction_per_million, out);
  gxds_text_add_z(out, " of RPCs");
}

typedef struct lookup {
  const gxds_rpc *rpc;
  gxds_route_channel channel;
  gxds_text joined; /* the value that was looked up last */
} lookup;

static bool header(void *arg, gxds_str name, gxds_str *value) {
  lookup *a = arg;
  size_t count = 0;
  gxds_text_clear(&a->joined);
  for (size_t i = 0; i < a->rpc->header_count; i++) {
    if (!gxds_str_equal(a->rpc->headers[i].name, name)) continue;
    if (count++) gxds_text_add_z(&a->joined, ",");
    gxds_text_add(&a->joined, a->rpc->headers[i].value);
  }
  *value = gxds_text_str(&a->joined);
  return count > 0;
}

static gxds_route_request request_of(lookup *a) {
  /* Needs no random numbers, because these partial routes have no fraction. */
  return (gxds_route_request){a->rpc->path, header, a, NULL, &a->channel, NULL};
}

/* Whether a copy of the route with only a part of its matchers matches. */
static bool part_matches(gxds_route part, lookup *a, const gxds_host *host) {
  const gxds_route_request request = request_of(a);
  gxds_route_matcher m;
  gxds_header_memo memo = {0};
  part.fraction_per_million = -1;
  gxds_route_matcher_init(&m, &part, host, NULL);
  bool matches = gxds_route_matcher_path(&m, host, a->rpc->path) &&
                 gxds_route_matcher_rest(&m, host, &request, &memo);
  gxds_route_matcher_fini(&m, host);
  return matches;
}

static void explain_header(const gxds_header_match *h, lookup *a, gxds_text *why) {
  gxds_str value;
  const gxds_route_request request = request_of(a);
  gxds_header_source source = gxds_header_source_of(h->name);
  gxds_text_add_z(why, "it wants that ");
  add_header_match(h, why);
  if (gxds_str_ends_with(h->name, gxds_str_z("-bin"))) {
    gxds_text_add_z(why, ", but headers in -bin are never looked at (A28)");
  } else if (source == GXDS_HEADER_NEVER) {
    gxds_text_add_z(why, ", which is not known when an RPC is routed");
  } else if (gxds_request_header(&request, source, h->name, &value)) {
    gxds_text_addf(why, ", the RPC has \"%.*s\"", GXDS_STR_ARG(value));
  } else {
    gxds_text_add_z(why, ", the RPC has none");
  }
}

gxds_explained gxds_explain(const gxds_route *route, const gxds_rpc *rpc, gxds_str authority,
                            const gxds_host *host, gxds_text *why) {
  lookup a = {.rpc = rpc, .channel = {.authority = authority}};
  gxds_route part = *route;
  part.header_count = 0;
  gxds_explained result = GXDS_EXPLAINED_YES;
  if (!part_matches(part, &a, host)) {
    gxds_text_addf(why, "it wants the %s \"%.*s\", the RPC's path is \"%.*s\"",
                   path_words[route->path.kind], GXDS_STR_ARG(route->path.text),
                   GXDS_STR_ARG(rpc->path));
    result = GXDS_EXPLAINED_NO;
  }
  for (size_t i = 0; result == GXDS_EXPLAINED_YES && i < route->header_count; i++) {
    part.headers = &route->headers[i];
    part.header_count = 1;
    if (part_matches(part, &a, host)) continue;
    explain_header(&route->headers[i], &a, why);
    result = GXDS_EXPLAINED_NO;
  }
  if (result == GXDS_EXPLAINED_YES && route->fraction_per_million >= 0 &&
      route->fraction_per_million < 1000000) {
    result = route->fraction_per_million ? GXDS_EXPLAINED_SOMETIMES : GXDS_EXPLAINED_NO;
    gxds_text_add_z(why, "it takes ");
    add_percent(route->fraction_per_million, why);
    gxds_text_add_z(why, " of such RPCs");
  }
  gxds_text_fini(&a.joined);
  return result;
}
