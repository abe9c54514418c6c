package main

import (
	"encoding/json"

	clusterpb "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointpb "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	listenerpb "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	routepb "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	hcmpb "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	httppb "github.com/envoyproxy/go-control-plane/envoy/extensions/upstreams/http/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"

// envoyNeeds are the fields that an Envoy needs in resources and gRPC does not. nil stands for gRPC.
type envoyNeeds struct {
	port    int // of the listener
	source  *corepb.ConfigSource
	refused func(name string) bool // whether the resource was ever refused
}

// from returns the source of resources that other resources name.
func (n *envoyNeeds) from() *corepb.ConfigSource {
	if n == nil {
		return ads()
	}
	return n.source
}

func (n *envoyNeeds) listener(manager *hcmpb.HttpConnectionManager) *listenerpb.Listener {
	manager.StatPrefix = "interop"
	return &listenerpb.Listener{
		Name: service,
		Address: &corepb.Address{Address: &corepb.Address_SocketAddress{SocketAddress: &corepb.SocketAddress{
			Address: "127.0.0.1", PortSpecifier: &corepb.SocketAddress_PortValue{PortValue: uint32(n.port)}}}},
		FilterChains: []*listenerpb.FilterChain{{Filters: []*listenerpb.Filter{{
			Name:       "http",
			ConfigType: &listenerpb.Filter_TypedConfig{TypedConfig: pack(manager)},
		}}}},
	}
}

// setRoutes allows routes to missing clusters. Otherwise Envoy refuses a listener with such routes inside.
func (n *envoyNeeds) setRoutes(routes *routepb.RouteConfiguration) {
	if n != nil {
		routes.ValidateClusters = wrapperspb.Bool(false)
	}
}

// setCluster enables HTTP/2 and the weights of localities, which gRPC uses anyway. A broken cluster has another fault
// than for gRPC, because Envoy supports MAGLEV.
func (n *envoyNeeds) setCluster(c *cluster, out *clusterpb.Cluster) {
	if n == nil {
		return
	}
	out.GetEdsClusterConfig().EdsConfig = n.source
	out.TypedExtensionProtocolOptions = map[string]*anypb.Any{httpOptions: pack(&httppb.HttpProtocolOptions{
		UpstreamProtocolOptions: &httppb.HttpProtocolOptions_ExplicitHttpConfig_{
			ExplicitHttpConfig: &httppb.HttpProtocolOptions_ExplicitHttpConfig{
				ProtocolConfig: &httppb.HttpProtocolOptions_ExplicitHttpConfig_Http2ProtocolOptions{
					Http2ProtocolOptions: &corepb.Http2ProtocolOptions{}}}}})}
	out.CommonLbConfig = &clusterpb.Cluster_CommonLbConfig{
		LocalityConfigSpecifier: &clusterpb.Cluster_CommonLbConfig_LocalityWeightedLbConfig_{
			LocalityWeightedLbConfig: &clusterpb.Cluster_CommonLbConfig_LocalityWeightedLbConfig{}}}
	if c.state == broken {
		out.LbPolicy = clusterpb.Cluster_CLUSTER_PROVIDED // not allowed for EDS endpoints
	}
}

// setEndpoints puts endpoints into the form that Envoy shows, and breaks those to be refused in a way that Envoy
// refuses: a missing priority 0 is valid for it.
func (n *envoyNeeds) setEndpoints(c *cluster, out *endpointpb.ClusterLoadAssignment) {
	if n == nil {
		return
	}
	inOrder(out)
	if c.edsState != broken {
		return
	}
	for _, l := range out.Endpoints {
		l.Priority = 0
		for _, e := range l.LbEndpoints {
			e.LoadBalancingWeight = wrapperspb.UInt32(0)
		}
	}
}

func inJSON(m proto.Message) (json.RawMessage, error) {
	return protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
}
