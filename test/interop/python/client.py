"""A program that uses grpcio's own xDS client (the current gRPC C-core). The driver controls it. It takes the same
orders as test/interop/client.cc, but answers "dump" with "response BASE64", a ClientStatusResponse."""

import base64
import sys

import grpc
from grpc_csds import ClientStatusDiscoveryServiceServicer

# A call during a change may wait for the change.
DEADLINE_S = 5


def call(channel, path, *metadata):
    metadata = [tuple(pair.split("=", 1)) for pair in metadata]
    try:
        return "ok " + channel.unary_unary(path)(b"", timeout=DEADLINE_S, metadata=metadata).decode()
    except grpc.RpcError as error:
        return f"failed {error.code()} {error.details()}".replace("\n", " ")


def dump():
    response = ClientStatusDiscoveryServiceServicer.FetchClientStatus(None, None)
    return "response " + base64.b64encode(response.SerializeToString()).decode()


def main():
    channel = grpc.insecure_channel(sys.argv[1])
    channel.subscribe(lambda state: None, try_to_connect=True)
    for order in sys.stdin:
        word, *arguments = order.split()
        print(call(channel, *arguments) if word == "call" else dump(), flush=True)


main()
