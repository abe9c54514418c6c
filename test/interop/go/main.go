// The driver of `make interop`: starts the processes of each pairing of a client and a control plane, one of
// which is not of this project, drives both through one sequence of changes, and compares what they hold.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

var (
	bin           = flag.String("bin", "bazel-bin", "where Bazel put what it built")
	js            = flag.String("js", "", "where npm installed what test/interop/js needs; empty: nowhere")
	envoyProgram  = flag.String("envoy", "", "an Envoy; empty: none")
	grpcio        = flag.String("grpcio", "", "a client.py that finds grpcio; empty: none")
	grpcJava      = flag.String("grpc-java", "", "where the jars of grpc-java are; empty: nowhere")
	javaPlaneJars = flag.String("java-control-plane", "", "where the jars of java-control-plane are; empty: nowhere")
	javaSources   = flag.String("java", "", "where the programs in Java are")
	seed          = flag.Uint64("seed", 1, "of the changes")
	changes       = flag.Int("changes", 500, "how many, in each pairing that makes changes")
	only          = flag.String("only", "", "part of a pairing's name: run such ones")
	quick         = flag.Bool("quick", false, "only the pairings of go-control-plane and Envoy, some at once")
	verbose       = flag.Bool("verbose", false, "print every change")
	programs      = flag.String("istio", "", "where pilot-discovery and pilot-agent are: the pairings are those with Istio")
	meet          = flag.Bool("meet-faults", false, "let those who have faults meet what they get wrong: test/interop/README.md")
)

// A kind is a named pairing. Its run returns an error.
type kind struct {
	name       string
	run        func(k kind) error
	missing    string  // a program that it needs
	faulty     *faulty // or nil
	apart      bool    // see pairing
	rest       bool    // this project's client uses REST
	unreported bool    // see pairing
	quick      bool
	made       *int // the changes that its run made; set before the run
}

func kinds() []kind {
	var all []kind
	for _, caching := range []string{"snapshot", "linear", "mux"} {
		for _, feature := range []string{"", "delta"} {
			way := "state of the world"
			if feature != "" {
				way = "delta"
			}
			all = append(all, kind{
				name:  fmt.Sprintf("go-control-plane, %s cache, %s", caching, way),
				run:   func(k kind) error { return runOnGoPlane(k, caching, feature) },
				apart: feature == "delta",
				quick: true,
			})
		}
	}
	all = append(all, kind{
		name:       "go-control-plane, snapshot cache, REST",
		run:        func(k kind) error { return runOnGoPlane(k, "snapshot", "rest") },
		rest:       true,
		unreported: true,
		quick:      true,
	}, ofJavaPlane("state of the world", "", javaPlaneSotw),
		ofJavaPlane("delta", "delta", javaPlaneDelta),
		ofFallback("state of the world"), ofFallback("delta", "delta"))
	all = append(all,
		kind{name: "xds serve, grpc-go, state of the world",
			run: func(k kind) error { return runOnServe(k, goClient()) }},
		ofGrpcJS(), ofGrpcio(), ofGrpcJava())
	for _, y := range envoyWays {
		k := kind{name: "xds serve, Envoy, " + y.name, quick: true,
			run: func(k kind) error { return runEnvoy(k, y) }}
		if *envoyProgram == "" {
			k.missing = "Envoy"
		}
		all = append(all, k)
	}
	return append(all, newerKinds()...)
}

func goClient() string { return filepath.Join(filepath.Dir(os.Args[0]), "client") }

func ofGrpcJS() kind {
	k := kind{name: "xds serve, grpc-js, state of the world",
		run: func(k kind) error { return runOnServe(k, "node", filepath.Join(*js, "client.js")) }}
	if *js == "" {
		k.missing = "node and npm"
	}
	if !*meet {
		k.faulty = &faulty{of: grpcJS}
	}
	return k
}

// ofGrpcio are the pairings with the current gRPC C-core, in its Python binding.
func ofGrpcio() kind {
	k := kind{name: "xds serve, grpcio, state of the world",
		run: func(k kind) error { return runOnServe(k, "python3", *grpcio) }}
	if *grpcio == "" {
		k.missing = "grpcio"
	}
	return k
}

