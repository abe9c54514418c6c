package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	corepb "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discoverypb "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	lrspb "github.com/envoyproxy/go-control-plane/envoy/service/load_stats/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/sotw/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	nodeID         = "interop"
	reportInterval = 50 * time.Millisecond
)

var typeURLs = []string{
	resource.ListenerType, resource.RouteType, resource.ClusterType, resource.EndpointType,
}

// A controlPlane is one side of a pairing.
type controlPlane interface {
	address() string
	set(t truth) error
	// restart ends all streams and listens again on the same port. In between it calls meanwhile. A fresh control
	// plane has lost the state of its streams and caches.
	restart(fresh bool, meanwhile func() error) error
	nacks() int
	// load returns how many RPCs to a cluster were reported as successful.
	load(cluster string) uint64
	stop()
}

// A goPlane is a control plane made of go-control-plane's caches and servers, and a sink for load reports.
type goPlane struct {
	caching  string // "snapshot", "linear" or "mux"
	rest     bool   // REST-JSON instead of streams; with snapshots only, as in go-control-plane
	at       string
	sequence int // of truths; the version in snapshots
	life     int // of caches; the prefix of versions in linear ones
	current  truth
	cache    cache.Cache
	snapshot cache.SnapshotCache
	linear   map[string]*cache.LinearCache

	listener net.Listener
	server   interface{ Stop() }
	cancel   context.CancelFunc
	watch    streamWatch
	sink     loadSink
}

func newGoPlane(caching string, rest bool) (*goPlane, error) {
	at, err := reserveAddress()
	if err != nil {
		return nil, err
	}
	p := &goPlane{caching: caching, rest: rest, at: at, sink: loadSink{sum: map[string]uint64{}}}
	p.watch.sent = map[string]bool{}
	p.newCaches()
	return p, p.start()
}

// newCaches makes the caches: one snapshot cache, a linear cache for each type, or a mux of both kinds.
func (p *goPlane) newCaches() {
	p.life++
	p.snapshot = cache.NewSnapshotCache(true, cache.IDHash{}, nil)
	p.linear = map[string]*cache.LinearCache{}
	caches := map[string]cache.Cache{}
	for _, url := range typeURLs {
		caches[url] = p.snapshot
		if p.caching == "linear" || (p.caching == "mux" && (url == resource.ClusterType || url == resource.EndpointType)) {
			p.linear[url] = cache.NewLinearCache(url, cache.WithVersionPrefix(fmt.Sprintf("life%d-", p.life)))
			caches[url] = p.linear[url]
		}
	}
	p.cache = &cache.MuxCache{
		Classify:      func(r *cache.Request) string { return r.GetTypeUrl() },
		ClassifyDelta: func(r *cache.DeltaRequest) string { return r.GetTypeUrl() },
		Caches:        caches,
	}
	if p.caching == "snapshot" {
		p.cache = p.snapshot
	}
}

func (p *goPlane) start() error {
	var err error
	if p.listener, err = net.Listen("tcp", p.at); err != nil {
		return err
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.Background())
	// As go-control-plane's documentation requires for gRPC clients, which never request "everything".
	xds := server.NewServer(ctx, p.cache, &p.watch, sotw.WithOrderedADS(), sotw.DeactivateLegacyWildcard())
	if p.rest {
		web := &http.Server{Handler: gateway{server.HTTPGateway{Server: xds}}}
		p.server = webServer{web}
		go web.Serve(p.listener)
		return nil
	}
	streams := grpc.NewServer()
	p.server = streams
	discoverypb.RegisterAggregatedDiscoveryServiceServer(streams, xds)
	lrspb.RegisterLoadReportingServiceServer(streams, &p.sink)
	go streams.Serve(p.listener)
	return nil
}

// A gateway answers like go-control-plane's gateway, whose users write the answer. It sets no content type, so Go
// guesses one.
type gateway struct{ server.HTTPGateway }

func (g gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, code, err := g.HTTPGateway.ServeHTTP(r)
	if err != nil {
		http.Error(w, err.Error(), code)
		return
	}
	w.WriteHeader(code)
	w.Write(body)
}

type webServer struct{ *http.Server }

func (s webServer) Stop() { s.Close() }

func (p *goPlane) address() string { return p.at }

func (p *goPlane) set(t truth) error {
	p.sequence++
	if len(p.linear) < len(typeURLs) {
		byType := map[resource.Type][]types.Resource{}
		for url, resources := range t {
			if p.linear[url] != nil {
				continue
			}
			for _, r := range resources {
				byType[url] = append(byType[url], r)
			}
		}
		snapshot, err := cache.NewSnapshot(fmt.Sprint(p.sequence), byType)
		if err != nil {
			return err
		}
		if err := p.snapshot.SetSnapshot(context.Background(), nodeID, snapshot); err != nil {
			return err
		}
	}
	for _, url := range typeURLs {
		if p.linear[url] == nil {
			continue
		}
		updates, removed := difference(p.current[url], t[url])
		if len(updates)+len(removed) == 0 {
			continue
		}
		if err := p.linear[url].UpdateResources(updates, removed); err != nil {
			return err
		}
	}
	p.current = t
	return nil
}

