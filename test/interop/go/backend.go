package main

import (
	"crypto/tls"
	"net"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"grpc-xds/test/interop/raw"
)

// The time that a call of a method Slow takes, unless it is cancelled.
const slowCall = 4 * time.Second

// startBackend starts a server that answers every unary call with its port, and returns the port. The metadata
// "fail-attempts" makes it fail that many attempts of a call.
func startBackend(options ...grpc.ServerOption) (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	server := grpc.NewServer(append(options, grpc.ForceServerCodec(raw.Codec{}), grpc.UnknownServiceHandler(
		func(_ any, stream grpc.ServerStream) error {
			var request []byte
			if err := stream.RecvMsg(&request); err != nil {
				return err
			}
			if err := obey(stream); err != nil {
				return err
			}
			return stream.SendMsg([]byte(replyTo(stream, port)))
		}))...)
	go server.Serve(listener)
	return port, nil
}

func startTLSBackend(config *tls.Config) (int, error) {
	return startBackend(grpc.Creds(credentials.NewTLS(config)))
}

// replyTo returns the port, or, for a method Authority, the :authority of the call.
func replyTo(stream grpc.ServerStream, port int) string {
	sent, _ := metadata.FromIncomingContext(stream.Context())
	if method, _ := grpc.MethodFromServerStream(stream); strings.HasSuffix(method, "/Authority") {
		return strings.Join(sent.Get(":authority"), " ")
	}
	return strconv.Itoa(port)
}

// obey carries out the requests in the call's metadata.
func obey(stream grpc.ServerStream) error {
	sent, _ := metadata.FromIncomingContext(stream.Context())
	if number(sent, "grpc-previous-rpc-attempts") < number(sent, "fail-attempts") {
		return status.Error(codes.Unavailable, "as the call asks for")
	}
	if method, _ := grpc.MethodFromServerStream(stream); strings.HasSuffix(method, "/Slow") {
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-time.After(slowCall):
		}
	}
	return nil
}

func number(sent metadata.MD, key string) int {
	n := 0
	for _, text := range sent.Get(key) {
		n, _ = strconv.Atoi(text)
	}
	return n
}
