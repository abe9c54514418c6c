package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A mesh is Istio with backends. Features are tested in it one after another.
type mesh struct {
	*istio
	backends []int
	features string // of the bootstrap
	made     *int   // changes by the seed
}

// newClient starts a program with channels to services.
func (m *mesh) newClient(services ...string) (program, error) {
	return m.newClientBy(m.bootstrap(m.grpc, m.features, ""), services...)
}

func (m *mesh) newClientBy(bootstrap string, services ...string) (program, error) {
	argv := []string{"-xds"}
	for _, s := range services {
		argv = append(argv, targetOf(s))
	}
	return newOwnClient(bootstrap, argv...)
}

// versions are two backends of v1 and two of v2.
func (m *mesh) versions() []workload {
	return []workload{{port: m.backends[0], version: "v1"}, {port: m.backends[1], version: "v1"},
		{port: m.backends[2], version: "v2"}, {port: m.backends[3], version: "v2"}}
}

// serve makes Istio serve the service "echo", whose versions are subsets, with these routes.
func (m *mesh) serve(routes ...object) {
	m.apply([]object{serviceEntry("echo", m.versions()), destinationRule("echo", nil, "v1", "v2"),
		virtualService("echo", routes...)})
}

func isOf(workloads []workload, version, port string) bool {
	return slices.ContainsFunc(workloads, func(w workload) bool {
		return strconv.Itoa(w.port) == port && (version == "" || w.version == version)
	})
}

// reaches waits until five RPCs in a row reach a version.
func (m *mesh) reaches(c program, order, version string) error {
	right := 0
	var last string
	err := eventually(func() (bool, error) {
		port, err := c.make(order)
		if last = port; err != nil {
			last = err.Error()
		}
		if right++; err != nil || !isOf(m.versions(), version, port) {
			right = 0
		}
		return right == 5, nil
	})
	if err != nil {
		return fmt.Errorf("%q does not reach version %q: %s", order, version, last)
	}
	return nil
}

// fails waits until an RPC fails with a text, which is its code and its message.
func fails(c program, order, text string) error {
	var last string
	err := eventually(func() (bool, error) {
		reply, err := c.make(order)
		if last = reply; err == nil {
			return false, nil
		}
		last = err.Error()
		return strings.HasPrefix(last, "failed "+text), nil
	})
	if err != nil {
		return fmt.Errorf("%q does not fail with %q: %s", order, text, last)
	}
	return nil
}

// A feature of Istio is tested by a function, which returns an error.
type feature struct {
	name string
	try  func(m *mesh) error
}

var istioFeatures = []feature{
	{"endpoints", tryEndpoints},
	{"weights", tryWeights},
	{"matches of headers, paths and methods", tryMatches},
	{"GRPCRoute by service and method", tryGRPCRoute},
	{"faults", tryFaults},
	{"timeouts", tryTimeouts},
	{"retries", tryRetries},
	{"consistent hash of a header", tryHash},
	{"mutual TLS", tryMutualTLS},
}

func tryEndpoints(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	for _, count := range []int{1, 4, 2} {
		workloads := m.versions()[:count]
		m.apply([]object{serviceEntry("echo", workloads)})
		if err := usesAll(c, "call /echo.Echo/Call", workloads); err != nil {
			return err
		}
	}
	return nil
}

// usesAll waits until RPCs, two for each workload, reach all of them and nothing else.
func usesAll(c program, order string, workloads []workload) error {
	var seen map[string]int
	err := eventually(func() (bool, error) {
		seen = map[string]int{}
		for range 2 * len(workloads) {
			port, err := c.make(order)
			if err != nil || !isOf(workloads, "", port) {
				return false, nil
			}
			seen[port]++
		}
		return len(seen) == len(workloads), nil
	})
	if err != nil {
		return fmt.Errorf("RPCs reach %v, but the endpoints are %v", seen, workloads)
	}
	return nil
}

func tryWeights(m *mesh) error {
	const calls = 1000
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	for _, percent := range []int{25, 90} {
		route := []object{
			{"destination": object{"host": hostOf("echo"), "subset": "v1"}, "weight": percent},
			{"destination": object{"host": hostOf("echo"), "subset": "v2"}, "weight": 100 - percent}}
		/* An aborted path shows when the weights have arrived. */
		path := fmt.Sprintf("/weights%d/", percent)
		m.serve(object{"match": []object{{"uri": object{"prefix": path}}}, "route": to("echo", "v2"),
			"fault": object{"abort": object{"grpcStatus": "ABORTED", "percentage": object{"value": 100}}}},
			object{"route": route})
		if err := fails(c, "call "+path, "10 "); err != nil {
			return err
		}
		first := 0
		for range calls {
			port, err := c.make("call /echo.Echo/Call")
			if err != nil {
				return err
			}
			if isOf(m.versions(), "v1", port) {
				first++
			}
		}
		p := float64(percent) / 100
		if off := math.Abs(float64(first) - p*calls); off > 6*math.Sqrt(calls*p*(1-p)) {
			return fmt.Errorf("%d of %d RPCs go where %d %% should", first, calls, percent)
		}
	}
	return nil
}

