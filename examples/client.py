# An ordinary gRPC program. Run it with the module that uses the plugin (docs/python.md):
#
#   PYTHONPATH=/usr/lib/grpc-xds/python3 python3 client.py xds:///greeter.example /demo.Greeter/Hello
#
# The module of python3-grpcio contains its own copy of gRPC's C-core, so LD_PRELOAD has no effect on it.
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
