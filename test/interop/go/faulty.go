package main

import "slices"

// A peer is a client or control plane with faults, which some changes avoid.
type peer string

const (
	grpcJS         peer = "grpc-js"
	grpcJavaClient peer = "grpc-java"
	javaPlaneSotw  peer = "java-control-plane"
	javaPlaneDelta peer = "java-control-plane in delta"
)

// A faulty peer does not get the changes that it handles wrongly (test/interop/README.md lists them, and why they are
// its fault). All other changes are the same, drawn from the same numbers. nil stands for peers without faults, which
// get all changes.
type faulty struct {
	of        peer
	otherwise int // changes that were replaced
}

func (f *faulty) is(peers ...peer) bool { return f != nil && slices.Contains(peers, f.of) }

// present returns a state in which the resource exists, for a peer that must not be asked for a missing one.
func (f *faulty) present(s health) health {
	if s == missing && f.is(javaPlaneSotw, javaPlaneDelta) {
		f.otherwise++
		return broken
	}
	return s
}

// keepsEndpoints returns whether a broken cluster keeps its endpoints, for a client that holds an earlier version of
// it.
func (f *faulty) keepsEndpoints() bool { return f.is(javaPlaneSotw, javaPlaneDelta) }

// differs returns whether a resource that returns must differ from the one before.
func (f *faulty) differs() bool { return f.is(grpcJS, javaPlaneDelta) }

// setCluster changes the state of a Cluster. Faulty clients do not get one that returns without good endpoints.
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

// setEndpoints changes the state of a ClusterLoadAssignment. Faulty clients do not get that of a cluster that they do
// not have.
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

// setRingHash chooses the policy, which is never ring_hash for grpc-js.
func (f *faulty) setRingHash(c *cluster, ringHash bool) {
	if f.is(grpcJS) && ringHash {
		f.otherwise++
		return
	}
	c.ringHash = ringHash
}

// returns changes a cluster that was removed and returns: faulty clients get it with good endpoints.
func (f *faulty) returns(c *cluster) {
	if !f.is(grpcJS, grpcJavaClient) {
		return
	}
	if c.state != good || c.edsState != good {
		f.otherwise++
	}
	c.state, c.edsState = good, good
}