func tryMatches(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	other := object{"route": to("echo", "v1")}
	for _, try := range []struct {
		match   object
		yes, no string // what follows "call "
	}{
		{object{"headers": object{"x-user": object{"exact": "ann"}}}, "/e.E/C x-user=ann", "/e.E/C x-user=anna"},
		{object{"headers": object{"x-user": object{"prefix": "an"}}}, "/e.E/C x-user=ann", "/e.E/C x-user=bob"},
		{object{"headers": object{"x-user": object{"regex": "a.*z"}}}, "/e.E/C x-user=abcz", "/e.E/C x-user=abc"},
		{object{"headers": object{"x-user": object{}}}, "/e.E/C x-user=1", "/e.E/C"},
		{object{"withoutHeaders": object{"x-user": object{"exact": "ann"}}}, "/e.E/C", "/e.E/C x-user=ann"},
		{object{"withoutHeaders": object{"x-user": object{"exact": "bob"}}}, "/e.E/C x-user=ann", "/e.E/C x-user=bob"},
		{object{"withoutHeaders": object{"x-user": object{}}}, "/e.E/C", "/e.E/C x-user=ann"},
		{object{"uri": object{"exact": "/e.E/C"}}, "/e.E/C", "/e.E/D"},
		{object{"uri": object{"prefix": "/e.E/"}}, "/e.E/C", "/f.F/C"},
		{object{"uri": object{"regex": "/.*/Get.*"}}, "/e.E/GetAll", "/e.E/SetAll"},
		{object{"method": object{"exact": "POST"}, "uri": object{"prefix": "/m.M"}}, "/m.M/C", "/n.N/C"},
		{object{"authority": object{"exact": hostOf("echo") + ":80"}, "uri": object{"prefix": "/a.A"}}, "/a.A/C", "/b.B/C"},
	} {
		m.serve(object{"match": []object{try.match}, "route": to("echo", "v2")}, other)
		if err := m.reaches(c, "call "+try.yes, "v2"); err != nil {
			return fmt.Errorf("match %v: %w", try.match, err)
		}
		if err := m.reaches(c, "call "+try.no, "v1"); err != nil {
			return fmt.Errorf("match %v: %w", try.match, err)
		}
	}
	/* A method without RPCs. */
	m.serve(object{"match": []object{{"method": object{"exact": "GET"}}}, "route": to("echo", "v2")}, other)
	return m.reaches(c, "call /e.E/C", "v1")
}

func tryGRPCRoute(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	backend := func(service string) []object {
		return []object{{"group": "networking.istio.io", "kind": "Hostname", "name": hostOf(service), "port": 80}}
	}
	route := newObject("gateway.networking.k8s.io/v1", "GRPCRoute", "echo", object{
		"parentRefs": []object{{"group": "networking.istio.io", "kind": "ServiceEntry", "name": "echo"}},
		"rules": []object{
			{"matches": []object{{"method": object{"service": "e.E", "method": "Get"}}}, "backendRefs": backend("echo")},
			{"matches": []object{{"method": object{"service": "e.E"}}}, "backendRefs": backend("second")},
			{"backendRefs": backend("echo")},
		}})
	all := m.versions()
	m.apply([]object{serviceEntry("echo", all[:2]), serviceEntry("second", all[2:]), route})
	for order, version := range map[string]string{"/e.E/Get": "v1", "/e.E/Set": "v2", "/e.Else/Set": "v1", "/f.F/Get": "v1"} {
		if err := m.reaches(c, "call "+order, version); err != nil {
			return err
		}
	}
	return nil
}

func tryFaults(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	const delay = 300 * time.Millisecond
	always := object{"value": 100}
	m.serve(
		object{"match": []object{{"uri": object{"prefix": "/abort/"}}}, "route": to("echo", "v1"),
			"fault": object{"abort": object{"grpcStatus": "RESOURCE_EXHAUSTED", "percentage": always}}},
		object{"match": []object{{"uri": object{"prefix": "/delay/"}}}, "route": to("echo", "v2"),
			"fault": object{"delay": object{"fixedDelay": delay.String(), "percentage": always}}},
		object{"route": to("echo", "v1")})
	if err := m.reaches(c, "call /delay/Call", "v2"); err != nil {
		return err
	}
	began := time.Now()
	if _, err := c.make("call /delay/Call"); err != nil || time.Since(began) < delay {
		return fmt.Errorf("an RPC is not delayed: %v, after %v", err, time.Since(began))
	}
	if err := fails(c, "call /abort/Call", "8 "); err != nil {
		return err
	}
	return m.reaches(c, "call /echo.Echo/Call", "v1")
}

func tryTimeouts(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	m.serve(object{"match": []object{{"uri": object{"prefix": "/timed/"}}}, "route": to("echo", "v2"),
		"timeout": "0.2s"}, object{"route": to("echo", "v1")})
	if err := m.reaches(c, "call /timed/Call", "v2"); err != nil {
		return err
	}
	began := time.Now()
	if err := fails(c, "call /timed/Slow", "4 "); err != nil {
		return err
	}
	if time.Since(began) > slowCall {
		return errors.New("an RPC ends later than its route allows")
	}
	if reply, err := c.make("call /free/Slow"); err != nil {
		return fmt.Errorf("an RPC without a timeout ends: %s, %w", reply, err)
	}
	return nil
}