func (p *goPlane) restart(fresh bool, meanwhile func() error) error {
	p.stop()
	if fresh {
		now := p.current
		p.current = nil
		p.newCaches()
		if err := p.set(now); err != nil {
			return err
		}
	}
	if err := meanwhile(); err != nil {
		return err
	}
	return p.start()
}

func (p *goPlane) stop() {
	p.cancel()
	// Serve runs in its own goroutine and may not have taken the listener yet. Then the server cannot close it.
	p.listener.Close()
	p.server.Stop()
}

func (p *goPlane) nacks() int {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	return p.watch.nacked
}

func (p *goPlane) load(cluster string) uint64 {
	p.sink.mu.Lock()
	defer p.sink.mu.Unlock()
	return p.sink.sum[cluster]
}

// streams returns how many streams are open.
func (p *goPlane) streams() int {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	return p.watch.open
}

// A streamWatch counts streams and NACKs, and ends a stream whose client violates the protocol.
type streamWatch struct {
	mu     sync.Mutex
	nacked int
	open   int
	sent   map[string]bool // nonces, by stream, kind and type
}

func (w *streamWatch) request(kind string, id int64, url, nonce, detail string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if detail != "" {
		w.nacked++
		if nonce == "" {
			return fmt.Errorf("a NACK without a nonce: %s", detail)
		}
	}
	if nonce != "" && !w.sent[fmt.Sprint(kind, id, url, nonce)] {
		return fmt.Errorf("nonce %s was not sent for %s on this stream", nonce, url)
	}
	return nil
}

func (w *streamWatch) response(kind string, id int64, url, nonce string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[fmt.Sprint(kind, id, url, nonce)] = true
}

func (w *streamWatch) count(change int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open += change
	return nil
}

func (w *streamWatch) OnStreamOpen(context.Context, int64, string) error      { return w.count(1) }
func (w *streamWatch) OnStreamClosed(int64, *corepb.Node)                     { w.count(-1) }
func (w *streamWatch) OnDeltaStreamOpen(context.Context, int64, string) error { return w.count(1) }
func (w *streamWatch) OnDeltaStreamClosed(int64, *corepb.Node)                { w.count(-1) }

// OnFetchRequest counts NACKs; go-control-plane's answers over REST have no nonces.
func (w *streamWatch) OnFetchRequest(_ context.Context, r *discoverypb.DiscoveryRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.GetErrorDetail().GetMessage() != "" {
		w.nacked++
	}
	if r.GetResponseNonce() != "" {
		return fmt.Errorf("nonce %s was not sent for %s", r.GetResponseNonce(), r.GetTypeUrl())
	}
	return nil
}

func (w *streamWatch) OnFetchResponse(*discoverypb.DiscoveryRequest, *discoverypb.DiscoveryResponse) {
}

func (w *streamWatch) OnStreamRequest(id int64, r *discoverypb.DiscoveryRequest) error {
	return w.request("sotw", id, r.GetTypeUrl(), r.GetResponseNonce(), r.GetErrorDetail().GetMessage())
}

func (w *streamWatch) OnStreamResponse(_ context.Context, id int64, _ *discoverypb.DiscoveryRequest,
	r *discoverypb.DiscoveryResponse) {
	w.response("sotw", id, r.GetTypeUrl(), r.GetNonce())
}

func (w *streamWatch) OnStreamDeltaRequest(id int64, r *discoverypb.DeltaDiscoveryRequest) error {
	return w.request("delta", id, r.GetTypeUrl(), r.GetResponseNonce(), r.GetErrorDetail().GetMessage())
}

func (w *streamWatch) OnStreamDeltaResponse(id int64, _ *discoverypb.DeltaDiscoveryRequest,
	r *discoverypb.DeltaDiscoveryResponse) {
	w.response("delta", id, r.GetTypeUrl(), r.GetNonce())
}

// A loadSink requests load reports for all clusters and adds them up.
type loadSink struct {
	mu  sync.Mutex
	sum map[string]uint64
}

func (s *loadSink) StreamLoadStats(stream lrspb.LoadReportingService_StreamLoadStatsServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if first.GetNode().GetId() != nodeID {
		return fmt.Errorf("the first load report is of node %q", first.GetNode().GetId())
	}
	if err := stream.Send(&lrspb.LoadStatsResponse{
		SendAllClusters:       true,
		LoadReportingInterval: durationpb.New(reportInterval),
	}); err != nil {
		return err
	}
	for {
		report, err := stream.Recv()
		if err != nil {
			return err
		}
		s.mu.Lock()
		for _, c := range report.GetClusterStats() {
			for _, l := range c.GetUpstreamLocalityStats() {
				s.sum[c.GetClusterName()] += l.GetTotalSuccessfulRequests()
			}
		}
		s.mu.Unlock()
	}
}
