import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.xds.CsdsService;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;

/**
 * A program that uses grpc-java's own xDS client, which the driver controls. It takes the same orders as
 * test/interop/client.cc, but answers "dump" with "response BASE64", a ClientStatusResponse.
 */
class Client {
  /** A call during a change may wait for the change. */
  static final int DEADLINE_S = 5;

  static final MethodDescriptor.Marshaller<byte[]> RAW =
      new MethodDescriptor.Marshaller<>() {
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        }
      };

  static final String STATUS = "envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus";

  static byte[] unary(ManagedChannel channel, String name) {
    var method =
        MethodDescriptor.newBuilder(RAW, RAW)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(name)
            .build();
    var options = CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_S, TimeUnit.SECONDS);
    return ClientCalls.blockingUnaryCall(channel, method, options, new byte[0]);
  }

  static String answer(ManagedChannel channel, ManagedChannel status, String order) {
    try {
      return order.startsWith("call /")
          ? "ok " + new String(unary(channel, order.substring("call /".length())))
          : "response " + Base64.getEncoder().encodeToString(unary(status, STATUS));
    } catch (StatusRuntimeException e) {
      return "failed " + e.getStatus().toString().replace('\n', ' ');
    }
  }

  public static void main(String[] args) throws IOException {
    // The dump is available only from the service, so this program serves it and calls it.
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(CsdsService.newInstance())
            .build()
            .start();
    var insecure = InsecureChannelCredentials.create();
    ManagedChannel status = Grpc.newChannelBuilder("127.0.0.1:" + server.getPort(), insecure).build();
    ManagedChannel channel = Grpc.newChannelBuilder(args[0], insecure).build();
    channel.getState(true);
    for (Scanner orders = new Scanner(System.in); orders.hasNextLine(); ) {
      System.out.println(answer(channel, status, orders.nextLine()));
    }
    System.exit(0);
  }
}