func ofGrpcJava() kind {
	k := kind{name: "xds serve, grpc-java, state of the world",
		run: func(k kind) error {
			return runOnServe(k, "java", "-cp", filepath.Join(*grpcJava, "*"), filepath.Join(*javaSources, "Client.java"))
		}}
	if *grpcJava == "" {
		k.missing = "grpc-java"
	}
	if !*meet {
		k.faulty = &faulty{of: grpcJavaClient}
	}
	return k
}

func ofJavaPlane(way, feature string, of peer) kind {
	k := kind{name: "java-control-plane, simple cache, " + way, unreported: true,
		run: func(k kind) error { return runOnJavaPlane(k, feature) }}
	if !*meet {
		k.faulty = &faulty{of: of}
	}
	if *javaPlaneJars == "" {
		k.missing = "java-control-plane"
	}
	return k
}

// The interval of polls of a REST server.
const refreshDelay = 100 * time.Millisecond

func bootstrap(address, feature string) string {
	if feature == "" {
		return bootstrapOf(nil, address)
	}
	return bootstrapOf([]string{feature}, address)
}

// bootstrapOf returns a bootstrap with servers in order of priority.
func bootstrapOf(features []string, addresses ...string) string {
	settings, scheme := "", ""
	if len(features) > 0 {
		settings = fmt.Sprintf(`,"server_features":["%s"]`, strings.Join(features, `","`))
	}
	if slices.Contains(features, "rest") {
		scheme = "http://"
		settings += fmt.Sprintf(`,"refresh_delay":"%.1fs"`, refreshDelay.Seconds())
	}
	var servers []string
	for _, address := range addresses {
		servers = append(servers,
			fmt.Sprintf(`{"server_uri":"%s%s","channel_creds":[{"type":"insecure"}]%s}`, scheme, address, settings))
	}
	return fmt.Sprintf(`{"xds_servers":[%s],`+
		`"node":{"id":"%s","cluster":"tests","locality":{"region":"r","zone":"z0","sub_zone":""}}}`,
		strings.Join(servers, ","), nodeID)
}

// newOwnClient starts this project's client, with the arguments of test/interop/client.cc.
func newOwnClient(bootstrap string, argv ...string) (program, error) {
	p, err := startProcess("the client", []string{
		"LD_PRELOAD=" + filepath.Join(*bin, "libgrpc_xds.so"),
		"GRPC_XDS_BOOTSTRAP_CONFIG=" + bootstrap,
		"GRPC_VERBOSITY=info",
	}, append([]string{filepath.Join(*bin, "test/interop/client")}, argv...)...)
	return program{p}, err
}

func runOnGoPlane(k kind, caching, feature string) error {
	plane, err := newGoPlane(caching, k.rest)
	if err != nil {
		return err
	}
	defer plane.stop()
	c, err := newOwnClient(bootstrap(plane.address(), feature), "xds:///"+service)
	if err != nil {
		return err
	}
	return k.drive(plane, c, newWorld(*seed, ports))
}

func runOnJavaPlane(k kind, feature string) error {
	w := newWorld(*seed, ports)
	w.faulty = k.faulty
	plane, err := startJavaPlane(w.truth(), w.faulty)
	if err != nil {
		return err
	}
	defer plane.stop()
	c, err := newOwnClient(bootstrap(plane.address(), feature), "xds:///"+service)
	if err != nil {
		return err
	}
	return k.drive(plane, c, w)
}

// runOnServe connects another project's client to `xds serve`.
func runOnServe(k kind, argv ...string) error {
	w := newWorld(*seed, ports)
	w.faulty = k.faulty
	plane, err := startServePlane(w.truth())
	if err != nil {
		return err
	}
	defer plane.stop()
	p, err := startProcess("the client", []string{
		"GRPC_XDS_BOOTSTRAP_CONFIG=" + bootstrap(plane.address(), ""),
		"GRPC_GO_LOG_SEVERITY_LEVEL=warning",
	}, append(argv, "xds:///"+service)...)
	if err != nil {
		return err
	}
	return k.drive(plane, program{p}, w)
}

