package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	routepb "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
)

// ofFallback are the pairings with two go-control-planes in one bootstrap (gRFC A71).
func ofFallback(way string, features ...string) kind {
	return kind{name: "go-control-plane and another to fall back to, " + way, quick: true,
		run: func(kind) error { return runFallback(features) }}
}

// A fallback is a client of two control planes, whose clusters have a backend each.
type fallback struct {
	primary, other *goPlane
	client         program
	backends       map[string]int // by cluster
}

func newFallback(features []string) (*fallback, error) {
	primary, err := newGoPlane("snapshot", false)
	if err != nil {
		return nil, err
	}
	primary.stop()
	other, err := newGoPlane("snapshot", false)
	if err != nil {
		return nil, err
	}
	c, err := newOwnClient(bootstrapOf(features, primary.address(), other.address()), "xds:///"+service)
	if err != nil {
		other.stop()
		return nil, err
	}
	c.keepAll("grpc_xds:")
	return &fallback{primary, other, c,
		map[string]int{"first": ports[0], "second": ports[1], "of-the-other": ports[2]}}, nil
}

func (f *fallback) stop() {
	f.client.stop()
	f.primary.stop()
	f.other.stop()
}

// truth has a listener whose RPCs all go to one cluster.
func (f *fallback) truth(name string) truth {
	c := &cluster{name: name, maxRequests: 1024,
		localities: []locality{{zone: "z0", weight: 1, endpoints: []endpoint{{f.backends[name], 1}}}}}
	t := (&world{rds: "routes", timeout: 30, clusters: []*cluster{c}}).truth()
	routes := t[resource.RouteType]["routes"].(*routepb.RouteConfiguration)
	routes.VirtualHosts[0].Routes[0].Match.PathSpecifier = &routepb.RouteMatch_Prefix{Prefix: ""}
	return t
}

// reaches makes RPCs until ten in a row reach a cluster. None may fail.
func (f *fallback) reaches(name string) error {
	right := 0
	var last string
	err := eventually(func() (bool, error) {
		var err error
		if last, err = f.client.call("/fallback/Call"); err != nil {
			return false, fmt.Errorf("an RPC failed before %s was reached: %w", name, err)
		}
		if right++; last != strconv.Itoa(f.backends[name]) {
			right = 0
		}
		return right == 10, nil
	})
	if err == errNever {
		return fmt.Errorf("RPCs do not reach %s, but the backend %s", name, last)
	}
	return err
}

// leftAlone waits until a control plane has no stream, while RPCs reach a cluster.
func (f *fallback) leftAlone(p *goPlane, name string) error {
	err := eventually(func() (bool, error) { return p.streams() == 0, f.reaches(name) })
	if err == errNever {
		return fmt.Errorf("%d streams to a control plane that is not needed", p.streams())
	}
	return err
}

// atTheStart: the primary is down at first, and starts later.
func (f *fallback) atTheStart() error {
	if err := f.reaches("of-the-other"); err != nil {
		return err
	}
	if err := f.primary.set(f.truth("first")); err != nil {
		return err
	}
	if err := f.primary.start(); err != nil {
		return err
	}
	return f.leftAlone(f.other, "first")
}

// inAnUpdate: the primary names a cluster, goes down before it sends that cluster, and returns with it.
func (f *fallback) inAnUpdate() error {
	whole := f.truth("second")
	if err := f.primary.set(whole.without(resource.ClusterType, "second")); err != nil {
		return err
	}
	if err := f.awaitAsked("second"); err != nil {
		return err
	}
	f.primary.stop()
	if err := f.reaches("of-the-other"); err != nil {
		return err
	}
	if err := f.primary.set(whole); err != nil {
		return err
	}
	if err := f.primary.start(); err != nil {
		return err
	}
	return f.leftAlone(f.other, "second")
}

// withEverythingCached: the primary is down. The client needs nothing new, so it does not fall back.
func (f *fallback) withEverythingCached() error {
	failures, fallbacks := f.said("TRANSIENT_FAILURE"), f.said("falling back to")
	f.primary.stop()
	err := eventually(func() (bool, error) { return f.said("TRANSIENT_FAILURE") > failures, f.reaches("second") })
	if err != nil {
		return fmt.Errorf("the client does not notice that the primary is away: %w", err)
	}
	if err := f.primary.start(); err != nil {
		return err
	}
	err = eventually(func() (bool, error) { return f.primary.streams() > 0, f.reaches("second") })
	if err == nil && f.said("falling back to") > fallbacks {
		err = errors.New("the client fell back")
	}
	return err
}

// said returns how many lines of the client's log contain a text.
func (f *fallback) said(text string) int {
	f.client.mu.Lock()
	defer f.client.mu.Unlock()
	count := 0
	for _, line := range f.client.noticed {
		if strings.Contains(line, text) {
			count++
		}
	}
	return count
}

// awaitAsked waits until the client requests a cluster that does not exist, while RPCs go where they went before.
func (f *fallback) awaitAsked(name string) error {
	err := eventually(func() (bool, error) {
		config, err := f.client.dump()
		if err != nil {
			return false, err
		}
		asked := slices.ContainsFunc(config.GetGenericXdsConfigs(), func(entry *statuspb.ClientConfig_GenericXdsConfig) bool {
			return entry.GetTypeUrl() == resource.ClusterType && entry.GetName() == name
		})
		return asked, f.reaches("first")
	})
	if err == errNever {
		return fmt.Errorf("the client does not ask for %s", name)
	}
	return err
}

// without returns a truth that lacks one resource.
func (t truth) without(url, name string) truth {
	less := t.with(nil)
	delete(less[url], name)
	return less
}

func runFallback(features []string) error {
	f, err := newFallback(features)
	if err != nil {
		return err
	}
	defer f.stop()
	if err := f.other.set(f.truth("of-the-other")); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		try  func() error
	}{
		{"at the start", f.atTheStart},
		{"in an update", f.inAnUpdate},
		{"with everything cached", f.withEverythingCached},
	} {
		if err := s.try(); err != nil {
			return fmt.Errorf("%s: %w\n  last lines of the client:\n%s", s.name, err, f.client.logged())
		}
	}
	return nil
}
