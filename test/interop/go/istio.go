package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// An istio is Istio's unmodified control plane on an imitation of Kubernetes.
type istio struct {
	programs string // the folder of pilot-discovery and pilot-agent
	dir      string // its working folder
	cluster  *kubernetes
	tokens   *issuer    // whose tokens the secure port accepts
	identity *authority // signs all certificates
	process  *process
	grpc     string // the addresses it listens at
	secure   string
	http     string
	agents   int // so far
}

const istioNamespace = "default"

// Call stop() after startIstio, even if it fails.
func startIstio(programs string) (*istio, error) {
	dir, err := os.MkdirTemp("", "istio")
	if err != nil {
		return nil, err
	}
	i := &istio{programs: programs, dir: dir}
	if i.cluster, err = startKubernetes(); err != nil {
		return i, err
	}
	if i.tokens, err = startIssuer(); err != nil {
		return i, err
	}
	if i.identity, err = newAuthority(); err != nil {
		return i, err
	}
	if err := i.identity.write(i.dir, "istiod"); err != nil {
		return i, err
	}
	for _, address := range []*string{&i.grpc, &i.http, &i.secure} { // Istio does not report its ports
		if *address, err = reserveAddress(); err != nil {
			return i, err
		}
	}
	if err := os.WriteFile(i.path("mesh.yaml"), []byte("trustDomain: cluster.local\n"), 0o644); err != nil {
		return i, err
	}
	if err := os.WriteFile(i.path("kubeconfig"), []byte(i.cluster.kubeconfig()), 0o600); err != nil {
		return i, err
	}
	return i, i.start()
}

func (i *istio) path(name string) string { return filepath.Join(i.dir, name) }

func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

func (i *istio) start() error {
	var err error
	i.process, err = startProcess("pilot-discovery", []string{
		"ENABLE_CA_SERVER=false", "PILOT_CERT_PROVIDER=none", "POD_NAME=istiod", "POD_NAMESPACE=istio-system",
		"PILOT_DEBOUNCE_AFTER=10ms", "PILOT_ENABLE_AMBIENT=false", "JWT_RULE=" + i.tokens.rule(),
	}, filepath.Join(i.programs, "pilot-discovery"), "discovery", "--kubeconfig", i.path("kubeconfig"),
		"--clusterID", "Kubernetes", "--meshConfig", i.path("mesh.yaml"), "--networksConfig", "none",
		"--httpAddr", i.http, "--httpsAddr", "", "--grpcAddr", i.grpc, "--secureGRPCAddr", i.secure,
		"--tlsCertFile", i.path("cert-chain.pem"), "--tlsKeyFile", i.path("key.pem"), "--caCertFile", i.path("root-cert.pem"),
		"--monitoringAddr", "127.0.0.1:0", "--ctrlz_port", "0")
	if err != nil {
		return err
	}
	i.process.logLines("")
	err = eventually(func() (bool, error) {
		response, err := http.Get("http://" + i.http + "/ready")
		if err != nil {
			return false, nil
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK, nil
	})
	if err != nil {
		return fmt.Errorf("pilot-discovery: %w\n%s", err, i.process.logged())
	}
	return nil
}

// halt kills it, like a crash. It does not end when its standard input closes.
func (i *istio) halt() {
	if i.process == nil {
		return
	}
	i.process.cmd.Process.Signal(syscall.SIGKILL)
	i.process.stop()
}

func (i *istio) stop() {
	i.halt()
	if i.cluster != nil {
		i.cluster.stop()
	}
	if i.tokens != nil {
		i.tokens.stop()
	}
	os.RemoveAll(i.dir)
}

func networking(kind, name string, spec object) object {
	return newObject("networking.istio.io/v1", kind, name, spec)
}

// apply replaces all objects that it reads from the imitation.
func (i *istio) apply(objects []object) { i.cluster.set(objects) }

// hostOf returns the name that clients use for a service.
func hostOf(service string) string { return service + "." + istioNamespace + ".svc.cluster.local" }

func targetOf(service string) string { return "xds:///" + hostOf(service) + ":80" }

// A workload is a backend of a service.
type workload struct {
	port    int
	version string // its label
	account string // the service account of its certificate; empty: no certificate
}

func serviceEntry(service string, workloads []workload) object {
	var endpoints []object
	for _, w := range workloads {
		labels := object{"app": service, "version": w.version}
		if w.account != "" {
			labels["security.istio.io/tlsMode"] = "istio"
		}
		e := object{"address": "127.0.0.1", "ports": object{"grpc": w.port}, "labels": labels}
		if w.account != "" {
			e["serviceAccount"] = w.account
		}
		endpoints = append(endpoints, e)
	}
	return networking("ServiceEntry", service, object{
		"hosts": []string{hostOf(service)}, "location": "MESH_INTERNAL", "resolution": "STATIC",
		"ports":     []object{{"number": 80, "name": "grpc", "protocol": "GRPC"}},
		"endpoints": endpoints,
	})
}

// destinationRule has a subset for each version.
func destinationRule(service string, policy object, versions ...string) object {
	var subsets []object
	for _, v := range versions {
		subsets = append(subsets, object{"name": v, "labels": object{"version": v}})
	}
	spec := object{"host": hostOf(service)}
	if policy != nil {
		spec["trafficPolicy"] = policy
	}
	if subsets != nil {
		spec["subsets"] = subsets
	}
	return networking("DestinationRule", service, spec)
}

func virtualService(service string, routes ...object) object {
	return networking("VirtualService", service, object{"hosts": []string{hostOf(service)}, "http": routes})
}

// to is the destination of a route: all RPCs go to one subset.
func to(service, version string) []object {
	return []object{{"destination": object{"host": hostOf(service), "subset": version}}}
}

// bootstrap returns the bootstrap of a client in a pod. features: those of the server. certificates: their folder.
// Both may be empty.
func (i *istio) bootstrap(uri, features, certificates string) string {
	server := object{"server_uri": uri, "channel_creds": []object{{"type": "insecure"}}}
	if features != "" {
		server["server_features"] = []string{features}
	}
	all := i.bootstrapBy(server)
	if certificates != "" {
		all["certificate_providers"] = object{"default": object{"plugin_name": "file_watcher", "config": object{
			"certificate_file":    certificates + "/cert-chain.pem",
			"private_key_file":    certificates + "/key.pem",
			"ca_certificate_file": certificates + "/root-cert.pem"}}}
	}
	return all.text()
}

func (i *istio) bootstrapBy(server object) object {
	return object{"xds_servers": []object{server}, "node": object{
		"id":       "sidecar~127.0.0.1~client." + istioNamespace + "~" + istioNamespace + ".svc.cluster.local",
		"metadata": object{"GENERATOR": "grpc", "NAMESPACE": istioNamespace, "CLUSTER_ID": "Kubernetes"}}}
}

// tokenBootstrap returns the bootstrap of a client with a token in a file, and without an agent.
func (i *istio) tokenBootstrap(file string) string {
	return i.bootstrapBy(object{"server_uri": i.secure,
		"channel_creds": []object{{"type": "tls", "config": object{"ca_certificate_file": i.path("root-cert.pem")}}},
		"call_creds":    []object{{"type": "jwt_token_file", "config": object{"jwt_token_file": file}}}}).text()
}
