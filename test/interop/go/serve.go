package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
)

// A servePlane is `xds serve` on a folder of its own.
type servePlane struct {
	dir     string
	current truth
	process *process
	mu      sync.Mutex
	cond    *sync.Cond
	at      string
	restAt  string // the address for REST-JSON
	listens int    // how many addresses it listens at
	states  int    // the states of the folder that it accepted since the last start
	errors  []string
	nacked  []string // the clients' errors
	reports map[string]uint64
	ended   bool
}

func newServePlane() (*servePlane, error) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		return nil, err
	}
	s := &servePlane{dir: dir, reports: map[string]uint64{}}
	s.cond = sync.NewCond(&s.mu)
	if s.at, err = reserveAddress(); err == nil {
		s.restAt, err = reserveAddress()
	}
	return s, err
}

// startServePlane starts an `xds serve` that serves the truth.
func startServePlane(t truth) (*servePlane, error) {
	s, err := newServePlane()
	if err != nil {
		return nil, err
	}
	if err = s.set(t); err == nil {
		err = s.start()
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// event is one line of `xds serve --json`.
type event struct {
	Event  string
	Detail string
	Load   []struct {
		Cluster    string
		Successful uint64
	}
}

func (s *servePlane) follow(p *process) {
	for line := range p.lines {
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		s.mu.Lock()
		switch e.Event {
		case "listening":
			s.listens++
		case "resources":
			s.states++
		case "nack":
			s.nacked = append(s.nacked, e.Detail)
		case "error":
			s.errors = append(s.errors, line)
		case "load":
			for _, l := range e.Load {
				s.reports[l.Cluster] += l.Successful
			}
		}
		s.cond.Broadcast()
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.ended = s.ended || s.process == p // unless it was restarted meanwhile
	s.cond.Broadcast()
	s.mu.Unlock()
}

// await waits for a condition of the events. The caller holds the lock.
func (s *servePlane) await(what string, done func() bool) error {
	timer := time.AfterFunc(patience, s.cond.Broadcast)
	defer timer.Stop()
	for deadline := time.Now().Add(patience); !done(); s.cond.Wait() {
		if s.ended || len(s.errors) > 0 || time.Now().After(deadline) {
			return fmt.Errorf("xds serve: no %s: %s %s", what, strings.Join(s.errors, "\n"), s.process.logged())
		}
	}
	return nil
}

func (s *servePlane) start() error {
	p, err := startProcess("xds serve", nil, filepath.Join(*bin, "tools/xds"), "serve", s.dir, "--json",
		"--listen", s.at, "--rest", s.restAt, "--load-interval", fmt.Sprint(reportInterval.Seconds()))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process, s.listens, s.states, s.ended = p, 0, 0, false
	go s.follow(p)
	return s.await("address", func() bool { return s.listens == 2 && s.states > 0 })
}

func (s *servePlane) address() string { return s.at }

// write replaces the contents of the folder with the truth at once.
func (s *servePlane) write(t truth) error {
	var all []json.RawMessage
	for _, url := range typeURLs {
		for _, r := range t[url] {
			text, err := protojson.Marshal(pack(r))
			if err != nil {
				return err
			}
			all = append(all, text)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	hidden := filepath.Join(s.dir, ".next")
	if err := os.WriteFile(hidden, text, 0o644); err != nil {
		return err
	}
	return os.Rename(hidden, filepath.Join(s.dir, "resources.json"))
}

func (s *servePlane) set(t truth) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if same(s.current, t) {
		return nil // so there is no event of a new state
	}
	before := s.states
	if err := s.write(t); err != nil {
		return err
	}
	s.current = t
	if s.process == nil {
		return nil
	}
	return s.await("new state", func() bool { return s.states > before })
}

func (s *servePlane) restart(_ bool, meanwhile func() error) error {
	s.process.cmd.Process.Kill()
	s.process.stop()
	s.mu.Lock()
	s.process = nil
	s.mu.Unlock()
	if err := meanwhile(); err != nil {
		return err
	}
	return s.start()
}

func (s *servePlane) nacks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.nacked)
}

// refused returns whether a NACK contained that name.
func (s *servePlane) refused(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return haveWord(s.nacked, name)
}

func haveWord(texts []string, word string) bool {
	return slices.ContainsFunc(texts, regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).MatchString)
}

func (s *servePlane) load(cluster string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reports[cluster]
}

func (s *servePlane) stop() {
	if s.process != nil {
		s.process.cmd.Process.Kill()
		s.process.stop()
	}
	os.RemoveAll(s.dir)
}
