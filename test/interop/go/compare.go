package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	adminpb "github.com/envoyproxy/go-control-plane/envoy/admin/v3"
	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// difference lists what changes from one set of resources to another.
func difference(from, to map[string]proto.Message) (map[string]types.Resource, []string) {
	updates := map[string]types.Resource{}
	var removed []string
	for name, r := range to {
		if from[name] == nil || !proto.Equal(from[name], r) {
			updates[name] = r
		}
	}
	for name := range from {
		if to[name] == nil {
			removed = append(removed, name)
		}
	}
	return updates, removed
}

func same(a, b truth) bool {
	for _, url := range typeURLs {
		updates, removed := difference(a[url], b[url])
		if len(updates)+len(removed) > 0 {
			return false
		}
	}
	return true
}

type key struct{ url, name string }

// An expectation is what a client must show of a resource.
type expectation struct {
	want    proto.Message // nil: any content is correct
	refused bool          // NACKED, with an error
	never   proto.Message // for a client that does not show refused resources: it must not hold this,
	told    func() bool   // and the control plane must have a NACK
}

// expected lists the resources that a client of the world must have, and those that it may have.
func (w *world) expected() map[key]expectation {
	all := map[key]expectation{}
	t := w.truth()
	for _, url := range []string{resource.ListenerType, resource.RouteType} {
		for name, r := range t[url] {
			all[key{url, name}] = expectation{want: r}
		}
	}
	for _, c := range w.clusters {
		of := key{resource.ClusterType, c.name}
		endpoints := key{resource.EndpointType, c.endpointsName()}
		all[of], all[endpoints] = expectation{}, expectation{}
		if c.state == broken {
			all[of] = w.refusal(c.name, w.clusterOf(c))
		} else if c.state == good {
			all[of] = expectation{want: w.clusterOf(c)}
			if c.edsState == broken {
				all[endpoints] = w.refusal(c.endpointsName(), w.endpointsOf(c))
			} else if c.edsState == good {
				all[endpoints] = expectation{want: w.endpointsOf(c)}
			}
		}
	}
	return all
}

func (w *world) refusal(name string, r proto.Message) expectation {
	if w.envoy == nil {
		return expectation{refused: true}
	}
	return expectation{never: r, told: func() bool { return w.envoy.refused(name) }}
}

// equal compares contents. The fields in the bytes of a google.protobuf.Any may have any order.
func equal(a, b proto.Message) bool {
	var contents [2]any
	for i, m := range []proto.Message{a, b} {
		text, err := protojson.Marshal(m)
		if err != nil || json.Unmarshal(text, &contents[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(contents[0], contents[1])
}

// fullURL returns the whole type URL. grpc-js shows only the name of the message.
func fullURL(url string) string {
	return resource.APITypePrefix + strings.TrimPrefix(url, resource.APITypePrefix)
}

func short(k key) string { return k.url[strings.LastIndex(k.url, ".")+1:] + " " + k.name }

func holds(entry *statuspb.ClientConfig_GenericXdsConfig, r proto.Message) bool {
	held, err := entry.GetXdsConfig().UnmarshalNew()
	return err == nil && equal(held, r)
}

// differences lists where a client's resources differ from the expected ones; none: they are equal.
func differences(expected map[key]expectation, config *statuspb.ClientConfig) []string {
	var out []string
	seen := map[key]bool{}
	for _, entry := range config.GetGenericXdsConfigs() {
		k := key{fullURL(entry.GetTypeUrl()), entry.GetName()}
		seen[k] = true
		e, known := expected[k]
		state := entry.GetClientStatus()
		switch {
		case !known:
			out = append(out, short(k)+": the client holds it in vain")
		case e.refused && (state != adminpb.ClientResourceStatus_NACKED || entry.GetErrorState().GetDetails() == ""):
			out = append(out, fmt.Sprintf("%s: %v, and was to be refused", short(k), state))
		case e.never != nil && holds(entry, e.never):
			out = append(out, short(k)+": the client holds what was to be refused")
		case e.want == nil:
		case state != adminpb.ClientResourceStatus_ACKED:
			out = append(out, fmt.Sprintf("%s: %v (%s)", short(k), state, entry.GetErrorState().GetDetails()))
		default:
			if !holds(entry, e.want) {
				out = append(out, short(k)+": other contents, of version "+entry.GetVersionInfo())
			}
		}
	}
	for _, k := range slices.Collect(maps.Keys(expected)) {
		if e := expected[k]; !seen[k] && (e.want != nil || e.refused) {
			out = append(out, short(k)+": the client does not have it")
		} else if e.never != nil && !e.told() {
			out = append(out, short(k)+": nothing was said of its refusal")
		}
	}
	slices.Sort(out)
	return out
}