// runEnvoy connects an Envoy to `xds serve`.
func runEnvoy(k kind, y way) error {
	port, err := reservePort()
	if err != nil {
		return err
	}
	w := newWorld(*seed, ports)
	w.envoy = &envoyNeeds{port: port, source: y.source()}
	plane, err := startServePlane(w.truth())
	if err != nil {
		return err
	}
	defer plane.stop()
	w.envoy.refused = plane.refused
	e, err := startEnvoy(*envoyProgram, plane, y, port)
	if err != nil {
		return err
	}
	if !y.rest() {
		return k.drive(plane, e, w)
	}
	w.envoy.refused = func(name string) bool { return haveWord(e.refusals(), name) }
	return k.drive(toldByLog{plane, e}, e, w)
}

// toldByLog is a control plane that counts the NACKs in an Envoy's log.
type toldByLog struct {
	*servePlane
	of *envoy
}

func (p toldByLog) nacks() int { return len(p.of.refusals()) }

// drive runs the changes on a control plane and a client, which it ends, through a world.
func (k kind) drive(plane controlPlane, c client, w *world) error {
	defer c.stop()
	p := &pairing{plane: plane, client: c, world: w, apart: k.apart, unreported: k.unreported, made: k.made, verbose: func(format string, args ...any) {
		if *verbose {
			fmt.Printf("  "+format+"\n", args...)
		}
	}}
	if err := p.run(*changes); err != nil {
		return fmt.Errorf("%w\n  last lines of the client:\n%s", err, c.logged())
	}
	return nil
}

var ports []int // of the backends

// A result is the result of a pairing.
type result struct {
	kind
	err  error
	took time.Duration
}

// results runs pairings, atOnce at a time, and returns their results in order of completion.
func results(chosen []kind, atOnce int) <-chan result {
	out := make(chan result)
	todo := make(chan kind)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for k := range todo {
				began := time.Now()
				k.made = new(int)
				var err error
				if k.missing == "" {
					err = k.run(k)
				}
				out <- result{k, err, time.Since(began)}
			}
		})
	}
	go func() {
		for _, k := range chosen {
			todo <- k
		}
		close(todo)
		workers.Wait()
		close(out)
	}()
	return out
}

func main() {
	flag.DurationVar(&patience, "patience", patience, "how long to wait for any one thing")
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
}

func run() error {
	for range 6 {
		port, err := startBackend()
		if err != nil {
			return err
		}
		ports = append(ports, port)
	}
	if *programs == "" {
		return runAll(kinds())
	}
	i, err := startIstio(*programs)
	if i != nil {
		defer i.stop()
	}
	if err != nil {
		return err
	}
	return runAll(istioKinds(i))
}

func runAll(kinds []kind) error {
	var chosen []kind
	for _, k := range kinds {
		if strings.Contains(k.name, *only) && (!*quick || k.quick) {
			chosen = append(chosen, k)
		}
	}
	atOnce := 1
	if *quick {
		atOnce = 3 // each waits most of the time
	}
	began := time.Now()
	ok, failed, skipped := 0, 0, 0
	made, changing := 0, 0
	for r := range results(chosen, atOnce) {
		if *r.made > 0 {
			made += *r.made
			changing++
		}
		switch {
		case r.missing != "":
			skipped++
			fmt.Printf("skipped  %s, for there is no %s\n", r.name, r.missing)
			continue
		case r.err != nil:
			failed++
			fmt.Printf("FAILED   %s (%.0f s): %v\n", r.name, r.took.Seconds(), r.err)
		default:
			ok++
			fmt.Printf("ok       %s (%.0f s)\n", r.name, r.took.Seconds())
		}
		if r.faulty != nil {
			fmt.Printf("         each change waited for, %d made otherwise, for faults of %s: test/interop/README.md\n",
				r.faulty.otherwise, r.faulty.of)
		}
	}
	fmt.Printf("%d pairings ok, %d failed, %d skipped, in %.0f s; seed %d, %d changes in %d pairings\n",
		ok, failed, skipped, time.Since(began).Seconds(), *seed, made, changing)
	if failed > 0 || ok == 0 {
		return errors.New("not all is well")
	}
	return nil
}
