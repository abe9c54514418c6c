package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	clusterpb "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointpb "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	routepb "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	sessionpb "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/stateful_session/v3"
	hcmpb "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	cookiepb "github.com/envoyproxy/go-control-plane/envoy/extensions/http/stateful_session/cookie/v3"
	proxypb "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/http_11_proxy/v3"
	httppb "github.com/envoyproxy/go-control-plane/envoy/type/http/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A newer is a field that not every client supports. Its cluster has its name. The destination of RPCs shows whether
// the field is in use.
type newer struct {
	name     string
	backends []int                 // of its cluster
	set      func(s *served) error // puts the field into the resources of its cluster
	method   string
	replies  map[string]string // by the metadata of an RPC, which may be empty
	shares   map[string]int    // or the number of RPCs in a row by reply
}

// A served has the resources of one cluster, before the field is set.
type served struct {
	cluster   *clusterpb.Cluster
	endpoints []*endpointpb.LbEndpoint
	route     *routepb.Route
}

const (
	otherAuthority = "other.example"
	sessions       = "stateful-sessions"
	weights        = "endpoint-weights"
)

func newerFields() []newer {
	of := func(i int) map[string]string { return map[string]string{"": strconv.Itoa(ports[i])} }
	return []newer{
		{name: "additional-addresses", backends: ports[:1], set: setAdditionalAddress, method: "Call", replies: of(0)},
		{name: "auto-host-rewrite", backends: ports[1:2], set: setHostRewrite, method: "Authority",
			replies: map[string]string{"": otherAuthority}},
		{name: "http-connect", backends: ports[2:3], set: setProxy, method: "Call", replies: of(2)},
		{name: "subsets", backends: ports, set: setSubset, method: "Call", replies: of(4)},
		{name: sessions, backends: ports, set: setSession, method: "Call", replies: sessionsOn(";" + sessions)},
		{name: weights, backends: ports[:2], set: setWeights, method: "Call",
			shares: map[string]int{strconv.Itoa(ports[0]): 20, strconv.Itoa(ports[1]): 60}},
	}
}

// sessionsOn returns a cookie for each backend. gRPC's cookies have the cluster after the address (gRFC A75).
func sessionsOn(suffix string) map[string]string {
	replies := map[string]string{}
	for _, port := range ports {
		value := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "127.0.0.1:%d%s", port, suffix))
		replies["cookie=session="+value] = strconv.Itoa(port)
	}
	return replies
}

// setSession makes RPCs with a cookie go to the cookie's endpoint (gRFCs A55 and A60).
func setSession(s *served) error {
	byCookie := &cookiepb.CookieBasedSessionState{Cookie: &httppb.Cookie{Name: "session"}}
	s.route.TypedPerFilterConfig = map[string]*anypb.Any{sessionFilter: pack(&sessionpb.StatefulSessionPerRoute{
		Override: &sessionpb.StatefulSessionPerRoute_StatefulSession{StatefulSession: &sessionpb.StatefulSession{
			SessionState: &corepb.TypedExtensionConfig{Name: "envoy.http.stateful_session.cookie", TypedConfig: pack(byCookie)}}}})}
	return nil
}

const sessionFilter = "envoy.filters.http.stateful_session"

func socketAddress(port int) *corepb.Address {
	return &corepb.Address{Address: &corepb.Address_SocketAddress{SocketAddress: &corepb.SocketAddress{
		Address: "127.0.0.1", PortSpecifier: &corepb.SocketAddress_PortValue{PortValue: uint32(port)}}}}
}

// setAdditionalAddress leaves the endpoint's first address without a server (gRFC A61).
func setAdditionalAddress(s *served) error {
	nobody, err := reservePort()
	if err != nil {
		return err
	}
	e := s.endpoints[0].GetEndpoint()
	e.AdditionalAddresses = []*endpointpb.Endpoint_AdditionalAddress{{Address: e.Address}}
	e.Address = socketAddress(nobody)
	return nil
}

// setHostRewrite makes backends get the endpoint's name as authority (gRFC A81).
func setHostRewrite(s *served) error {
	s.endpoints[0].GetEndpoint().Hostname = otherAuthority
	s.route.GetRoute().HostRewriteSpecifier = &routepb.RouteAction_AutoHostRewrite{AutoHostRewrite: wrapperspb.Bool(true)}
	return nil
}

