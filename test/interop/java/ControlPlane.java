import static io.envoyproxy.controlplane.cache.Resources.V3.CLUSTER_TYPE_URL;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.DiscoveryServerCallbacks;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A control plane on java-control-plane's simple cache and server, which the driver controls. The argument is its
 * loopback port. It prints "listening" when it listens. Lines on standard input are orders. "set VERSION BASE64"
 * serves a DiscoveryResponse with the resources of all types from now on, and prints "done". "nacks" prints the number
 * of NACKs. "asked" prints the names of the clusters to which a delta stream has subscribed.
 */
class ControlPlane implements DiscoveryServerCallbacks {
  final SimpleCache<String> cache = new SimpleCache<>(node -> "all");
  final Set<String> asked = new TreeSet<>();
  int nacks;

  @Override
  public void onStreamOpen(long stream, String typeUrl) {
    asked.clear();
  }

  @Override
  public void onV3StreamRequest(long stream, DiscoveryRequest request) {
    if (request.hasErrorDetail()) nacks++;
  }

  @Override
  public void onV3StreamDeltaRequest(long stream, DeltaDiscoveryRequest request) {
    if (request.hasErrorDetail()) nacks++;
    if (!request.getTypeUrl().equals(CLUSTER_TYPE_URL)) return;
    asked.removeAll(request.getResourceNamesUnsubscribeList());
    asked.addAll(request.getResourceNamesSubscribeList());
  }

  static <T extends Message> List<T> all(DiscoveryResponse resources, Class<T> type)
      throws InvalidProtocolBufferException {
    List<T> out = new ArrayList<>();
    for (Any any : resources.getResourcesList()) {
      if (any.is(type)) out.add(any.unpack(type));
    }
    return out;
  }

  String obey(String[] order) throws InvalidProtocolBufferException {
    switch (order[0]) {
      case "nacks":
        return String.valueOf(nacks);
      case "asked":
        return String.join(" ", asked);
      default:
        var resources = DiscoveryResponse.parseFrom(Base64.getDecoder().decode(order[2]));
        cache.setSnapshot(
            "all",
            Snapshot.create(
                all(resources, Cluster.class),
                all(resources, ClusterLoadAssignment.class),
                all(resources, Listener.class),
                all(resources, RouteConfiguration.class),
                List.of(),
                order[1]));
        return "done";
    }
  }

  public static void main(String[] args) throws Exception {
    var plane = new ControlPlane();
    // One thread for requests and orders, because two threads could send responses out of the order of
    // their nonces.
    ExecutorService thread = Executors.newSingleThreadExecutor();
    NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
        .executor(thread)
        .addService(new V3DiscoveryServer(plane, plane.cache).getAggregatedDiscoveryServiceImpl())
        .build()
        .start();
    System.out.println("listening");
    for (Scanner orders = new Scanner(System.in); orders.hasNextLine(); ) {
      String[] order = orders.nextLine().split(" ");
      System.out.println(thread.submit(() -> plane.obey(order)).get());
    }
    System.exit(0);
  }
}
