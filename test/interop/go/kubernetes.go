package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// An object is a Kubernetes object.
type object map[string]any

func (o object) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func newObject(apiVersion, kind, name string, spec object) object {
	return object{"apiVersion": apiVersion, "kind": kind, "spec": spec,
		"metadata": object{"name": name, "namespace": istioNamespace}}
}

// A collection is all objects of one resource, with their events.
type collection struct {
	group, version, kind string
	items                map[string]object
	events               []object // each event raised the version of the collection by one
}

// A kubernetes imitates the part of a cluster's API that Istio's control plane reads: it lists and watches objects
// that a test sets. It has no other objects, and clients cannot write.
type kubernetes struct {
	server      *http.Server
	listener    net.Listener
	mu          sync.Mutex
	changed     *sync.Cond
	ended       bool
	collections map[string]*collection // by the name of the resource
}

func startKubernetes() (*kubernetes, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &kubernetes{listener: listener, collections: map[string]*collection{
		"serviceentries":   {group: "networking.istio.io", version: "v1", kind: "ServiceEntry"},
		"destinationrules": {group: "networking.istio.io", version: "v1", kind: "DestinationRule"},
		"virtualservices":  {group: "networking.istio.io", version: "v1", kind: "VirtualService"},
		"grpcroutes":       {group: "gateway.networking.k8s.io", version: "v1", kind: "GRPCRoute"},
	}}
	k.changed = sync.NewCond(&k.mu)
	k.server = &http.Server{Handler: http.HandlerFunc(k.serve)}
	go k.server.Serve(listener)
	return k, nil
}

func (k *kubernetes) stop() {
	k.mu.Lock()
	k.ended = true
	k.changed.Broadcast()
	k.mu.Unlock()
	k.server.Close()
}

// kubeconfig returns the file with which programs connect to it.
func (k *kubernetes) kubeconfig() string {
	return `{"apiVersion":"v1","kind":"Config","current-context":"imitation",` +
		`"clusters":[{"name":"imitation","cluster":{"server":"http://` + k.listener.Addr().String() + `"}}],` +
		`"contexts":[{"name":"imitation","context":{"cluster":"imitation"}}]}`
}

// set replaces all objects with these.
func (k *kubernetes) set(objects []object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.collections {
		wanted := map[string]object{}
		for _, o := range objects {
			if o["kind"] == c.kind {
				wanted[o["metadata"].(object)["name"].(string)] = o
			}
		}
		c.set(wanted)
	}
	k.changed.Broadcast()
}

func (c *collection) set(wanted map[string]object) {
	if c.items == nil {
		c.items = map[string]object{}
	}
	for name, o := range c.items {
		if wanted[name] == nil {
			delete(c.items, name)
			c.tell("DELETED", o)
		}
	}
	for name, o := range wanted {
		was := c.items[name]
		c.items[name] = o
		if was == nil {
			c.tell("ADDED", o)
		} else if !reflect.DeepEqual(was["spec"], o["spec"]) {
			c.tell("MODIFIED", o)
		} else {
			c.items[name] = was
		}
	}
}

func (c *collection) tell(what string, o object) {
	meta := o["metadata"].(object)
	meta["uid"] = c.kind + "-" + meta["name"].(string)
	meta["resourceVersion"] = strconv.Itoa(len(c.events) + 2)
	copy := object{"apiVersion": o["apiVersion"], "kind": o["kind"], "spec": o["spec"], "metadata": object{}}
	for key, value := range meta {
		copy["metadata"].(object)[key] = value
	}
	c.events = append(c.events, object{"type": what, "object": copy})
}

