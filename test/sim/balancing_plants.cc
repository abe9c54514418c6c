#include "test/sim/balancing_plants.h"

#include <vector>

#include "lb_policies/pace/pace.h"
#include "lb_policies/priority/priority.h"
#include "resources/endpoints.h"

namespace gxds_sim {
namespace {

using LedTo = std::map<std::string, std::set<const gxds_subchannel *>>;

// A faulty picker.
struct Planted : gxds_picker {
  gxds_picker *inner;
  Plant plant;
  LedTo *led_to;
};

struct PlantedTracker : gxds_tracker {
  gxds_tracker *inner;
  Plant plant;
};

// The false result that a tracker gets.
struct PlantedFinish : gxds_finish {
  const gxds_finish *true_one;
  bool hides_trailers;
};

bool FindTrailer(const gxds_finish *f, gxds_str name, gxds_str *value) {
  const auto *planted = static_cast<const PlantedFinish *>(f);
  return !planted->hides_trailers && gxds_finish_trailer(planted->true_one, name, value);
}

PlantedTracker *Of(gxds_tracker *t) { return static_cast<PlantedTracker *>(t); }

const gxds_tracker_ops kTrackerOps = {
    [](gxds_tracker *t) {
      if (Of(t)->plant != kPlantLbUncounted) gxds_tracker_started(Of(t)->inner);
    },
    [](gxds_tracker *t, const gxds_finish *f) {
      if (Of(t)->plant == kPlantLbUnfinished) return;
      const gxds_code code = Of(t)->plant == kPlantLbFailure ? GXDS_OK : f->code;
      const PlantedFinish planted = {{code, FindTrailer}, f, Of(t)->plant == kPlantLbLoad};
      gxds_tracker_finished(Of(t)->inner, &planted);
    },
    [](gxds_tracker *t) {
      if (Of(t)->plant != kPlantLbUnfinished) gxds_tracker_destroy(Of(t)->inner);
    },
};

// The planted fault: an RPC whose hash has led to two other endpoints before goes to any endpoint.
void LeaveRing(const Planted *self, const gxds_pick *call, gxds_picked *out) {
  gxds_str cluster;
  gxds_routed_call *route = gxds_pick_route(call, &cluster);
  if (!route->has_hash) return;
  const uint64_t hash = route->hash;
  auto &before = (*self->led_to)[String(cluster) + " " + std::to_string(hash)];
  const gxds_subchannel *right = out->subchannel;
  for (int i = 0; i < 20 && before.size() == 2 && before.count(right) == 0; i++) {
    gxds_picked other = {};
    route->hash += UINT64_C(0x9e3779b97f4a7c15);
    gxds_picker_pick(self->inner, call, &other);
    if (other.kind != GXDS_PICKED_COMPLETE) {
      gxds_status_fini(&other.status);
      continue;
    }
    gxds_tracker_destroy(out->tracker);
    gxds_subchannel_unref(out->subchannel);
    *out = other;
    if (other.subchannel != right) break;
  }
  route->hash = hash;
  before.insert(right);
}

void PickPlanted(gxds_picker *picker, const gxds_pick *call, gxds_picked *out) {
  auto *self = static_cast<Planted *>(picker);
  if (self->plant == kPlantLbSession) {
    gxds_str cluster;
    gxds_pick_route(call, &cluster)->session = nullptr;
  }
  if (self->plant == kPlantLbSubset) {
    gxds_str cluster;
    gxds_pick_route(call, &cluster)->match = nullptr;
  }
  if (self->plant == kPlantLbHash) {
    gxds_str cluster;
    gxds_pick_route(call, &cluster)->has_hash = false;
  }
  gxds_picker_pick(self->inner, call, out);
  if (out->kind != GXDS_PICKED_COMPLETE) return;
  if (self->plant == kPlantLbGrowsEarly) {
    gxds_tracker_destroy(out->tracker);
    gxds_subchannel_unref(out->subchannel);
    *out = {};
    return gxds_picker_pick(self->inner, call, out);
  }
  if (self->plant == kPlantLbRingOrder) return LeaveRing(self, call, out);
  if (self->plant == kPlantLbQueues || self->plant == kPlantLbFalseDrop) {
    gxds_tracker_destroy(out->tracker);
    gxds_subchannel_unref(out->subchannel);
    if (self->plant == kPlantLbQueues) return gxds_picked_queue(out);
    return gxds_picked_drop(out, gxds_status_make(GXDS_UNAVAILABLE, "circuit breaker drop"));
  }
  if (self->plant == kPlantLbAuthority) out->authority = gxds_str_of(nullptr, 0);
  if (!out->tracker) return;
  auto *tracker = static_cast<PlantedTracker *>(gxds_pick_alloc(call, sizeof(PlantedTracker)));
  tracker->ops = &kTrackerOps;
  tracker->inner = out->tracker;
  tracker->plant = self->plant;
  out->tracker = tracker;
}

const gxds_picker_ops kPlantedOps = {
    PickPlanted,
    [](gxds_picker *picker) {
      gxds_picker_unref(static_cast<Planted *>(picker)->inner);
      delete static_cast<Planted *>(picker);
    },
};

const gxds_cluster_map *WithEntriesOf(const gxds_cluster_map *map, const gxds_config *before,
                                      const gxds_names *names) {
  const gxds_cluster_map *out = gxds_name_map_ref(map);
  auto add = [&](gxds_str name) {
    const gxds_cluster_entry *entry = gxds_config_cluster(before, name);
    if (!entry || gxds_cluster_map_get(out, name)) return;
    const gxds_cluster_map *next = gxds_cluster_map_put(out, gxds_cluster_entry_ref(entry));
    gxds_name_map_unref(out);
    out = next;
  };
  for (size_t i = 0; i < names->count; i++) {
    add(names->names[i]);
    const gxds_cluster_entry *entry = gxds_config_cluster(before, names->names[i]);
    for (size_t k = 0; entry && k < entry->leaf_cluster_count; k++) add(entry->leaf_clusters[k]);
  }
  return out;
}

}  // namespace

BalancingPlants::~BalancingPlants() { DropPickers(); }

void BalancingPlants::DropPickers() {
  for (gxds_subchannel *s : kept_) gxds_subchannel_unref(s);
  kept_.clear();
  for (gxds_picker **p : {&last_, &stale_, &planted_}) {
    gxds_picker_unref(*p);
    *p = nullptr;
  }
}

// Skips the first few occasions, so that the channel holds something when the fault happens.
bool BalancingPlants::Once(Plant plant, int after) {
  return plant_ == plant && occasions_++ == after;
}

bool BalancingPlants::LosesUpdate() { return Once(kPlantLbLostUpdate, 2); }

const gxds_config *BalancingPlants::Snapshot(const gxds_config *before, const gxds_config *after) {
  if (plant_ != kPlantLbForgottenChild || !before) return gxds_config_ref(after);
  std::vector<gxds_str> names;
  for (const gxds_config *c : {before, after}) {
    names.insert(names.end(), c->roots->names, c->roots->names + c->roots->count);
  }
  gxds_resource_ref(&after->listener->base);
  gxds_resource_ref(&after->route_config->base);
  return gxds_config_create(after->listener, after->route_config, after->virtual_host,
                            WithEntriesOf(after->clusters, before, before->roots),
                            gxds_names_create(names.data(), names.size()), nullptr,
                            gxds_load_store_ref(after->load_store), {});
}

static void SetFirstWeight(const gxds_locality *locality, uint32_t weight) {
  if (locality->is_small) {
    GXDS_CHECK(weight <= UINT8_MAX);
    const_cast<gxds_small_endpoint *>(locality->list.small)->weight = static_cast<uint8_t>(weight);
  } else {
    const_cast<gxds_endpoint *>(locality->list.full)->weight = weight;
  }
}

void BalancingPlants::BendWeights(const gxds_config *config) {
  if (plant_ != kPlantLbWeight && plant_ != kPlantLbEndpointWeight &&
      plant_ != kPlantLbCountedTwice) {
    return;
  }
  Plant of_plant = plant_;
  gxds_cluster_map_each(
      config->clusters,
      [](void *plant, const gxds_cluster_entry *entry) {
        const gxds_priority *p = gxds_cluster_entry_priority(entry, 0);
        if (!p || p->locality_count == 0 || entry->cluster->kind != GXDS_CLUSTER_EDS) return;
        const gxds_locality *first = p->localities[0];
        const int number = Contents::NumberOf(&entry->endpoints->base);
        if (*static_cast<Plant *>(plant) == kPlantLbCountedTwice) {
          if (first->rare != nullptr && first->rare->more != nullptr &&
              gxds_locality_endpoint(first, 0).weight == WeightOfEndpoint(number, 0)) {
            SetFirstWeight(first, 2 * WeightOfEndpoint(number, 0));
          }
          return;
        }
        // Changes the locality once, because it may be in many snapshots.
        if (*static_cast<Plant *>(plant) == kPlantLbWeight) {
          if (p->locality_count < 2 || first->weight != WeightOf(number, *first)) return;
          const_cast<gxds_locality *>(first)->weight++;
        } else if (first->endpoint_count > 0 &&
                   gxds_locality_endpoint(first, 0).weight == WeightOfEndpoint(number, 0)) {
          SetFirstWeight(first, WeightOfEndpoint(number, 0) + 1);
        }
      },
      &of_plant);
}

void BalancingPlants::BendDraining(const gxds_config *config) {
  if (plant_ != kPlantLbDraining && plant_ != kPlantLbDrained) return;
  Plant of_plant = plant_;
  gxds_cluster_map_each(
      config->clusters,
      [](void *plant, const gxds_cluster_entry *entry) {
        if (!entry->cluster) return;
        constexpr uint8_t kDraining = 1 << GXDS_HEALTH_DRAINING;
        auto *health = &const_cast<gxds_cluster *>(entry->cluster)->session_health;
        const bool allows = *static_cast<Plant *>(plant) == kPlantLbDraining;
        *health = static_cast<uint8_t>(allows ? *health | kDraining : *health & ~kDraining);
      },
      &of_plant);
}

void BalancingPlants::BendOutlierDetection(const gxds_config *config) {
  Plant of_plant = plant_;
  gxds_cluster_map_each(
      config->clusters,
      [](void *plant, const gxds_cluster_entry *entry) {
        if (!entry->cluster || !gxds_cluster_outlier_detection(entry->cluster)) return;
        auto *settings =
            const_cast<gxds_outlier_detection *>(gxds_cluster_outlier_detection(entry->cluster));
        switch (*static_cast<Plant *>(plant)) {
          case kPlantLbEjectionLimit:
            settings->max_ejection_percent = 100;
            break;
          case kPlantLbEjectionTime:
            settings->max_ejection_time = 0;
            break;
          case kPlantLbEnforcement:
            for (gxds_ejection *e : {&settings->success_rate, &settings->failure_percentage}) {
              if (e->enforcement_percentage > 0) e->enforcement_percentage = 100;
            }
            break;
          case kPlantLbDeviation:
            settings->success_rate.threshold = 0;
            break;
          case kPlantLbMinimumHosts:
            settings->success_rate.minimum_hosts = 0;
            break;
          case kPlantLbRequestVolume:
            settings->success_rate.request_volume = 0;
            break;
          default:
            break;
        }
      },
      &of_plant);
}

bool BalancingPlants::LosesState(grpc_connectivity_state state) {
  return state == GRPC_CHANNEL_READY && Once(kPlantLbLostState, 3);
}

bool BalancingPlants::LosesTimer(gxds_duration delay) {
  if (plant_ == kPlantLbPatience && loses_patience) {
    return delay > 0 && delay <= GXDS_PACE_PATIENCE;
  }
  return (plant_ == kPlantLbLostTimer && delay == GXDS_PRIORITY_RETENTION) ||
         (plant_ == kPlantLbLostFailover && delay == GXDS_PRIORITY_FAILOVER_DEFAULT);
}

gxds_connect_limits BalancingPlants::Limits(const gxds_connect_limits &limits) const {
  if (plant_ != kPlantLbEager) return limits;
  return {SIZE_MAX, limits.window};
}

gxds_picker *BalancingPlants::Picker(gxds_picker *of_policies) {
  if (plant_ == kPlantLbStalePicker) {
    if (of_policies != last_) {
      gxds_picker_unref(stale_);
      stale_ = last_;
      last_ = of_policies ? gxds_picker_ref(of_policies) : nullptr;
    }
    return stale_ ? stale_ : of_policies;
  }
  const bool wraps = plant_ == kPlantLbUncounted || plant_ == kPlantLbUnfinished ||
                     plant_ == kPlantLbQueues || plant_ == kPlantLbFalseDrop ||
                     plant_ == kPlantLbAuthority || plant_ == kPlantLbSession ||
                     plant_ == kPlantLbHash || plant_ == kPlantLbRingOrder ||
                     plant_ == kPlantLbLoad || plant_ == kPlantLbFailure ||
                     plant_ == kPlantLbSubset || (plant_ == kPlantLbGrowsEarly && bends_growth);
  if (!wraps || !of_policies) return of_policies;
  gxds_picker_unref(planted_);
  auto *planted = new Planted{};
  gxds_picker_init(planted, &kPlantedOps);
  planted->inner = gxds_picker_ref(of_policies);
  planted->plant = plant_;
  planted->led_to = &led_to_;
  planted_ = planted;
  return planted_;
}

void BalancingPlants::KeepSecond(memory::Subchannel *subchannel) {
  if (plant_ != kPlantLbSecondAddress) return;
  if (FirstAddressOf(subchannel->address) == subchannel->address) return;
  kept_.push_back(gxds_subchannel_ref(subchannel));
}

void BalancingPlants::Keep(memory::Subchannel *subchannel) {
  if (Once(kPlantLbKeptSubchannel, 0)) gxds_subchannel_ref(subchannel);
}

}  // namespace gxds_sim
