package main

// The tests with Istio. Only those in state of the world change a client's resources all the time: docs/istio.md.
func istioKinds(i *istio) []kind {
	var all []kind
	add := func(way, features string, tries ...feature) {
		for _, f := range tries {
			all = append(all, kind{name: "Istio, " + way + ": " + f.name, run: func(k kind) error {
				return f.try(&mesh{istio: i, backends: ports, features: features, made: k.made})
			}})
		}
	}
	newClusters := feature{"new clusters while endpoints change", tryNewClusters}
	add("state of the world", "", istioFeatures...)
	add("state of the world", "", feature{"a token instead of the agent", tryToken}, newClusters, feature{"changes and restarts under load", tryChanges},
		feature{"four targets through the agent", tryAgent})
	add("delta", "delta", istioFeatures...)
	add("delta", "delta", newClusters)
	return all
}
