package main

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"google.golang.org/protobuf/proto"
)

// The limit of every wait, on a loaded machine too.
var patience = 60 * time.Second

// A process is a child that writes lines. It ends with its standard input, or with the driver.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
	mu    sync.Mutex
	log   []string // the last lines of its log, which is its standard error

	notice  string // all log lines with this text are kept
	noticed []string
}

func startProcess(name string, env []string, argv ...string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(argv[0], argv[1:]...), lines: make(chan string, 1<<16)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		reader := bufio.NewReader(stdout)
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				close(p.lines)
				return
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	go func() {
		scanner := bufio.NewScanner(stderr)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.keep(scanner.Text())
		}
	}()
	return p, nil
}

func (p *process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.notice != "" && strings.Contains(line, p.notice) {
		p.noticed = append(p.noticed, line)
	}
	p.log = append(p.log, line)
	if len(p.log) > 40 {
		p.log = p.log[1:]
	}
}

// keepAll keeps all lines of its log that contain a text.
func (p *process) keepAll(notice string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notice = notice
}

// logLines treats the output lines as part of the log, and keeps all that contain a text.
func (p *process) logLines(notice string) {
	p.keepAll(notice)
	go func() {
		for line := range p.lines {
			p.keep(line)
		}
	}()
}

// line returns the next line of the child.
func (p *process) line() (string, error) {
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", fmt.Errorf("%s ended", p.name)
		}
		return line, nil
	case <-time.After(patience):
		return "", fmt.Errorf("%s says nothing", p.name)
	}
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.log, "\n")
}

// stop ends the child by closing its input, or by force.
func (p *process) stop() {
	p.stdin.Close()
	ended := make(chan struct{})
	go func() { p.cmd.Wait(); close(ended) }()
	go func() {
		for range p.lines {
		}
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-ended
	}
}

// A client is the other side of a pairing.
type client interface {
	// call makes an RPC and returns the reply, the name of the backend. An order is a path, and KEY=VALUE of
	// metadata, which only some clients support.
	call(order string) (string, error)
	// dump returns what the xDS client holds.
	dump() (*statuspb.ClientConfig, error)
	logged() string
	stop()
}

// A program makes RPCs and dumps what its xDS client holds, by orders.
type program struct{ *process }

func (c program) order(text string) (string, error) {
	if _, err := io.WriteString(c.stdin, text+"\n"); err != nil {
		return "", fmt.Errorf("%s: %w", c.name, err)
	}
	return c.line()
}

func (c program) call(order string) (string, error) {
	return c.make("call " + strings.TrimSpace(order))
}

// make makes an RPC with one of the orders for RPCs.
func (c program) make(order string) (string, error) {
	line, err := c.order(order)
	if err != nil {
		return "", err
	}
	if reply, ok := strings.CutPrefix(line, "ok "); ok {
		return reply, nil
	}
	return "", errors.New(line)
}

func (c program) dump() (*statuspb.ClientConfig, error) {
	line, err := c.order("dump")
	if err != nil {
		return nil, err
	}
	word, text, _ := strings.Cut(line, " ")
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || (word != "config" && word != "response") {
		return nil, fmt.Errorf("%s: not a dump: %.80s", c.name, line)
	}
	if word == "config" {
		config := &statuspb.ClientConfig{}
		return config, proto.Unmarshal(bytes, config)
	}
	response := &statuspb.ClientStatusResponse{}
	if err := proto.Unmarshal(bytes, response); err != nil {
		return nil, err
	}
	merged := &statuspb.ClientConfig{}
	for _, config := range response.GetConfig() {
		merged.GenericXdsConfigs = append(merged.GenericXdsConfigs, config.GetGenericXdsConfigs()...)
	}
	return merged, nil
}
