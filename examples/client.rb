# An ordinary gRPC program. The distribution's gRPC for Ruby uses the shared library, so libgrpc_xds.so can be
# preloaded:
#
#   LD_PRELOAD=libgrpc_xds.so ruby client.rb xds:///greeter.example /demo.Greeter/Hello
#
# The distribution's gRPC for Python contains its own copy of gRPC's C-core: see client.py.
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