func (k *kubernetes) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := path[len(path)-1]
	c := k.collections[resource]
	switch {
	case r.Method != http.MethodGet:
		refuse(w, http.StatusForbidden, "Forbidden")
	case r.URL.Path == "/version":
		answer(w, object{"major": "1", "minor": "34", "gitVersion": "v1.34.0"})
	case r.URL.Path == "/api":
		answer(w, object{"kind": "APIVersions", "versions": []string{"v1"}})
	case r.URL.Path == "/apis":
		answer(w, object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []object{}})
	case r.URL.Query().Get("sendInitialEvents") != "": // like Kubernetes before 1.27: clients list, then watch
		refuse(w, http.StatusUnprocessableEntity, "Invalid")
	case r.URL.Query().Get("watch") != "":
		k.watch(w, r, c)
	case resource == "customresourcedefinitions":
		answer(w, k.definitions())
	case c != nil && path[1] == c.group:
		answer(w, k.list(c))
	case isList(path):
		answer(w, emptyList(r, path))
	default:
		refuse(w, http.StatusNotFound, "NotFound")
	}
}

// watch sends the events after the client's version, as long as the client is connected.
func (k *kubernetes) watch(w http.ResponseWriter, r *http.Request, c *collection) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	if c == nil {
		<-r.Context().Done()
		return
	}
	go func() {
		<-r.Context().Done()
		k.mu.Lock()
		k.changed.Broadcast()
		k.mu.Unlock()
	}()
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	for next := max(version-1, 0); ; next++ {
		k.mu.Lock()
		for next >= len(c.events) && !k.ended && r.Context().Err() == nil {
			k.changed.Wait()
		}
		if k.ended || r.Context().Err() != nil {
			k.mu.Unlock()
			return
		}
		event := c.events[next]
		k.mu.Unlock()
		json.NewEncoder(w).Encode(event)
		w.(http.Flusher).Flush()
	}
}

func (k *kubernetes) list(c *collection) object {
	k.mu.Lock()
	defer k.mu.Unlock()
	items := []object{}
	for _, o := range c.items {
		items = append(items, o)
	}
	list := newList(c.group+"/"+c.version, c.kind+"List", items)
	list["metadata"] = object{"resourceVersion": strconv.Itoa(len(c.events) + 1)}
	return list
}

// definitions returns the definitions of the collections as metadata. Nobody requests more.
func (k *kubernetes) definitions() object {
	items := []object{}
	for resource, c := range k.collections {
		items = append(items, object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object{
			"name": resource + "." + c.group, "resourceVersion": "1",
			"annotations": object{"gateway.networking.k8s.io/bundle-version": "v1.4.0"}}})
	}
	return newList("meta.k8s.io/v1", "PartialObjectMetadataList", items)
}

func newList(version, kind string, items []object) object {
	return object{"kind": kind, "apiVersion": version, "metadata": object{"resourceVersion": "1"}, "items": items}
}

// isList returns whether a path names a list, as /api/v1/pods or /apis/GROUP/VERSION/RESOURCE, in a namespace or in
// all, and not a single object.
func isList(path []string) bool {
	rest := resourceOf(path)
	return len(rest) == 1 || (len(rest) == 3 && rest[0] == "namespaces")
}

func resourceOf(path []string) []string {
	if path[0] == "api" && len(path) > 2 {
		return path[2:]
	}
	if path[0] == "apis" && len(path) > 3 {
		return path[3:]
	}
	return nil
}

// kindOf contains the kinds of other resources.
var kindOf = map[string]string{
	"configmaps": "ConfigMap", "endpointslices": "EndpointSlice", "endpoints": "Endpoints",
	"ingressclasses": "IngressClass", "ingresses": "Ingress", "leases": "Lease",
	"mutatingwebhookconfigurations": "MutatingWebhookConfiguration", "namespaces": "Namespace", "nodes": "Node",
	"pods": "Pod", "secrets": "Secret", "serviceaccounts": "ServiceAccount", "services": "Service",
	"validatingwebhookconfigurations": "ValidatingWebhookConfiguration",
}

func emptyList(r *http.Request, path []string) object {
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
		return newList("meta.k8s.io/v1", "PartialObjectMetadataList", []object{})
	}
	version := strings.Join(path[1:len(path)-len(resourceOf(path))], "/")
	return newList(version, fmt.Sprint(kindOf[path[len(path)-1]], "List"), []object{})
}

func answer(w http.ResponseWriter, what object) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(what)
}

func refuse(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code})
}
