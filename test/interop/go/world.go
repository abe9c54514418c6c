package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	clusterpb "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointpb "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	listenerpb "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	routepb "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	routerpb "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	hcmpb "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	service         = "interop.example"
	clustersAtLeast = 2
	clustersAtMost  = 12
)

// A truth is what a control plane serves: by type URL and name.
type truth map[string]map[string]proto.Message

// The states that a change may give a resource.
type health int

const (
	good    health = iota
	broken         // exists, and every client must refuse it
	missing        // does not exist
)

type endpoint struct {
	port   int
	weight uint32
}

type locality struct {
	zone      string
	weight    uint32
	endpoints []endpoint
}

type cluster struct {
	name        string
	edsName     string
	ringHash    bool
	maxRequests uint32
	localities  []locality
	state       health // of the Cluster
	edsState    health // of the ClusterLoadAssignment
}

// A world is made from a seed: a listener, its routes, their clusters and endpoints, and their changes.
type world struct {
	rng      *rand.Rand
	ports    []int // of the backends
	clusters []*cluster
	made     int    // clusters so far, so that names are not used again
	rds      string // name of the RouteConfiguration; empty: within the listener
	timeout  int64  // of the first route, in seconds
	faulty   *faulty
	envoy    *envoyNeeds
	filters  []*hcmpb.HttpFilter // before the router
}

func newWorld(seed uint64, ports []int) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 0)), ports: ports, rds: "routes-0", timeout: 30}
	for range 4 {
		w.addCluster()
	}
	return w
}

func (w *world) addCluster() *cluster {
	c := &cluster{name: fmt.Sprintf("c%d", w.made), maxRequests: 1024}
	if w.rng.IntN(2) == 0 {
		c.edsName = "endpoints-of-" + c.name
	}
	w.made++
	w.placeEndpoints(c)
	w.clusters = append(w.clusters, c)
	return c
}

// placeEndpoints distributes the backends over localities. None is in two, since some clients refuse that.
func (w *world) placeEndpoints(c *cluster) {
	c.localities = nil
	for z := range 1 + w.rng.IntN(3) {
		c.localities = append(c.localities, locality{zone: fmt.Sprintf("z%d", z), weight: 1 + uint32(w.rng.IntN(100))})
	}
	order := w.rng.Perm(len(w.ports))
	for _, i := range order[:1+w.rng.IntN(len(order))] {
		l := &c.localities[w.rng.IntN(len(c.localities))]
		l.endpoints = append(l.endpoints, endpoint{w.ports[i], 1 + uint32(w.rng.IntN(10))})
	}
}

func (w *world) any() *cluster { return w.clusters[w.rng.IntN(len(w.clusters))] }

// change makes one change and describes it.
func (w *world) change() string {
	switch n := w.rng.IntN(100); {
	case n < 40:
		c := w.any()
		w.placeEndpoints(c)
		return "other endpoints in " + c.name
	case n < 50:
		c := w.any()
		w.faulty.setRingHash(c, !c.ringHash)
		c.maxRequests = 1024 + uint32(w.rng.IntN(1000))
		return "another policy in " + c.name
	case n < 62 && len(w.clusters) < clustersAtMost:
		return "a new cluster " + w.addCluster().name
	case n < 70 && len(w.clusters) > clustersAtLeast:
		i := w.rng.IntN(len(w.clusters))
		name := w.clusters[i].name
		w.clusters = slices.Delete(w.clusters, i, i+1)
		return "no cluster " + name
	case n < 76:
		w.rng.Shuffle(len(w.clusters), func(i, k int) {
			w.clusters[i], w.clusters[k] = w.clusters[k], w.clusters[i]
		})
		w.timeout = 20 + int64(w.rng.IntN(20))
		return "routes in another order"
	case n < 82:
		w.rds = fmt.Sprintf("routes-%d", w.rng.IntN(3))
		if w.rng.IntN(3) == 0 {
			w.rds = ""
		}
		return "routes named " + w.rds
	case n < 91:
		c := w.any()
		w.faulty.setEndpoints(c, health(w.rng.IntN(3)))
		return fmt.Sprintf("endpoints of %s in state %d", c.name, c.edsState)
	default:
		c := w.any()
		w.faulty.setCluster(c, health(w.rng.IntN(3)))
		return fmt.Sprintf("cluster %s in state %d", c.name, c.state)
	}
}

// heal repairs all broken and missing resources.
func (w *world) heal() {
	for _, c := range w.clusters {
		w.faulty.setCluster(c, good)
		w.faulty.setEndpoints(c, good)
	}
}

// truth returns what a control plane must serve now.
func (w *world) truth() truth {
	t := truth{resource.ListenerType: {}, resource.RouteType: {}, resource.ClusterType: {}, resource.EndpointType: {}}
	routes := w.routeConfig()
	if w.rds != "" {
		t[resource.RouteType][w.rds] = routes
	}
	t[resource.ListenerType][service] = w.listener(routes)
	for _, c := range w.clusters {
		if c.state == missing {
			continue
		}
		t[resource.ClusterType][c.name] = w.clusterOf(c)
		// A client may not use the endpoints of a cluster that it refuses.
		if (c.state == good || w.faulty.keepsEndpoints()) && c.edsState != missing {
			t[resource.EndpointType][c.endpointsName()] = w.endpointsOf(c)
		}
	}
	return t
}

