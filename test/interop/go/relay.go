package main

import (
	"io"
	"net"
	"time"
)

// A relay forwards connections to an address, with a delay for each byte, as over a long distance.
type relay struct {
	listener net.Listener
	to       string
	delay    time.Duration
}

func startRelay(to string, delay time.Duration) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener, to, delay}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go r.pass(from)
		}
	}()
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

// stop refuses new connections. Existing ones end when either end closes.
func (r *relay) stop() { r.listener.Close() }

func (r *relay) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer to.Close()
	go r.copy(from, to)
	r.copy(to, from)
}

// copy closes both connections when one has ended.
func (r *relay) copy(to io.WriteCloser, from io.ReadCloser) {
	defer to.Close()
	defer from.Close()
	type piece struct {
		bytes []byte
		at    time.Time
	}
	pieces := make(chan piece, 1<<10)
	go func() {
		defer close(pieces)
		for {
			bytes := make([]byte, 1<<16)
			n, err := from.Read(bytes)
			if n > 0 {
				pieces <- piece{bytes[:n], time.Now().Add(r.delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.at))
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	from.Close()
	for range pieces {
	}
}
