package main

import (
	"fmt"
	"net"

	"google.golang.org/grpc"

	"grpc-xds/test/interop/raw"
)

// startBackend starts a server that answers every unary call with its port, and returns that.
func startBackend() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	server := grpc.NewServer(grpc.ForceServerCodec(raw.Codec{}), grpc.UnknownServiceHandler(
		func(_ any, stream grpc.ServerStream) error {
			var request []byte
			if err := stream.RecvMsg(&request); err != nil {
				return err
			}
			return stream.SendMsg([]byte(fmt.Sprint(port)))
		}))
	go server.Serve(listener)
	return port, nil
}
