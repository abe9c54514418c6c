package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A load makes RPCs to services, one after another, until it is stopped.
type load struct {
	client program
	mu     sync.Mutex // one order at a time
	ending chan struct{}
	ended  chan struct{}
	made   int
	failed []string
}

func startLoad(c program, services int) *load {
	l := &load{client: c, ending: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for i := 0; ; i++ {
			select {
			case <-l.ending:
				return
			default:
			}
			order := fmt.Sprintf("on %d /load.Load/Call x-user=%d", i%services, i)
			l.mu.Lock()
			_, err := c.make(order)
			l.mu.Unlock()
			l.made++
			if err != nil {
				l.failed = append(l.failed, order+": "+err.Error())
			}
		}
	}()
	return l
}

// stop ends the load. It returns an error if RPCs failed, with their number and the first failure.
func (l *load) stop() error {
	close(l.ending)
	<-l.ended
	if len(l.failed) > 0 {
		return fmt.Errorf("%d of %d RPCs failed, the first: %s", len(l.failed), l.made, l.failed[0])
	}
	return nil
}

// A meshService is a service of a changingMesh.
type meshService struct {
	name      string
	workloads []workload
	routes    []object // none: all RPCs go to all endpoints
	subsets   bool
	policy    object
}

// A changingMesh is a mesh made from a seed: services that clients use, and others.
type changingMesh struct {
	*mesh
	rng      *rand.Rand
	services []*meshService
	others   int
}

func newChangingMesh(m *mesh, services int) *changingMesh {
	w := &changingMesh{mesh: m, rng: rand.New(rand.NewPCG(*seed, 1))}
	for i := range services {
		s := &meshService{name: fmt.Sprintf("echo%d", i)}
		w.place(s)
		w.services = append(w.services, s)
	}
	return w
}

func (w *changingMesh) names() []string {
	var names []string
	for _, s := range w.services {
		names = append(names, s.name)
	}
	return names
}

// place gives a service at least one endpoint of each version.
func (w *changingMesh) place(s *meshService) {
	s.workloads = nil
	order := w.rng.Perm(len(w.backends))
	for i, k := range order[:2+w.rng.IntN(len(order)-1)] {
		s.workloads = append(s.workloads, workload{port: w.backends[k], version: fmt.Sprintf("v%d", i%2+1)})
	}
}

// change makes one change and describes it.
func (w *changingMesh) change() string {
	s := w.services[w.rng.IntN(len(w.services))]
	everything := []object{{"destination": object{"host": hostOf(s.name)}}}
	match := []object{{"headers": object{"x-user": object{"regex": fmt.Sprintf(".*%d", w.rng.IntN(10))}}}}
	switch w.rng.IntN(9) {
	case 0, 1:
		w.place(s)
		return "other endpoints of " + s.name
	case 2:
		percent := 10 + w.rng.IntN(81)
		s.subsets = true
		s.routes = []object{{"route": []object{
			{"destination": object{"host": hostOf(s.name), "subset": "v1"}, "weight": percent},
			{"destination": object{"host": hostOf(s.name), "subset": "v2"}, "weight": 100 - percent}}}}
		return "other weights of " + s.name
	case 3:
		s.subsets = true
		s.routes = []object{{"match": match, "route": to(s.name, "v2")}, {"route": everything}}
		return "another match of " + s.name
	case 4:
		s.routes = []object{{"route": everything, "timeout": fmt.Sprintf("%ds", 10+w.rng.IntN(20))}}
		return "another timeout of " + s.name
	case 5:
		s.routes = []object{{"route": everything, "retries": object{"attempts": w.rng.IntN(4), "retryOn": "unavailable"}}}
		return "other retries of " + s.name
	case 6:
		s.routes, s.subsets = nil, false
		return "no routes of " + s.name
	case 7:
		s.policy = []object{nil, {"loadBalancer": object{"simple": "LEAST_REQUEST"}},
			{"loadBalancer": object{"consistentHash": object{"httpHeaderName": "x-user", "ringHash": object{"minimumRingSize": 1024}}}},
		}[w.rng.IntN(3)]
		return "another policy of " + s.name
	default:
		w.others = w.rng.IntN(4)
		return fmt.Sprintf("%d other services", w.others)
	}
}

