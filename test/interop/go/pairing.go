package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A pairing drives one control plane and one client through the changes of a seed.
type pairing struct {
	plane  controlPlane
	client client
	world  *world
	apart  bool // a cluster returns only after the client has seen its removal: test/interop/README.md
	// The client reports no load in this pairing.
	unreported bool
	made       *int // changes
	verbose    func(format string, args ...any)
}

const (
	reportedCalls = 100
	restarts      = 6
)

// run makes the changes. After some it waits until the client has the resources of the control plane. At the end it
// repairs all resources, and waits again.
func (p *pairing) run(changes int) error {
	if err := p.setAndSettle("the beginning"); err != nil {
		return err
	}
	for i := 1; i <= changes; i++ {
		what, err := p.step(i, changes)
		if err != nil {
			return fmt.Errorf("change %d (%s): %w", i, what, err)
		}
		*p.made = i
		p.verbose("change %d: %s", i, what)
		if p.world.rng.IntN(4) == 0 || p.world.faulty != nil || p.world.envoy != nil {
			if err := p.settle(fmt.Sprintf("change %d (%s)", i, what)); err != nil {
				return err
			}
		}
	}
	if p.plane.nacks() == 0 { // possible in a short sequence
		p.world.faulty.setCluster(p.world.clusters[0], broken)
		if err := p.setAndSettle("a cluster that is to be refused"); err != nil {
			return err
		}
	}
	p.world.heal()
	if err := p.setAndSettle("the end"); err != nil {
		return err
	}
	if p.plane.nacks() == 0 {
		return errors.New("nothing was refused")
	}
	if p.unreported {
		return nil
	}
	return p.reports()
}

func (p *pairing) setAndSettle(when string) error {
	if err := p.plane.set(p.world.truth()); err != nil {
		return err
	}
	return p.settle(when)
}

// step makes one change. During some changes the control plane is down, or loses its state. Sometimes a cluster is
// removed and returns, at once if the pairing handles that correctly.
func (p *pairing) step(i, changes int) (string, error) {
	every := max(changes/restarts, 1)
	if i%every == every/2 {
		what := p.world.change()
		what += " while the control plane is away"
		if p.world.envoy != nil {
			p.world.heal() // because of what is sent first after the restart: test/interop/README.md
		}
		err := p.plane.restart(i/every%2 == 1, func() error { return p.plane.set(p.world.truth()) })
		if err == nil && p.world.envoy != nil {
			err = p.settle(what)
		}
		return what, err
	}
	if p.world.rng.IntN(20) == 0 {
		was := slices.Clone(p.world.clusters)
		k := p.world.rng.IntN(len(was))
		p.world.clusters = slices.Delete(slices.Clone(was), k, k+1)
		if err := p.plane.set(p.world.truth()); err != nil {
			return "", err
		}
		what := "cluster " + was[k].name + " goes and comes back"
		f := p.world.faulty
		if f != nil || p.apart {
			if err := p.settle(what); err != nil {
				return what, err
			}
		}
		f.returns(was[k])
		p.world.clusters = was
		return what, p.plane.set(p.world.truth())
	}
	what := p.world.change()
	return what, p.plane.set(p.world.truth())
}

// settle waits until the client shows the resources of the control plane, and its RPCs follow them.
func (p *pairing) settle(when string) error {
	expected := p.world.expected()
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > 2*time.Second {
			p.verbose("settled %.1f s after %s", took.Seconds(), when)
		}
	}()
	var last []string
	err := eventually(func() (bool, error) {
		config, err := p.client.dump()
		if err != nil {
			return false, err
		}
		last = differences(expected, config)
		return len(last) == 0, nil
	})
	if err == errNever {
		return fmt.Errorf("after %s the client has not what is served:\n    %s", when, strings.Join(last, "\n    "))
	}
	if err != nil {
		return err
	}
	for _, c := range p.world.clusters {
		if c.state != good || c.edsState != good {
			continue
		}
		if err := p.route(c); err != nil {
			return fmt.Errorf("after %s: %w", when, err)
		}
	}
	return nil
}

// route makes RPCs to a cluster until three in a row reach backends that are its endpoints.
func (p *pairing) route(c *cluster) error {
	right := 0
	var last string
	err := eventually(func() (bool, error) {
		reply, err := p.client.call("/" + c.name + "/Call")
		if err == nil && c.has(reply) {
			right++
		} else {
			last = fmt.Sprint(reply, err)
			right = 0
		}
		return right == 3, nil
	})
	if err == errNever {
		return fmt.Errorf("RPCs to %s do not reach its endpoints: %s", c.name, last)
	}
	return err
}

func (c *cluster) has(port string) bool {
	for _, l := range c.localities {
		for _, e := range l.endpoints {
			if strconv.Itoa(e.port) == port {
				return true
			}
		}
	}
	return false
}

// reports makes RPCs to a new cluster and waits until all are in load reports.
func (p *pairing) reports() error {
	c := p.world.addCluster()
	if err := p.setAndSettle("a last cluster"); err != nil {
		return err
	}
	made := uint64(3) // settle makes at least these
	if p.world.envoy != nil {
		var err error
		if made, err = p.reported(c); err != nil {
			return err
		}
	}
	for range reportedCalls {
		if _, err := p.client.call("/" + c.name + "/Call"); err != nil {
			return err
		}
		made++
	}
	err := eventually(func() (bool, error) { return p.plane.load(c.name) >= made, nil })
	if err != nil {
		return fmt.Errorf("load reports: %d of %d RPCs", p.plane.load(c.name), made)
	}
	return nil
}

// reported makes RPCs to a cluster until some are reported, and returns how many were. An Envoy counts nothing for
// five seconds after its control plane was down, and never reports the RPCs of that time.
func (p *pairing) reported(c *cluster) (uint64, error) {
	err := eventually(func() (bool, error) {
		_, err := p.client.call("/" + c.name + "/Call")
		return p.plane.load(c.name) > 0, err
	})
	return p.plane.load(c.name), err
}

var errNever = errors.New("it did not come")

// eventually repeats done until it returns true, or until patience has passed.
func eventually(done func() (bool, error)) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		yes, err := done()
		if err != nil || yes {
			return err
		}
		if time.Now().After(deadline) {
			return errNever
		}
	}
}
