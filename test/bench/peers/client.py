"""A program that uses grpcio's own xDS client: the current gRPC C-core. It takes the order "first METHOD" of
test/bench/client.cc from a named pipe.

usage: client.py PIPE TARGET..., or client.py --version"""

import sys
import time

import grpc

HOUR_MS = 3600 * 1000
OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    # An endpoint that refused a connection is not retried, since reconnecting is not measured.
    ("grpc.initial_reconnect_backoff_ms", HOUR_MS),
    ("grpc.max_reconnect_backoff_ms", HOUR_MS),
]


def first(target, method):
    start = time.monotonic_ns()
    channel = grpc.insecure_channel(target, OPTIONS)
    try:
        channel.unary_unary(method)(b"request", wait_for_ready=True)
    except grpc.RpcError as error:
        print(error, file=sys.stderr)
        return channel, -1
    return channel, time.monotonic_ns() - start


def main():
    if sys.argv[1] == "--version":
        print(grpc.__version__)
        return
    channels = []  # held open
    with open(sys.argv[1], encoding="ascii") as orders:
        for order in orders:
            channel, nanoseconds = first(sys.argv[2], order.split()[1])
            channels.append(channel)
            print("first", nanoseconds, flush=True)


main()
