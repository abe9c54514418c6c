package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	adminpb "github.com/envoyproxy/go-control-plane/envoy/admin/v3"
	clusterpb "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointpb "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	listenerpb "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	routepb "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

func httpGet(url string) ([]byte, error) {
	client := http.Client{Timeout: patience}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// readConfigDump converts the answer of Envoy's /config_dump into the form of a CSDS service: the resources that came
// by xDS. A warming cluster or listener replaces its active version.
func readConfigDump(text []byte) (*statuspb.ClientConfig, error) {
	var dump struct{ Configs []json.RawMessage }
	if err := json.Unmarshal(text, &dump); err != nil {
		return nil, err
	}
	held := holdings{}
	for _, section := range dump.Configs {
		var err error
		switch {
		case isA(section, "ClustersConfigDump"):
			err = held.addClusters(section)
		case isA(section, "EndpointsConfigDump"):
			err = held.addEndpoints(section)
		case isA(section, "ListenersConfigDump"):
			err = held.addListeners(section)
		case isA(section, "RoutesConfigDump"):
			err = held.addRoutes(section)
		}
		if err != nil {
			return nil, err
		}
	}
	config := &statuspb.ClientConfig{}
	for k, entry := range held {
		entry.TypeUrl, entry.Name, entry.ClientStatus = k.url, k.name, adminpb.ClientResourceStatus_ACKED
		config.GenericXdsConfigs = append(config.GenericXdsConfigs, entry)
	}
	return config, nil
}

func isA(section json.RawMessage, message string) bool {
	var typed struct {
		Type string `json:"@type"`
	}
	return json.Unmarshal(section, &typed) == nil && strings.HasSuffix(typed.Type, "envoy.admin.v3."+message)
}

// parse reads a section of a known type.
func parse(section json.RawMessage, into proto.Message) error {
	var packed anypb.Any
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(section, &packed); err != nil {
		return err
	}
	return packed.UnmarshalTo(into)
}

// holdings are the held resources, by type and name.
type holdings map[key]*statuspb.ClientConfig_GenericXdsConfig

func (h holdings) add(url, name, version string, packed *anypb.Any) {
	h[key{url, name}] = &statuspb.ClientConfig_GenericXdsConfig{VersionInfo: version, XdsConfig: packed}
}

func (h holdings) addClusters(section json.RawMessage) error {
	var dump adminpb.ClustersConfigDump
	if err := parse(section, &dump); err != nil {
		return err
	}
	for _, c := range append(dump.GetDynamicActiveClusters(), dump.GetDynamicWarmingClusters()...) {
		var cluster clusterpb.Cluster
		if err := c.GetCluster().UnmarshalTo(&cluster); err != nil {
			return err
		}
		h.add(resource.ClusterType, cluster.GetName(), c.GetVersionInfo(), c.GetCluster())
	}
	return nil
}

func (h holdings) addEndpoints(section json.RawMessage) error {
	var dump adminpb.EndpointsConfigDump
	if err := parse(section, &dump); err != nil {
		return err
	}
	for _, e := range dump.GetDynamicEndpointConfigs() {
		var endpoints endpointpb.ClusterLoadAssignment
		if err := e.GetEndpointConfig().UnmarshalTo(&endpoints); err != nil {
			return err
		}
		h.add(resource.EndpointType, endpoints.GetClusterName(), e.GetVersionInfo(), pack(asSent(&endpoints)))
	}
	return nil
}

// asSent removes the fields that Envoy adds to the endpoints in its dump, which shows its own form of them.
func asSent(shown *endpointpb.ClusterLoadAssignment) *endpointpb.ClusterLoadAssignment {
	shown.Policy = nil
	for _, l := range shown.Endpoints {
		for _, e := range l.LbEndpoints {
			if e.HealthStatus == corepb.HealthStatus_HEALTHY {
				e.HealthStatus = corepb.HealthStatus_UNKNOWN
			}
			e.GetEndpoint().HealthCheckConfig = nil
		}
	}
	return inOrder(shown)
}

// inOrder sorts endpoints and removes localities without any, because Envoy keeps neither the order nor these
// localities.
func inOrder(a *endpointpb.ClusterLoadAssignment) *endpointpb.ClusterLoadAssignment {
	a.Endpoints = slices.DeleteFunc(a.Endpoints, func(l *endpointpb.LocalityLbEndpoints) bool {
		return len(l.GetLbEndpoints()) == 0
	})
	slices.SortFunc(a.Endpoints, func(a, b *endpointpb.LocalityLbEndpoints) int {
		return cmp.Compare(a.GetLocality().GetZone(), b.GetLocality().GetZone())
	})
	port := func(e *endpointpb.LbEndpoint) uint32 {
		return e.GetEndpoint().GetAddress().GetSocketAddress().GetPortValue()
	}
	for _, l := range a.Endpoints {
		slices.SortFunc(l.LbEndpoints, func(a, b *endpointpb.LbEndpoint) int { return cmp.Compare(port(a), port(b)) })
	}
	return a
}

func (h holdings) addListeners(section json.RawMessage) error {
	var dump adminpb.ListenersConfigDump
	if err := parse(section, &dump); err != nil {
		return err
	}
	for _, l := range dump.GetDynamicListeners() {
		for _, state := range []*adminpb.ListenersConfigDump_DynamicListenerState{l.GetActiveState(), l.GetWarmingState()} {
			if state == nil {
				continue
			}
			var listener listenerpb.Listener
			if err := state.GetListener().UnmarshalTo(&listener); err != nil {
				return err
			}
			h.add(resource.ListenerType, listener.GetName(), state.GetVersionInfo(), state.GetListener())
		}
	}
	return nil
}

func (h holdings) addRoutes(section json.RawMessage) error {
	var dump adminpb.RoutesConfigDump
	if err := parse(section, &dump); err != nil {
		return err
	}
	for _, r := range dump.GetDynamicRouteConfigs() {
		if r.GetRouteConfig() == nil {
			continue // requested, and not received yet
		}
		var routes routepb.RouteConfiguration
		if err := r.GetRouteConfig().UnmarshalTo(&routes); err != nil {
			return fmt.Errorf("a route configuration: %w", err)
		}
		h.add(resource.RouteType, routes.GetName(), r.GetVersionInfo(), r.GetRouteConfig())
	}
	return nil
}
