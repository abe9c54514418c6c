// A program that uses the npm package @grpc/grpc-js-xds, which the driver controls. It takes the same orders as
// test/interop/client.cc, but answers "dump" with "response BASE64", a ClientStatusResponse.
'use strict';
const grpc = require('@grpc/grpc-js');
const readline = require('readline');

require('@grpc/grpc-js-xds').register();

// A call during a change may wait for the change.
const DEADLINE_MS = 5000;

const raw = bytes => bytes;

// unary makes a call without arguments, and prints its result as one line.
function unary(channel, path, show, whenDone) {
  const deadline = Date.now() + DEADLINE_MS;
  channel.makeUnaryRequest(path, raw, raw, Buffer.alloc(0), {deadline}, (error, reply) => {
    whenDone(error ? `failed ${error.message.replaceAll('\n', ' ')}` : show(reply));
  });
}

// The dump is available only from the service that the package registers, so this program serves it and calls it.
function serveStatus(whenServed) {
  const server = new grpc.Server();
  grpc.addAdminServicesToServer(server);
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    whenServed(new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure()));
  });
}

const STATUS = '/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';

serveStatus(status => {
  const channel = new grpc.Client(process.argv[2], grpc.credentials.createInsecure());
  channel.getChannel().getConnectivityState(true);
  const say = line => process.stdout.write(line + '\n');
  readline.createInterface({input: process.stdin}).on('line', order => {
    if (order.startsWith('call ')) {
      unary(channel, order.slice('call '.length), reply => `ok ${reply}`, say);
    } else {
      unary(status, STATUS, reply => `response ${reply.toString('base64')}`, say);
    }
  }).on('close', () => process.exit());
});
