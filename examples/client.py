# Python's gRPC, on the distribution's shared library with the plugin (docs/python.md):
#
#   PYTHONPATH=/usr/lib/grpc-xds/python3 python3 client.py xds:///greeter.example /demo.Greeter/Hello
#
# (The module of python3-grpcio itself carries a copy of gRPC's C-core: LD_PRELOAD does not reach it.)
import sys

import grpc

if len(sys.argv) != 3:
    sys.exit('usage: client.py TARGET METHOD')
target, method = sys.argv[1:]

with grpc.insecure_channel(target) as channel:
    try:
        print(channel.unary_unary(method)(b'', timeout=30).decode())
    except grpc.RpcError as e:
        sys.exit(f'RPC failed: {e.details()}')
