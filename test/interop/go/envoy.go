package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/durationpb"

	"grpc-xds/test/interop/raw"
)

// A way is how an Envoy requests its resources.
type way struct {
	name  string
	api   corepb.ApiConfigSource_ApiType
	ofOne bool // each type has its own service and stream, instead of ADS
}

var envoyWays = []way{
	{"state of the world", corepb.ApiConfigSource_GRPC, false},
	{"delta", corepb.ApiConfigSource_DELTA_GRPC, false},
	{"services of one type, state of the world", corepb.ApiConfigSource_GRPC, true},
	{"services of one type, delta", corepb.ApiConfigSource_DELTA_GRPC, true},
	{"REST", corepb.ApiConfigSource_REST, true},
}

const (
	planeCluster = "the-control-plane"
	restCluster  = "the-control-plane-over-rest"
)

func (y way) rest() bool { return y.api == corepb.ApiConfigSource_REST }

// plane returns a config source that names the control plane for one type of resources.
func (y way) plane() *corepb.ApiConfigSource {
	if y.rest() {
		return &corepb.ApiConfigSource{
			ApiType:             y.api,
			TransportApiVersion: corepb.ApiVersion_V3,
			ClusterNames:        []string{restCluster},
			RefreshDelay:        durationpb.New(refreshDelay),
		}
	}
	return &corepb.ApiConfigSource{
		ApiType:             y.api,
		TransportApiVersion: corepb.ApiVersion_V3,
		GrpcServices: []*corepb.GrpcService{{TargetSpecifier: &corepb.GrpcService_EnvoyGrpc_{
			EnvoyGrpc: &corepb.GrpcService_EnvoyGrpc{ClusterName: planeCluster}}}},
	}
}

func (y way) source() *corepb.ConfigSource {
	if !y.ofOne {
		return ads()
	}
	return &corepb.ConfigSource{
		ResourceApiVersion:    corepb.ApiVersion_V3,
		ConfigSourceSpecifier: &corepb.ConfigSource_ApiConfigSource{ApiConfigSource: y.plane()},
	}
}

// An envoy is an Envoy that forwards the driver's RPCs.
type envoy struct {
	*process
	channel *grpc.ClientConn
	admin   string
}

// A shell that kills its program when its standard input closes. Envoy does not end by itself then.
const endsWithItsInput = `"$@" & cat >/dev/null; kill -9 $!; wait $! 2>/dev/null`

func startEnvoy(program string, plane *servePlane, y way, port int) (*envoy, error) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	config, err := envoyBootstrap(plane, y)
	if err != nil {
		return nil, err
	}
	told := filepath.Join(dir, "admin")
	p, err := startProcess("Envoy", nil, "sh", "-c", endsWithItsInput, "sh", program,
		"--config-yaml", config, "--admin-address-path", told, "--concurrency", "1", "--disable-hot-restart",
		"--log-level", "warning", "--drain-time-s", "1", "--drain-strategy", "immediate", "--log-format-escaped")
	if err != nil {
		return nil, err
	}
	e := &envoy{process: p}
	p.keepAll(restRefusal)
	err = eventually(func() (bool, error) {
		text, _ := os.ReadFile(told)
		e.admin = strings.TrimSpace(string(text))
		_, _, err := net.SplitHostPort(e.admin)
		return err == nil, nil
	})
	if err != nil {
		e.process.stop()
		return nil, fmt.Errorf("Envoy does not start: %s", e.logged())
	}
	e.channel, err = grpc.NewClient(fmt.Sprintf("passthrough:///127.0.0.1:%d", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	return e, err
}

// An Envoy reports refused resources to a REST server only in its log.
const restRefusal = "REST config for "

func (e *envoy) refusals() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.noticed)
}

// envoyBootstrap returns the configuration that an Envoy starts with. It only names the source of the rest.
func envoyBootstrap(plane *servePlane, y way) (string, error) {
	source, err := inJSON(y.source())
	if err != nil {
		return "", err
	}
	api, err := inJSON(y.plane())
	if err != nil {
		return "", err
	}
	dynamic := map[string]any{"cds_config": source, "lds_config": source}
	if !y.ofOne {
		dynamic["ads_config"] = api
	}
	loads := map[string]any{"api_type": "GRPC", "transport_api_version": "V3", "grpc_services": []any{
		map[string]any{"envoy_grpc": map[string]any{"cluster_name": planeCluster}}}}
	socket := func(at string) map[string]any {
		host, port, _ := net.SplitHostPort(at)
		return map[string]any{"socket_address": map[string]any{"address": host, "port_value": json.Number(port)}}
	}
	cluster := func(name, at, protocol string) map[string]any {
		return map[string]any{
			"name": name,
			"typed_extension_protocol_options": map[string]any{
				httpOptions: map[string]any{
					"@type":                "type.googleapis.com/" + httpOptions,
					"explicit_http_config": map[string]any{protocol: map[string]any{}}}},
			"load_assignment": map[string]any{"cluster_name": name, "endpoints": []any{
				map[string]any{"lb_endpoints": []any{map[string]any{
					"endpoint": map[string]any{"address": socket(at)}}}}}},
		}
	}
	text, err := json.Marshal(map[string]any{
		"node": map[string]any{"id": nodeID, "cluster": "tests",
			"locality": map[string]any{"region": "r", "zone": "z0"}},
		"admin":             map[string]any{"address": socket("127.0.0.1:0")},
		"dynamic_resources": dynamic,
		"cluster_manager":   map[string]any{"load_stats_config": loads},
		"static_resources": map[string]any{"clusters": []any{
			cluster(planeCluster, plane.address(), "http2_protocol_options"),
			cluster(restCluster, plane.restAt, "http_protocol_options"),
		}},
	})
	return string(text), err
}

// call makes an RPC through the listener; the reply is the name of the backend.
func (e *envoy) call(order string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	path, pairs, _ := strings.Cut(order, " ")
	for _, pair := range strings.Fields(pairs) {
		key, value, _ := strings.Cut(pair, "=")
		ctx = metadata.AppendToOutgoingContext(ctx, key, value)
	}
	var reply []byte
	err := e.channel.Invoke(ctx, path, []byte{}, &reply, grpc.ForceCodec(raw.Codec{}))
	return string(reply), err
}

func (e *envoy) dump() (*statuspb.ClientConfig, error) {
	text, err := httpGet("http://" + e.admin + "/config_dump?include_eds")
	if err != nil {
		return nil, err
	}
	return readConfigDump(text)
}

func (e *envoy) stop() {
	if e.channel != nil {
		e.channel.Close()
	}
	e.process.stop()
}