func (w *world) routeConfig() *routepb.RouteConfiguration {
	host := &routepb.VirtualHost{Name: "all", Domains: []string{"*"}}
	for i, c := range w.clusters {
		action := &routepb.RouteAction{
			ClusterSpecifier: &routepb.RouteAction_Cluster{Cluster: c.name},
			HashPolicy: []*routepb.RouteAction_HashPolicy{{
				PolicySpecifier: &routepb.RouteAction_HashPolicy_FilterState_{
					FilterState: &routepb.RouteAction_HashPolicy_FilterState{Key: "io.grpc.channel_id"}}}},
		}
		if i == 0 {
			action.Timeout = &durationpb.Duration{Seconds: w.timeout}
		}
		host.Routes = append(host.Routes, &routepb.Route{
			Match: &routepb.RouteMatch{
				PathSpecifier: &routepb.RouteMatch_Prefix{Prefix: "/" + c.name + "/"}},
			Action: &routepb.Route_Route{Route: action},
		})
	}
	routes := &routepb.RouteConfiguration{Name: w.rds, VirtualHosts: []*routepb.VirtualHost{host}}
	w.envoy.setRoutes(routes)
	return routes
}

func ads() *corepb.ConfigSource {
	return &corepb.ConfigSource{
		ResourceApiVersion:    corepb.ApiVersion_V3,
		ConfigSourceSpecifier: &corepb.ConfigSource_Ads{Ads: &corepb.AggregatedConfigSource{}},
	}
}

func pack(m proto.Message) *anypb.Any {
	packed, err := anypb.New(m)
	if err != nil {
		panic(err)
	}
	return packed
}

func (w *world) listener(routes *routepb.RouteConfiguration) proto.Message {
	manager := &hcmpb.HttpConnectionManager{
		HttpFilters: append(slices.Clone(w.filters), &hcmpb.HttpFilter{
			Name:       "router",
			ConfigType: &hcmpb.HttpFilter_TypedConfig{TypedConfig: pack(&routerpb.Router{})},
		}),
	}
	if w.rds == "" {
		manager.RouteSpecifier = &hcmpb.HttpConnectionManager_RouteConfig{RouteConfig: routes}
	} else {
		manager.RouteSpecifier = &hcmpb.HttpConnectionManager_Rds{
			Rds: &hcmpb.Rds{RouteConfigName: w.rds, ConfigSource: w.envoy.from()}}
	}
	if w.envoy != nil {
		return w.envoy.listener(manager)
	}
	return &listenerpb.Listener{
		Name:        service,
		ApiListener: &listenerpb.ApiListener{ApiListener: pack(manager)},
	}
}

func (w *world) clusterOf(c *cluster) *clusterpb.Cluster {
	out := c.resource()
	w.envoy.setCluster(c, out)
	return out
}

func (w *world) endpointsOf(c *cluster) *endpointpb.ClusterLoadAssignment {
	out := c.endpoints()
	w.envoy.setEndpoints(c, out)
	return out
}

func (c *cluster) endpointsName() string {
	if c.edsName != "" {
		return c.edsName
	}
	return c.name
}

func (c *cluster) resource() *clusterpb.Cluster {
	out := &clusterpb.Cluster{
		Name:                 c.name,
		ClusterDiscoveryType: &clusterpb.Cluster_Type{Type: clusterpb.Cluster_EDS},
		EdsClusterConfig:     &clusterpb.Cluster_EdsClusterConfig{EdsConfig: ads(), ServiceName: c.edsName},
		LrsServer: &corepb.ConfigSource{
			ConfigSourceSpecifier: &corepb.ConfigSource_Self{Self: &corepb.SelfConfigSource{}}},
		CircuitBreakers: &clusterpb.CircuitBreakers{Thresholds: []*clusterpb.CircuitBreakers_Thresholds{{
			MaxRequests: wrapperspb.UInt32(c.maxRequests)}}},
	}
	if c.ringHash {
		out.LbPolicy = clusterpb.Cluster_RING_HASH
	}
	if c.state == broken {
		out.LbPolicy = clusterpb.Cluster_MAGLEV // no gRPC supports it
	}
	return out
}

func (c *cluster) endpoints() *endpointpb.ClusterLoadAssignment {
	out := &endpointpb.ClusterLoadAssignment{ClusterName: c.endpointsName()}
	for _, l := range c.localities {
		entry := &endpointpb.LocalityLbEndpoints{
			Locality:            &corepb.Locality{Region: "r", Zone: l.zone},
			LoadBalancingWeight: wrapperspb.UInt32(l.weight),
		}
		if c.edsState == broken {
			entry.Priority = 1 // an error, since there is no priority 0
		}
		for _, e := range l.endpoints {
			entry.LbEndpoints = append(entry.LbEndpoints, &endpointpb.LbEndpoint{
				HostIdentifier: &endpointpb.LbEndpoint_Endpoint{Endpoint: &endpointpb.Endpoint{
					Address: &corepb.Address{Address: &corepb.Address_SocketAddress{
						SocketAddress: &corepb.SocketAddress{
							Address:       "127.0.0.1",
							PortSpecifier: &corepb.SocketAddress_PortValue{PortValue: uint32(e.port)},
						}}}}},
				LoadBalancingWeight: wrapperspb.UInt32(e.weight),
			})
		}
		out.Endpoints = append(out.Endpoints, entry)
	}
	return out
}
