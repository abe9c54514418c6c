package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	discoverypb "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/proto"
)

// A javaPlane is a program on java-control-plane's simple cache. It can avoid that cache's faults
// (test/interop/README.md): no resource is removed before the client could unsubscribe from it, and in delta a
// cluster is served only after the client has requested it.
type javaPlane struct {
	spared   *faulty // nil: avoids no faults
	at       string
	sequence int   // the version of snapshots
	current  truth // what the client must get
	next     truth // also with what the client must unsubscribe from
	served   truth // the last snapshot, without what the client must request first
	process  *process
	refused  int // NACKs of earlier processes
}

func startJavaPlane(t truth, spared *faulty) (*javaPlane, error) {
	p := &javaPlane{spared: spared}
	var err error
	if p.at, err = reserveAddress(); err != nil {
		return nil, err
	}
	p.current, p.next, p.served = t, t, t
	if err := p.start(); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// with returns a truth with the additional resources of another.
func (t truth) with(other truth) truth {
	all := truth{}
	for _, url := range typeURLs {
		all[url] = map[string]proto.Message{}
		maps.Copy(all[url], other[url])
		maps.Copy(all[url], t[url])
	}
	return all
}

func (p *javaPlane) set(t truth) error {
	before := p.served
	p.next = t
	if p.spared != nil {
		p.next = t.with(p.current)
	}
	p.current, p.served = t, p.next
	if p.spared.is(javaPlaneDelta) {
		p.served = p.next.with(nil)
		maps.DeleteFunc(p.served[resource.ClusterType], func(name string, _ proto.Message) bool {
			return before[resource.ClusterType][name] == nil
		})
	}
	if p.process == nil {
		return nil
	}
	return p.serveAll()
}

// serveAll serves the existing resources, and new ones after the client has requested them.
func (p *javaPlane) serveAll() error {
	if err := p.serve(); err != nil {
		return err
	}
	var names []string
	for name := range p.next[resource.ClusterType] {
		if p.served[resource.ClusterType][name] == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	err := eventually(func() (bool, error) {
		line, err := p.order("asked")
		all := strings.Fields(line)
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(all, name) }), err
	})
	if err == errNever {
		return fmt.Errorf("the client does not ask for the clusters %v", names)
	}
	if err != nil {
		return err
	}
	p.served = p.next
	return p.serve()
}

func (p *javaPlane) order(text string) (string, error) {
	if _, err := io.WriteString(p.process.stdin, text+"\n"); err != nil {
		return "", fmt.Errorf("java-control-plane: %w: %s", err, p.process.logged())
	}
	return p.process.line()
}

// serve gives the program a snapshot.
func (p *javaPlane) serve() error {
	p.sequence++
	all := &discoverypb.DiscoveryResponse{}
	for _, url := range typeURLs {
		for _, r := range p.served[url] {
			all.Resources = append(all.Resources, pack(r))
		}
	}
	bytes, err := proto.Marshal(all)
	if err != nil {
		return err
	}
	line, err := p.order(fmt.Sprintf("set %d %s", p.sequence, base64.StdEncoding.EncodeToString(bytes)))
	if err == nil && line != "done" {
		err = fmt.Errorf("java-control-plane: %s", line)
	}
	return err
}

func (p *javaPlane) start() error {
	var err error
	p.process, err = startProcess("java-control-plane", nil, "java", "-cp", filepath.Join(*javaPlaneJars, "*"),
		filepath.Join(*javaSources, "ControlPlane.java"), portOf(p.at))
	if err != nil {
		return err
	}
	if line, err := p.process.line(); err != nil || line != "listening" {
		return fmt.Errorf("java-control-plane does not start: %v %s %s", err, line, p.process.logged())
	}
	return p.serveAll()
}

func (p *javaPlane) restart(_ bool, meanwhile func() error) error {
	p.refused = p.nacks()
	p.stop()
	p.process = nil
	if err := meanwhile(); err != nil {
		return err
	}
	return p.start()
}

func (p *javaPlane) address() string { return p.at }

func (p *javaPlane) nacks() int {
	line, err := p.order("nacks")
	count, malformed := strconv.Atoi(line)
	if err != nil || malformed != nil {
		return 0
	}
	return p.refused + count
}

// load returns nothing, because java-control-plane accepts no load reports.
func (p *javaPlane) load(string) uint64 { return 0 }

func (p *javaPlane) stop() {
	if p.process != nil {
		p.process.cmd.Process.Kill()
		p.process.stop()
	}
}
