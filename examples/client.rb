# Ruby's gRPC of the distribution is the shared library: preload libgrpc_xds.so into it.
#
#   LD_PRELOAD=libgrpc_xds.so ruby client.rb xds:///greeter.example /demo.Greeter/Hello
#
# (Python's, python3-grpcio, carries a copy of gRPC's C-core of its own: see client.py.)
require 'grpc'

target, method = ARGV
abort 'usage: client.rb TARGET METHOD' unless method

stub = GRPC::ClientStub.new(target, :this_channel_is_insecure)
bytes = ->(b) { b }
begin
  puts stub.request_response(method, '', bytes, bytes, deadline: Time.now + 30)
rescue GRPC::BadStatus => e
  abort "RPC failed: #{e.details}"
end