// setProxy leaves the endpoint's address without a server, and adds a proxy that connects it to the backend (gRFC
// A86).
func setProxy(s *served) error {
	nobody, err := reservePort()
	if err != nil {
		return err
	}
	e := s.endpoints[0]
	proxy, err := startProxy(nobody, int(e.GetEndpoint().GetAddress().GetSocketAddress().GetPortValue()))
	if err != nil {
		return err
	}
	e.GetEndpoint().Address = socketAddress(nobody)
	e.Metadata = &corepb.Metadata{TypedFilterMetadata: map[string]*anypb.Any{
		"envoy.http11_proxy_transport_socket.proxy_address": pack(socketAddress(proxy))}}
	s.cluster.TransportSocket = &corepb.TransportSocket{Name: "envoy.transport_sockets.http_11_proxy",
		ConfigType: &corepb.TransportSocket_TypedConfig{TypedConfig: pack(&proxypb.Http11ProxyUpstreamTransport{})}}
	return nil
}

// startProxy starts a proxy that accepts CONNECT for a loopback port and connects to another. It runs as long as the
// driver.
func startProxy(from, to int) (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != fmt.Sprintf("127.0.0.1:%d", from) {
			http.Error(w, "not for this proxy", http.StatusForbidden)
			return
		}
		there, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", to))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, bytes, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(there, bytes)
			there.Close()
		}()
		io.Copy(here, there)
	}))
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// setSubset labels one of the endpoints, and the route selects it by the label.
func setSubset(s *served) error {
	labels := func(stage string) *corepb.Metadata {
		return &corepb.Metadata{FilterMetadata: map[string]*structpb.Struct{"envoy.lb": {
			Fields: map[string]*structpb.Value{"stage": structpb.NewStringValue(stage)}}}}
	}
	for _, e := range s.endpoints {
		e.Metadata = labels("production")
		if e.GetEndpoint().GetAddress().GetSocketAddress().GetPortValue() == uint32(ports[4]) {
			e.Metadata = labels("canary")
		}
	}
	s.cluster.LbSubsetConfig = &clusterpb.Cluster_LbSubsetConfig{
		SubsetSelectors: []*clusterpb.Cluster_LbSubsetConfig_LbSubsetSelector{{Keys: []string{"stage"}}}}
	s.route.GetRoute().MetadataMatch = labels("canary")
	return nil
}

// setWeights makes the endpoint of the second backend get three times as many RPCs as the other, in round_robin. If
// Envoy is the client, the endpoints are in the order of their ports.
func setWeights(s *served) error {
	for _, e := range s.endpoints {
		e.LoadBalancingWeight = wrapperspb.UInt32(1)
		if e.GetEndpoint().GetAddress().GetSocketAddress().GetPortValue() == uint32(ports[1]) {
			e.LoadBalancingWeight = wrapperspb.UInt32(3)
		}
	}
	return nil
}

