#include "lb_policies/subset/subset_fallback.h"

#include "base/text.h"

static const void *all_of(gxds_subset_with *with, void *arg) {
  return with(arg, gxds_str_of(NULL, 0));
}

/* The cluster's fallback policy. It also applies to RPCs without a match, and to RPCs whose match
 * has the keys of no selector. */
static const void *fallback_of_cluster(const gxds_lb_subsets *rules, gxds_subset_with *with,
                                       void *arg) {
  const void *found = NULL;
  if (rules->fallback == GXDS_SUBSET_FALLBACK_ANY) return all_of(with, arg);
  if (rules->fallback == GXDS_SUBSET_FALLBACK_DEFAULT) {
    found = with(arg, rules->default_subset);
    if (!found && rules->panic_mode_any) found = all_of(with, arg);
  }
  return found;
}

static const gxds_subset_selector *find_selector(const gxds_lb_subsets *rules, gxds_str match) {
  for (size_t i = 0; i < rules->selector_count; i++) {
    if (gxds_subset_keys_are_of(&rules->selectors[i].keys, match)) return &rules->selectors[i];
  }
  return NULL;
}

/* Adds the part of the match that has those keys. */
static void reduce(gxds_str match, const gxds_subset_keys *keys, gxds_text *out) {
  gxds_str name;
  gxds_str value;
  size_t k = 0; /* both lists are sorted in the same order */
  while (k < keys->count && gxds_metadata_next(&match, &name, &value)) {
    if (!gxds_str_equal(name, keys->keys[k])) continue;
    gxds_text_add_z(out, k++ > 0 ? "," : "{");
    gxds_text_add(out, name);
    gxds_text_add_z(out, ":");
    gxds_text_add(out, value);
  }
  gxds_text_add_z(out, "}");
}

const void *gxds_subset_resolve(const gxds_lb_subsets *rules, gxds_str match,
                                gxds_subset_with *with, void *arg) {
  const gxds_subset_selector *selector = match.size ? find_selector(rules, match) : NULL;
  if (!selector) return fallback_of_cluster(rules, with, arg);
  const void *found = with(arg, match);
  if (found) return found;
  switch (selector->fallback) {
    case GXDS_SUBSET_FALLBACK_NONE:
      return NULL;
    case GXDS_SUBSET_FALLBACK_ANY:
      return all_of(with, arg);
    case GXDS_SUBSET_FALLBACK_DEFAULT:
      return with(arg, rules->default_subset);
    case GXDS_SUBSET_FALLBACK_KEYS: { /* each call has fewer keys, so the recursion ends */
      gxds_text fewer = {0};
      reduce(match, &selector->fallback_keys, &fewer);
      found = gxds_subset_resolve(rules, gxds_text_str(&fewer), with, arg);
      gxds_text_fini(&fewer);
      return found;
    }
    case GXDS_SUBSET_FALLBACK_CLUSTER:
      break;
  }
  return fallback_of_cluster(rules, with, arg);
}
