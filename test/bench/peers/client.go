// A program that uses grpc-go's own xDS client. It takes the order "first METHOD" of test/bench/client.cc from a named
// pipe.
//
// usage: client PIPE TARGET..., or client --version
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/xds"
)

// raw is the codec for messages that are already bytes.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (raw) Unmarshal(bytes []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), bytes...)
	return nil
}
func (raw) Name() string { return "raw" }

// first creates a channel and makes calls until one succeeds. It returns the channel and the nanoseconds, or -1.
func first(target, method string) (*grpc.ClientConn, int64) {
	start := time.Now()
	// An endpoint that refused a connection is not retried, since reconnecting is not measured.
	patient := grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: time.Hour, Multiplier: 1, MaxDelay: time.Hour},
		MinConnectTimeout: 20 * time.Second,
	}
	channel, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(patient))
	if err == nil {
		var reply []byte
		err = channel.Invoke(context.Background(), method, []byte("request"), &reply, grpc.ForceCodec(raw{}),
			grpc.WaitForReady(true))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return channel, -1
	}
	return channel, time.Since(start).Nanoseconds()
}

func main() {
	if os.Args[1] == "--version" {
		fmt.Println(grpc.Version)
		return
	}
	pipe, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var channels []*grpc.ClientConn // held open
	for orders := bufio.NewScanner(pipe); orders.Scan(); {
		channel, nanoseconds := first(os.Args[2], strings.Fields(orders.Text())[1])
		channels = append(channels, channel)
		fmt.Println("first", nanoseconds)
	}
	_ = channels
}