func (w *changingMesh) apply() {
	var all []object
	for _, s := range w.services {
		all = append(all, serviceEntry(s.name, s.workloads))
		if s.subsets {
			all = append(all, destinationRule(s.name, s.policy, "v1", "v2"))
		} else if s.policy != nil {
			all = append(all, destinationRule(s.name, s.policy))
		}
		if s.routes != nil {
			all = append(all, virtualService(s.name, s.routes...))
		}
	}
	for i := range w.others {
		all = append(all, serviceEntry(fmt.Sprintf("other%d", i), w.services[0].workloads))
	}
	w.mesh.apply(all)
}

// settle waits until RPCs to each service reach its current endpoints.
func (w *changingMesh) settle(l *load) error {
	for i, s := range w.services {
		user := 0
		var seen map[string]bool
		err := eventually(func() (bool, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			seen = map[string]bool{}
			for range 8 * len(s.workloads) {
				user++
				port, err := l.client.make(fmt.Sprintf("on %d /load.Load/Call x-user=%d", i, user))
				if err != nil || !isOf(s.workloads, "", port) {
					return false, err
				}
				seen[port] = true
			}
			return len(seen) == len(s.workloads), nil
		})
		if err != nil {
			return fmt.Errorf("%s: RPCs reach %v, but the endpoints are %v: %w", s.name, seen, s.workloads, err)
		}
	}
	return nil
}

// drive makes the changes under load. During some of them the control plane is down.
func (w *changingMesh) drive(c program, count int, restarts bool) error {
	w.apply()
	for i := range w.services {
		if err := usesAll(c, fmt.Sprintf("on %d /load.Load/Call", i), w.services[i].workloads); err != nil {
			return err
		}
	}
	l := startLoad(c, len(w.services))
	err := w.drives(l, count, restarts)
	if failed := l.stop(); err == nil {
		err = failed
	}
	if *verbose {
		fmt.Printf("  %d changes under %d RPCs\n", count, l.made)
	}
	return err
}

func (w *changingMesh) drives(l *load, count int, restarts bool) error {
	for i := 1; i <= count; i++ {
		away := restarts && i%max(count/3, 1) == 0
		if away {
			w.halt()
		}
		what := w.change()
		if *verbose {
			fmt.Printf("  change %d: %s\n", i, what)
		}
		w.apply()
		*w.made = i
		var err error
		if away {
			err = w.start()
		}
		if err == nil && (away || i == count || w.rng.IntN(4) == 0) {
			err = w.settle(l)
		}
		if err != nil {
			return fmt.Errorf("change %d (%s): %w", i, what, err)
		}
	}
	return nil
}

func tryChanges(m *mesh) error {
	w := newChangingMesh(m, 3)
	c, err := m.newClient(w.names()...)
	if err != nil {
		return err
	}
	defer c.stop()
	if err := w.drive(c, *changes, true); err != nil {
		return fmt.Errorf("%w\n  last lines of the client:\n%s", err, c.logged())
	}
	return nil
}

// tryNewClusters adds routes to one new service after another while endpoints change, with a slow link between client
// and control plane: Istio ignores the names in a delta request with a stale nonce.
func tryNewClusters(m *mesh) error {
	const clusters, distance = 40, 50 * time.Millisecond
	far, err := startRelay(m.grpc, distance)
	if err != nil {
		return err
	}
	defer far.stop()
	c, err := m.newClientBy(m.bootstrap(far.address(), m.features, ""), "echo")
	if err != nil {
		return err
	}
	defer c.stop()
	p := &parts{mesh: m, rng: rand.New(rand.NewPCG(*seed, 2)), count: clusters}
	p.change()
	if err := m.reaches(c, "call /echo/Call", ""); err != nil {
		return err
	}
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ending:
				return
			case <-time.After(distance / 10):
				p.change()
			}
		}
	}()
	defer func() {
		close(ending)
		<-ended
	}()
	for range clusters {
		if err := m.reaches(c, fmt.Sprintf("call /%s/Call", p.add()), ""); err != nil {
			return err
		}
	}
	return nil
}

// The parts of a service are services too. Routes lead only to the first of them, because Istio in delta forgets a
// cluster that is requested before its service exists.
type parts struct {
	*mesh
	mu     sync.Mutex
	rng    *rand.Rand
	count  int
	routed int
}

