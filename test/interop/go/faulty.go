package main

import "slices"

// A peer is one whose faults some changes are kept from.
type peer string

const (
	grpcJS         peer = "grpc-js"
	grpcJavaClient peer = "grpc-java"
	javaPlaneSotw  peer = "java-control-plane"
	javaPlaneDelta peer = "java-control-plane in delta"
)

// A faulty peer is spared what it gets wrong (test/interop/README.md says what, and why it is its fault). The
// changes are the same, drawn from the same numbers, but for these. A nil one stands for peers without
// faults, which are spared nothing.
type faulty struct {
	of        peer
	otherwise int // changes that were made otherwise
}

func (f *faulty) is(peers ...peer) bool { return f != nil && slices.Contains(peers, f.of) }

// present is a state in which the resource is there, for one who may be asked for nothing else.
func (f *faulty) present(s health) health {
	if s == missing && f.is(javaPlaneSotw, javaPlaneDelta) {
		f.otherwise++
		return broken
	}
	return s
}

// keepsEndpoints is whether a cluster that is to be refused has its endpoints still, for a client that holds an earlier
// version of it.
func (f *faulty) keepsEndpoints() bool { return f.is(javaPlaneSotw, javaPlaneDelta) }

// differs is whether what comes back must differ from what was there before.
func (f *faulty) differs() bool { return f.is(grpcJS, javaPlaneDelta) }

// setCluster changes the state of a Cluster. Clients are spared one that comes back without good endpoints.
func (f *faulty) setCluster(c *cluster, s health) {
	s = f.present(s)
	if f.differs() && s == good && c.state != good {
		c.maxRequests++
		f.otherwise++
	} else if f.is(grpcJS, grpcJavaClient) && s != good && c.edsState != good {
		f.setEndpoints(c, good)
	}
	c.state = s
}

// setEndpoints changes the state of a ClusterLoadAssignment. Clients are spared that of one that they do not have.
func (f *faulty) setEndpoints(c *cluster, s health) {
	s = f.present(s)
	if f.is(grpcJS, grpcJavaClient) && s != good && c.state != good {
		f.otherwise++
		return
	}
	if f.differs() && s == good && c.edsState != good {
		c.localities[0].weight++
		f.otherwise++
	}
	c.edsState = s
}

// setRingHash chooses the policy: not ring_hash.
func (f *faulty) setRingHash(c *cluster, ringHash bool) {
	if f.is(grpcJS) && ringHash {
		f.otherwise++
		return
	}
	c.ringHash = ringHash
}

// returns is said of a cluster that went and comes back: to clients with endpoints that are good.
func (f *faulty) returns(c *cluster) {
	if !f.is(grpcJS, grpcJavaClient) {
		return
	}
	if c.state != good || c.edsState != good {
		f.otherwise++
	}
	c.state, c.edsState = good, good
}