// newerTruth returns resources with these fields, each in a cluster of its own.
func newerTruth(w *world, fields []newer) (truth, error) {
	w.clusters = nil
	for _, f := range fields {
		c := &cluster{name: f.name, maxRequests: 1024, localities: []locality{{zone: "z0", weight: 1}}}
		for _, port := range f.backends {
			c.localities[0].endpoints = append(c.localities[0].endpoints, endpoint{port, 1})
		}
		w.clusters = append(w.clusters, c)
	}
	// The filter does nothing unless a route configures it. Clients without support ignore it.
	w.filters = []*hcmpb.HttpFilter{{Name: sessionFilter, IsOptional: true,
		ConfigType: &hcmpb.HttpFilter_TypedConfig{TypedConfig: pack(&sessionpb.StatefulSession{})}}}
	t := w.truth()
	routes := t[resource.RouteType][w.rds].(*routepb.RouteConfiguration).VirtualHosts[0].Routes
	for i, f := range fields {
		err := f.set(&served{
			cluster:   t[resource.ClusterType][f.name].(*clusterpb.Cluster),
			endpoints: t[resource.EndpointType][f.name].(*endpointpb.ClusterLoadAssignment).Endpoints[0].LbEndpoints,
			route:     routes[i],
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// tryNewer makes RPCs for each field until ten in a row show that it is in use. A field with shares needs as many
// RPCs as its shares.
func tryNewer(c client, fields []newer) error {
	for _, f := range fields {
		err := shares(c, "/"+f.name+"/"+f.method, f.shares)
		for metadata, reply := range f.replies {
			if err == nil {
				err = answers(c, "/"+f.name+"/"+f.method+" "+metadata, reply)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w\n  last lines of the client:\n%s", f.name, err, c.logged())
		}
	}
	return nil
}

// shares waits until RPCs in a row have each reply as often as wanted, with a tolerance of a tenth.
func shares(c client, order string, wanted map[string]int) error {
	total := 0
	for _, n := range wanted {
		total += n
	}
	var got map[string]int
	err := eventually(func() (bool, error) {
		got = map[string]int{}
		for range total {
			reply, err := c.call(order)
			if err != nil {
				reply = err.Error()
			}
			got[reply]++
		}
		for reply, n := range wanted {
			if off := got[reply] - n; 10*max(off, -off) > n {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("the replies are to come %v times, and came %v times", wanted, got)
	}
	return nil
}

// answers waits until ten RPCs in a row have a reply.
func answers(c client, order, wanted string) error {
	right := 0
	var last string
	err := eventually(func() (bool, error) {
		reply, err := c.call(order)
		if last = reply; err != nil {
			last = err.Error()
		}
		if right++; err != nil || reply != wanted {
			right = 0
		}
		return right == 10, nil
	})
	if err != nil {
		return fmt.Errorf("the reply is not %s, but %s", wanted, last)
	}
	return nil
}

// newerKinds are the pairings with these fields in other projects.
func newerKinds() []kind {
	all := newerFields()
	less := func(without ...string) []newer {
		return slices.DeleteFunc(slices.Clone(all), func(f newer) bool { return slices.Contains(without, f.name) })
	}
	kinds := []kind{
		{name: "newer fields, go-control-plane, state of the world", quick: true,
			run: func(kind) error { return runNewerOnGoPlane(all) }},
		{name: "newer fields, go-control-plane, delta", quick: true,
			run: func(kind) error { return runNewerOnGoPlane(all, "delta") }},
	}
	add := func(name, missing string, fields []newer, argv ...string) {
		kinds = append(kinds, kind{name: "newer fields, xds serve, " + name, missing: missing,
			run: func(kind) error { return runNewerOnServe(fields, argv...) }})
	}
	add("grpc-go", "", less("subsets", sessions, weights), goClient())
	add("grpc-js", ofGrpcJS().missing, less("auto-host-rewrite", "http-connect", "subsets", sessions, weights),
		"node", filepath.Join(*js, "client.js"))
	add("grpcio", ofGrpcio().missing, less("subsets", weights), "python3", *grpcio)
	add("grpc-java", ofGrpcJava().missing, less("subsets", sessions, weights), "java", "-cp", filepath.Join(*grpcJava, "*"),
		filepath.Join(*javaSources, "Client.java"))
	for _, y := range envoyWays[:2] {
		k := kind{name: "newer fields, xds serve, Envoy, " + y.name, quick: true,
			run: func(kind) error { return runNewerOnEnvoy(y) }}
		if *envoyProgram == "" {
			k.missing = "Envoy"
		}
		kinds = append(kinds, k)
	}
	return kinds
}

func runNewerOnGoPlane(fields []newer, features ...string) error {
	t, err := newerTruth(newWorld(*seed, ports), fields)
	if err != nil {
		return err
	}
	plane, err := newGoPlane("snapshot", false)
	if err != nil {
		return err
	}
	defer plane.stop()
	if err := plane.set(t); err != nil {
		return err
	}
	features = append(features, "trusted_xds_server", "lb_subsets", "endpoint_weights")
	c, err := newOwnClient(bootstrapOf(features, plane.address()), "xds:///"+service)
	if err != nil {
		return err
	}
	defer c.stop()
	return tryNewer(c, fields)
}

func runNewerOnServe(fields []newer, argv ...string) error {
	t, err := newerTruth(newWorld(*seed, ports), fields)
	if err != nil {
		return err
	}
	plane, err := startServePlane(t)
	if err != nil {
		return err
	}
	defer plane.stop()
	p, err := startProcess("the client", []string{
		"GRPC_XDS_BOOTSTRAP_CONFIG=" + bootstrapOf([]string{"trusted_xds_server"}, plane.address()),
		"GRPC_EXPERIMENTAL_XDS_DUALSTACK_ENDPOINTS=true",
		"GRPC_EXPERIMENTAL_XDS_AUTHORITY_REWRITE=true",
		"GRPC_EXPERIMENTAL_XDS_HTTP_CONNECT=true",
	}, append(argv, "xds:///"+service)...)
	if err != nil {
		return err
	}
	c := program{p}
	defer c.stop()
	return tryNewer(c, fields)
}

func runNewerOnEnvoy(y way) error {
	fields := newerFields()
	for i := range fields {
		if fields[i].name == sessions {
			fields[i].replies = sessionsOn("") // without a cluster
		}
	}
	port, err := reservePort()
	if err != nil {
		return err
	}
	w := newWorld(*seed, ports)
	w.envoy = &envoyNeeds{port: port, source: y.source()}
	t, err := newerTruth(w, fields)
	if err != nil {
		return err
	}
	plane, err := startServePlane(t)
	if err != nil {
		return err
	}
	defer plane.stop()
	e, err := startEnvoy(*envoyProgram, plane, y, port)
	if err != nil {
		return err
	}
	defer e.stop()
	return tryNewer(e, fields)
}