func nameOfPart(i int) string { return fmt.Sprintf("part%d", i) }

// add adds a route to one more part, and returns its name.
func (p *parts) add() string {
	p.mu.Lock()
	name := nameOfPart(p.routed)
	p.routed++
	p.mu.Unlock()
	p.change()
	return name
}

// change gives all parts other endpoints.
func (p *parts) change() {
	p.mu.Lock()
	defer p.mu.Unlock()
	objects := []object{serviceEntry("echo", p.versions())}
	var routes []object
	for i := range p.count {
		name := nameOfPart(i)
		objects = append(objects, serviceEntry(name, p.versions()[p.rng.IntN(3):]))
		if i < p.routed {
			routes = append(routes, object{"match": []object{{"uri": object{"prefix": "/" + name + "/"}}},
				"route": []object{{"destination": object{"host": hostOf(name)}}}})
		}
	}
	/* An RPC to a part fails until its own route has arrived. */
	routes = append(routes, object{"match": []object{{"uri": object{"prefix": "/echo/"}}},
		"route": []object{{"destination": object{"host": hostOf("echo")}}}})
	p.apply(append(objects, virtualService("echo", routes...)))
}

// startAgent starts Istio's agent of a pod without Envoy, and returns the bootstrap for programs in the pod.
func (m *mesh) startAgent() (*process, string, error) {
	m.agents++
	status, err := reservePort()
	if err != nil {
		return nil, "", err
	}
	dir := m.path(fmt.Sprintf("pod%d", m.agents))
	certificates := filepath.Join(dir, "certificates")
	if err := os.MkdirAll(certificates, 0o755); err != nil {
		return nil, "", err
	}
	bootstrap := filepath.Join(dir, "grpc-bootstrap.json")
	agent := filepath.Join(m.programs, "pilot-agent")
	p, err := startProcess("pilot-agent", []string{
		"DISABLE_ENVOY=true", "ISTIO_META_GENERATOR=grpc", "ISTIO_META_CLUSTER_ID=Kubernetes",
		"POD_NAME=client", "POD_NAMESPACE=" + istioNamespace, "INSTANCE_IP=127.0.0.1", "SERVICE_ACCOUNT=client",
		"GRPC_XDS_BOOTSTRAP=" + bootstrap, "OUTPUT_CERTS=" + certificates, "FILE_MOUNTED_CERTS=true", "CA_PROVIDER=none",
		fmt.Sprintf(`PROXY_CONFIG={"discoveryAddress":"%s","controlPlaneAuthPolicy":"NONE","statusPort":%d}`,
			m.grpc, status),
	}, "/bin/sh", "-c", `cd "$1" && exec "$2" proxy sidecar --domain "$3"`, "sh", dir, agent,
		istioNamespace+".svc.cluster.local")
	if err != nil {
		return nil, "", err
	}
	p.logLines("closing previous") // the agent logs this for the older of two streams
	var text []byte
	err = eventually(func() (bool, error) {
		text, err = os.ReadFile(bootstrap)
		return err == nil && json.Valid(text), nil
	})
	if err != nil {
		return p, "", fmt.Errorf("pilot-agent: %w\n%s", err, p.logged())
	}
	/* In a pod the agent's working folder is the root. */
	return p, strings.ReplaceAll(string(text), "unix:///", "unix://"+dir+"/"), nil
}

// tryAgent connects one process with several targets through the agent, which keeps only one stream.
func tryAgent(m *mesh) error {
	w := newChangingMesh(m, 4)
	agent, bootstrap, err := m.startAgent()
	if agent != nil {
		defer func() {
			agent.cmd.Process.Signal(syscall.SIGKILL)
			agent.stop()
		}()
	}
	if err != nil {
		return err
	}
	c, err := m.newClientBy(bootstrap, w.names()...)
	if err != nil {
		return err
	}
	defer c.stop()
	if err := w.drive(c, *changes/4, false); err != nil {
		return fmt.Errorf("%w\n  last lines of the client:\n%s\n  of the agent:\n%s", err, c.logged(), agent.logged())
	}
	agent.mu.Lock()
	defer agent.mu.Unlock()
	if len(agent.noticed) > 0 {
		return fmt.Errorf("the agent closed %d streams for later ones", len(agent.noticed))
	}
	return nil
}
