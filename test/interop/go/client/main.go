// A program that uses grpc-go's own xDS client, which the driver controls. It takes the same orders as
// test/interop/client.cc, but answers "dump" with "response BASE64", a ClientStatusResponse.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"time"

	statuspb "github.com/envoyproxy/go-control-plane/envoy/service/status/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/xds"
	"google.golang.org/grpc/xds/csds"
	"google.golang.org/protobuf/proto"

	"grpc-xds/test/interop/raw"
)

// A call during a change may wait for the change.
const deadline = 5 * time.Second

func call(channel *grpc.ClientConn, path string) string {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	var reply []byte
	err := channel.Invoke(ctx, path, []byte{}, &reply, grpc.ForceCodec(raw.Codec{}))
	if err != nil {
		return "failed " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return "ok " + string(reply)
}

func dump(server *csds.ClientStatusDiscoveryServer) string {
	response, err := server.FetchClientStatus(context.Background(), &statuspb.ClientStatusRequest{})
	if err != nil {
		return "failed " + err.Error()
	}
	bytes, err := proto.Marshal(response)
	if err != nil {
		return "failed " + err.Error()
	}
	return "response " + base64.StdEncoding.EncodeToString(bytes)
}

func main() {
	channel, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	channel.Connect()
	status, err := csds.NewClientStatusDiscoveryServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		if path, isCall := strings.CutPrefix(orders.Text(), "call "); isCall {
			fmt.Println(call(channel, path))
		} else {
			fmt.Println(dump(status))
		}
	}
}
