package main

// A faulty client is spared what it gets wrong (test/interop/README.md says what, and why it is its fault). The
// changes are the same, drawn from the same numbers, but for these. A nil one stands for a client without
// faults, which is spared nothing.
type faulty struct {
	otherwise int  // changes that were made otherwise
	ofJava    bool // the client is grpc-java, which is spared only endpoints that are refused at first
}

// setCluster changes the state of a Cluster: what comes back differs from what was there before, and brings
// endpoints that are good.
func (f *faulty) setCluster(c *cluster, s health) {
	if f != nil && !f.ofJava && s == good && c.state != good {
		c.maxRequests++
		f.otherwise++
	} else if f != nil && s != good && c.edsState != good {
		f.setEndpoints(c, good)
	}
	c.state = s
}

// setEndpoints changes the state of a ClusterLoadAssignment: only of one that the client has, and what comes
// back differs.
func (f *faulty) setEndpoints(c *cluster, s health) {
	if f != nil && s != good && c.state != good {
		f.otherwise++
		return
	}
	if f != nil && !f.ofJava && s == good && c.edsState != good {
		c.localities[0].weight++
		f.otherwise++
	}
	c.edsState = s
}

// setRingHash chooses the policy: not ring_hash.
func (f *faulty) setRingHash(c *cluster, ringHash bool) {
	if f != nil && !f.ofJava && ringHash {
		f.otherwise++
		return
	}
	c.ringHash = ringHash
}

// returns is said of a cluster that went and comes back: with endpoints that are good.
func (f *faulty) returns(c *cluster) {
	if c.state != good || c.edsState != good {
		f.otherwise++
	}
	c.state, c.edsState = good, good
}
