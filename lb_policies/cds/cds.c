#include "lb_policies/cds/cds.h"

#include "base/memory.h"

struct gxds_cds {
  const gxds_cluster_entry *entry; /* the cluster's entry at the last step; NULL: none */
  bool has_sessions; /* A55: RPCs could have sessions in the snapshot of the last step */
  bool failed;       /* the last step was an error, so there is no child */
  /* Of an aggregate: the entries of its leaf clusters, in order; NULL: missing. */
  const gxds_cluster_entry **leaves;
  size_t leaf_count;
  gxds_child_numbers numbers; /* of a leaf: the children for the priorities of entry's endpoints */
  gxds_mailbox *mailbox;      /* the mailbox that has the subscription to `subscribed`; NULL: no
                                 subscription */
  gxds_str subscribed;
  gxds_cds_step step;
};

gxds_cds *gxds_cds_create(void) { return GXDS_NEW(gxds_cds); }

static void end_subscription(gxds_cds *c) {
  if (!c->mailbox) return;
  gxds_mailbox_cluster_unsubscribe(c->mailbox, c->subscribed);
  gxds_mailbox_unref(c->mailbox);
  c->mailbox = NULL;
  gxds_str_free(&c->subscribed);
}

static void forget_leaves(gxds_cds *c) {
  for (size_t i = 0; i < c->leaf_count; i++) gxds_cluster_entry_unref(c->leaves[i]);
  gxds_free(c->leaves);
  c->leaves = NULL;
  c->leaf_count = 0;
}

void gxds_cds_forget(gxds_cds *c) {
  forget_leaves(c);
  gxds_child_numbers_forget(&c->numbers);
  gxds_cluster_entry_unref(c->entry);
  c->entry = NULL;
  c->failed = false;
}

void gxds_cds_destroy(gxds_cds *c) {
  if (!c) return;
  end_subscription(c);
  gxds_cds_forget(c);
  gxds_child_numbers_fini(&c->numbers);
  gxds_status_fini(&c->step.error);
  gxds_free(c);
}

/* A74: a dynamic cluster is subscribed to from the first update on. If the config names another
 * cluster, a subscription to that one replaces it. */
static void subscribe(gxds_cds *c, gxds_mailbox *mailbox, gxds_str cluster, bool is_dynamic) {
  if (c->mailbox && (!is_dynamic || !gxds_str_equal(c->subscribed, cluster))) end_subscription(c);
  if (!is_dynamic || c->mailbox || !mailbox) return;
  c->mailbox = gxds_mailbox_ref(mailbox);
  c->subscribed = gxds_str_dup(cluster);
  gxds_mailbox_cluster_subscribe(mailbox, cluster);
}

static bool same_leaf_entries(const gxds_cds *c, const gxds_config *config,
                              const gxds_cluster_entry *entry) {
  for (size_t i = 0; i < c->leaf_count; i++) {
    if (gxds_config_cluster(config, entry->leaf_clusters[i]) != c->leaves[i]) return false;
  }
  return true;
}

static void keep_leaf_entries(gxds_cds *c, const gxds_config *config,
                              const gxds_cluster_entry *entry) {
  forget_leaves(c);
  c->leaves = gxds_calloc(entry->leaf_cluster_count, sizeof(const gxds_cluster_entry *));
  for (; c->leaf_count < entry->leaf_cluster_count; c->leaf_count++) {
    const gxds_cluster_entry *leaf =
        gxds_config_cluster(config, entry->leaf_clusters[c->leaf_count]);
    c->leaves[c->leaf_count] = leaf ? gxds_cluster_entry_ref(leaf) : NULL;
  }
}

static void fail(gxds_cds *c, gxds_status take_error) {
  c->step.kind = GXDS_CDS_FAIL;
  c->step.error = take_error;
  c->failed = true;
}

/* The outlier detection of a leaf cluster. NULL if the cluster has none. */
static const gxds_outlier_detection *outliers_of(const gxds_cluster *cluster) {
  const gxds_outlier_detection *o = gxds_cluster_outlier_detection(cluster);
  if (!o) return NULL;
  /* A50: if both enforcement percentages are 0, the policy would never eject an endpoint, but would
   * still cost time. */
  bool ejects = o->success_rate.enforcement_percentage > 0 ||
                o->failure_percentage.enforcement_percentage > 0;
  return ejects ? o : NULL;
}