func tryRetries(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	m.serve(object{"match": []object{{"uri": object{"prefix": "/retried/"}}}, "route": to("echo", "v2"),
		"retries": object{"attempts": 3, "retryOn": "unavailable"}}, object{"route": to("echo", "v1"),
		"retries": object{"attempts": 0}})
	if err := m.reaches(c, "call /retried/Call", "v2"); err != nil {
		return err
	}
	if err := m.reaches(c, "call /retried/Call fail-attempts=3", "v2"); err != nil {
		return err
	}
	if err := fails(c, "call /retried/Call fail-attempts=4", "14 as the call asks for"); err != nil {
		return err
	}
	return fails(c, "call /once/Call fail-attempts=1", "14 as the call asks for")
}

func tryHash(m *mesh) error {
	c, err := m.newClient("echo")
	if err != nil {
		return err
	}
	defer c.stop()
	policy := object{"loadBalancer": object{"consistentHash": object{"httpHeaderName": "x-user",
		"ringHash": object{"minimumRingSize": 1024}}}}
	m.apply([]object{serviceEntry("echo", m.versions()), destinationRule("echo", policy)})
	var last string
	err = eventually(func() (bool, error) {
		last = hashes(c)
		return last == "", nil
	})
	if err != nil {
		return errors.New(last)
	}
	return nil
}

// hashes returns an error unless each of 40 users has one backend, and together they have four.
func hashes(c program) string {
	seen := map[string]bool{}
	for user := range 40 {
		order := fmt.Sprintf("call /echo.Echo/Call x-user=%d", user)
		first, err := c.make(order)
		for range 5 {
			if again, next := c.make(order); err != nil || next != nil || again != first {
				return fmt.Sprintf("a user who had %q (%v) has %q (%v)", first, err, again, next)
			}
		}
		seen[first] = true
	}
	if len(seen) != 4 {
		return fmt.Sprintf("40 users reach %d of 4 backends", len(seen))
	}
	return ""
}

func tryMutualTLS(m *mesh) error {
	a := m.identity
	certificates, err := os.MkdirTemp(m.dir, "client")
	if err != nil {
		return err
	}
	if err := a.write(certificates, "client"); err != nil {
		return err
	}
	c, err := m.newClientBy(m.bootstrap(m.grpc, m.features, certificates), "echo", "impostor")
	if err != nil {
		return err
	}
	defer c.stop()
	config, err := a.server("echo")
	if err != nil {
		return err
	}
	port, err := startTLSBackend(config)
	if err != nil {
		return err
	}
	mutual := object{"tls": object{"mode": "ISTIO_MUTUAL"}}
	right := workload{port: port, version: "v1", account: "echo"}
	wrong := workload{port: port, version: "v1", account: "someone"} // the backend has no certificate for this account
	m.apply([]object{serviceEntry("echo", []workload{right}), destinationRule("echo", mutual),
		serviceEntry("impostor", []workload{wrong}), destinationRule("impostor", mutual)})
	if err := usesAll(c, "call /echo.Echo/Call", []workload{right}); err != nil {
		return err
	}
	if err := fails(c, "on 1 /echo.Echo/Call", "14 "); err != nil {
		return err
	}
	return usesAll(c, "call /echo.Echo/Call", []workload{right})
}

// tryToken connects to the secure port, without an agent.
func tryToken(m *mesh) error {
	stranger, err := startIssuer()
	if err != nil {
		return err
	}
	defer stranger.stop()
	stranger.url = m.tokens.url // the issuer that its tokens name
	m.serve(object{"route": to("echo", "v2")})
	for _, try := range []struct {
		issuer    *issuer
		namespace string
		refused   string
	}{
		{m.tokens, istioNamespace, ""},
		{m.tokens, "other", "PERMISSION_DENIED"},
		{stranger, istioNamespace, "UNAUTHENTICATED"},
	} {
		token, err := try.issuer.token(try.namespace, "client")
		if err != nil {
			return err
		}
		if err := os.WriteFile(m.path("token"), []byte(token), 0o600); err != nil {
			return err
		}
		if err := m.tryToken(try.refused); err != nil {
			return err
		}
	}
	return nil
}

// tryToken runs a client with the token in the file. refused is the status that ends its stream. If it is empty, the
// stream continues.
func (m *mesh) tryToken(refused string) error {
	c, err := m.newClientBy(m.tokenBootstrap(m.path("token")), "echo")
	if err != nil {
		return err
	}
	defer c.stop()
	if refused == "" {
		return m.reaches(c, "call /echo.Echo/Call", "v2")
	}
	if err := fails(c, "call /echo.Echo/Call", "14 "); err != nil {
		return err
	}
	if _, err := c.make("call /echo.Echo/Call"); err == nil || !strings.Contains(err.Error(), refused) {
		return fmt.Errorf("a token to be refused with %s: %v", refused, err)
	}
	return nil
}