/* entry replaces c->entry, which is NULL or a leaf entry of the same cluster. */
static void step_leaf(gxds_cds *c, const gxds_cluster_entry *entry, bool with_sessions) {
  const gxds_cluster_entry *old = c->entry;
  bool renumbered =
      gxds_child_numbers_update(&c->numbers, old ? old->endpoints : NULL, entry->endpoints);
  gxds_str policy = entry->cluster->lb_policy_json;
  c->step.policy_changed = !old || (old->cluster != entry->cluster &&
                                    !gxds_str_equal(old->cluster->lb_policy_json, policy));
  bool is_dns = entry->cluster->kind == GXDS_CLUSTER_LOGICAL_DNS;
  c->step.kind = GXDS_CDS_LEAF;
  c->step.numbers = &c->numbers;
  c->step.policy_json = policy;
  c->step.ignore_reresolution = !is_dns;
  c->step.outlier_detection = outliers_of(entry->cluster);
  c->step.has_sessions = with_sessions;
  c->step.same_children =
      old && !renumbered && !c->step.policy_changed && c->has_sessions == with_sessions &&
      (old->cluster->kind == GXDS_CLUSTER_LOGICAL_DNS) == is_dns &&
      !gxds_cluster_subsets(old->cluster) == !gxds_cluster_subsets(entry->cluster);
}

static void step_to(gxds_cds *c, const gxds_config *config, const gxds_cluster_entry *entry) {
  const gxds_cluster_entry *old = c->entry;
  /* Forgets the old children if the last step failed, because then they have ended, or if the new
   * entry is for another cluster or of another kind. */
  if (old && (c->failed || old->kind != entry->kind || !gxds_str_equal(old->name, entry->name))) {
    gxds_cds_forget(c);
    old = NULL;
  }
  c->failed = false;
  switch (entry->kind) {
    case GXDS_ENTRY_ERROR:
      /* RPCs fail with UNAVAILABLE, even if the error has another code. Other codes come only from
       * backends. */
      fail(c,
           gxds_status_make(GXDS_UNAVAILABLE, "%.*s", GXDS_STR_ARG(gxds_cluster_entry_why(entry))));
      c->step.drop = entry->deleted;
      break;
    case GXDS_ENTRY_ENDPOINTS:
      step_leaf(c, entry, gxds_config_has_sessions(config));
      break;
    case GXDS_ENTRY_AGGREGATE:
      if (entry->leaf_cluster_count == 0) {
        gxds_text why = {NULL, 0, 0};
        gxds_text_add_z(&why, "aggregate cluster \"");
        gxds_text_add_escaped(&why, entry->name);
        gxds_text_add_z(&why, "\" has no leaf clusters");
        gxds_cluster_entry_add_note(entry, &why);
        fail(c, (gxds_status){GXDS_UNAVAILABLE, gxds_text_take(&why)});
      } else {
        c->step.kind = GXDS_CDS_AGGREGATE;
        c->step.same_children = old && gxds_cluster_entry_same_leaves(old, entry);
      }
      keep_leaf_entries(c, config, entry);
      break;
  }
  c->has_sessions = gxds_config_has_sessions(config);
  c->step.entry = gxds_cluster_entry_ref(entry);
  gxds_cluster_entry_unref(old);
  c->entry = entry;
}

const gxds_cds_step *gxds_cds_on_update(gxds_cds *c, const gxds_config *config,
                                        gxds_mailbox *mailbox, gxds_str cluster, bool is_dynamic) {
  gxds_status_fini(&c->step.error);
  c->step = (gxds_cds_step){.kind = GXDS_CDS_NOTHING};
  subscribe(c, mailbox, cluster, is_dynamic);
  if (!config) return &c->step;
  const gxds_cluster_entry *entry = gxds_config_cluster(config, cluster);
  if (entry && (entry != c->entry || !same_leaf_entries(c, config, entry) ||
                c->has_sessions != gxds_config_has_sessions(config))) {
    step_to(c, config, entry);
  } else if (!entry && !c->entry && !is_dynamic) {
    fail(c, gxds_status_make(GXDS_UNAVAILABLE, "cluster \"%.*s\" is not in the xDS configuration",
                             GXDS_STR_ARG(cluster)));
  }
  return &c->step;
}
