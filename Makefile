# `make demo` and `make test` need only this tree, make, and a package mirror. As root they install missing packages.
# Without root they print the command that installs them.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DEB ?= deb
PYTHON_OUT ?= python
SANITIZE ?=
SEEDS ?= 100000
KILLS ?= 5000
SECONDS ?= 20
CLIENTS ?= 10000
MINUTES ?= 10
SEED ?= 1
TEST_FLAGS ?=
TESTS ?= //...
QUICK ?=
PLOTS ?=
UPSTREAM ?= upstream
SUITES ?=
BAZEL ?= bazel

BUILD_PACKAGES = bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto bazel-skylib \
  dpkg-dev g++ gcc libcurl4-openssl-dev libgrpc++-dev libgrpc-dev libjansson-dev libmicrohttpd-dev \
  libre2-dev libssl-dev libxxhash-dev libyaml-dev uthash-dev
TEST_PACKAGES = apache2-bin libbenchmark-dev libgmock-dev libgtest-dev libzstd-dev pkg-config
DEB_PACKAGES = debhelper
PYTHON_PACKAGES = cython3 dpkg-dev python3-dev python3-grpcio
INSTALL_PACKAGES = $(DEB_PACKAGES) $(PYTHON_PACKAGES) cmake libcap2-bin lintian make pkg-config ruby-grpc
BENCH_PACKAGES = gnuplot-nox valgrind
VALGRIND_PACKAGES = valgrind
FUZZ_PACKAGES = clang-14 libclang-rt-14-dev
UPSTREAM_PACKAGES = libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
LINT_PACKAGES = clang-format-14 clang-tidy-14

CONFIG = $(if $(SANITIZE),--config=$(SANITIZE))
# Bazel fetches the source package again when the version of the installed gRPC changes.
HOST = --repo_env=GXDS_GRPC_VERSION=$$(dpkg-query -W -f '$${source:Version}' libgrpc-dev)
OUTPUTS = //:libgrpc_xds.so //:impl //tools:xds

SOURCES = $(shell git ls-files '*.c' '*.h' '*.cc')

BENCH_FLAGS = $(if $(QUICK),--quick)

.PHONY: all demo test test-upstream interop interop-istio sim fleet serve-load kills fuzz soak valgrind bench bench-check bench-build \
  format lint conformance compile_commands install uninstall deb python install-python \
  clean packages python-packages bench-packages fuzz-packages \
  valgrind-packages deb-packages upstream-packages lint-packages install-packages

# HOST=1.83 runs these targets on gRPC 1.83, in a Debian sid that it makes in the folder SYSTEM_1_83. It needs root and
# debootstrap.
SYSTEM_1_83 ?= /var/tmp/grpc-xds-1.83

ifeq ($(HOST),1.83)
ON_1_83 = .ci/host_1_83 $(SYSTEM_1_83) $@ $(filter-out DEB=% HOST=% SYSTEM_1_83=%,$(MAKEOVERRIDES))

all test demo soak bench bench-check:
	$(ON_1_83)

deb:
	$(ON_1_83) DEB=deb
	mkdir -p $(DEB)
	cp $(SYSTEM_1_83)/sys/src/deb/* $(DEB)

else

all: packages
	$(BAZEL) build $(HOST) $(OUTPUTS)

demo: packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //tools/demo:client
	bazel-bin/tools/xds demo

test: packages
	$(BAZEL) test $(HOST) $(CONFIG) $(TEST_FLAGS) $(TESTS)

# Tests with control planes and clients of other projects: see CONTRIBUTING.md. They need Go. FLAGS=-help lists the
# flags. QUICK=1 takes three minutes at most.
interop: packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //test/interop:client
	QUICK=$(QUICK) test/interop/run $(CURDIR)/bazel-bin $(FLAGS)

# Tests with Istio's programs. Their first build takes 15 minutes.
interop-istio: packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //test/interop:client
	test/interop/istio $(CURDIR)/bazel-bin $(FLAGS)

# Runs gRPC's own end-to-end tests of its xDS client on the plugin, in the folder UPSTREAM: see test/upstream/README.md.
test-upstream: packages upstream-packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //test/upstream:hooks.so
	BAZEL=$(BAZEL) test/upstream/test $(UPSTREAM) $(SUITES)

# Runs the engine in a simulated world, once per seed. bazel-bin/test/sim/sim --help describes FLAGS.
sim: packages
	$(BAZEL) build $(HOST) $(CONFIG) //test/sim:sim
	bazel-bin/test/sim/sim --seeds=$(SEEDS) $(FLAGS)

# Simulates CLIENTS clients and one control plane with restarts, failover and changes. PLOTS=1 draws the plots of
# docs/scale.md. FLAGS=--rules=delta simulates only one kind of client. 100,000 clients need 6 GB.
fleet: packages $(if $(PLOTS),bench-packages)
	$(BAZEL) build $(HOST) $(CONFIG) //test/fleet:fleet
	bazel-bin/test/fleet/fleet $(CLIENTS) --lines=fleet.tsv $(FLAGS)
	$(if $(PLOTS),gnuplot -e "lines='fleet.tsv'; folder='docs'" test/fleet/plots.gp)

# Runs `xds serve` with CLIENTS clients of the library on real connections. Ten times a second the endpoints of one of
# 1,000 clusters change. test/serve_load/serve_load.cc describes FLAGS. 2,000 clients need 7 GB.
serve-load: CLIENTS = 2000
serve-load: packages
	$(BAZEL) build $(HOST) $(CONFIG) //test/serve_load:serve_load
	cd bazel-bin && test/serve_load/serve_load --clients=$(CLIENTS) --lag-max=1000 $(FLAGS)

# Tests the resource cache. Its writer is killed KILLS times.
kills: packages
	$(BAZEL) test $(HOST) $(CONFIG) --test_env=GXDS_KILLS=$(KILLS) --test_output=all \
	  //test/transport:cache_kill_test

# Runs each fuzz target for SECONDS seconds on new inputs: see test/fuzz/run.
fuzz: packages fuzz-packages
	$(BAZEL) build $(HOST) --config=fuzz \
	  $$(git ls-files 'test/*_fuzz.c' | sed 's,^,//,; s,/\([^/]*\)\.c$$,:\1,')
	test/fuzz/run $(SECONDS) $(SEED)

# A client makes RPCs while backends and control planes are killed, stopped and misconfigured, in an order that SEED
# determines. FLAGS=--verbose prints each event.
soak: packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //test/soak:soak
	cd bazel-bin && test/soak/soak --minutes=$(MINUTES) --seed=$(SEED) $(FLAGS)

# Runs end-to-end tests of channels under memcheck. gRPC needs no suppressions.
MEMCHECK = valgrind --error-exitcode=9 --num-callers=30 --leak-check=full --show-leak-kinds=definite \
  --errors-for-leak-kinds=definite
valgrind: packages valgrind-packages
	$(BAZEL) test $(HOST) --run_under='$(MEMCHECK)' --test_timeout=300 --local_test_jobs=2 \
	  //test/e2e:config_test //test/e2e:resilience_test

# Measures the plugin and gRPC's own xDS client in the same run: see test/bench/README.md. PEERS=1 measures only some
# rows, and Envoy, grpc-go and grpcio as well.
ifdef PEERS
bench: packages
	$(BAZEL) build $(HOST) $(OUTPUTS) //test/bench:beside //test/bench:client
	test/bench/peers/run $(CURDIR)/bazel-bin $(BENCH_FLAGS) --document=$(CURDIR)/docs/benchmarks.md $(FLAGS)
else
bench: bench-build
	cd bazel-bin && test/bench/bench $(BENCH_FLAGS) --table=$(CURDIR)/docs/benchmarks.md \
	  --lines=$(CURDIR)/bench.tsv
	gnuplot -e "lines='bench.tsv'; folder='docs'" test/bench/plots.gp
endif

# Fails if a figure misses its target by more than the measured spread.
bench-check: bench-build
	cd bazel-bin && test/bench/bench $(BENCH_FLAGS) --check --lines=$(CURDIR)/bench.tsv

# Bazel does not notice that valgrind's headers were installed. Objects from before do not count instructions. The
# define has no other use than to make Bazel compile them again.
bench-build: packages bench-packages
	$(BAZEL) build $(HOST) --per_file_copt=//test/bench:.*@-DWITH_VALGRIND $(OUTPUTS) //test/bench:bench //test/bench:client

format: lint-packages
	clang-format-14 -i $(SOURCES)

lint: packages lint-packages
	BAZEL=$(BAZEL) HOST="$(HOST)" .ci/lint

# Makes docs/conformance.md from the tags in the tests.
conformance:
	test/conformance/generate

# Makes compile_commands.json, for clangd.
compile_commands: packages
	BAZEL=$(BAZEL) HOST="$(HOST)" .ci/compile_commands

# `packaging/install --list` prints the installed files.
INSTALL_ARGUMENTS = $(PREFIX) $(LIBDIR) "$(DESTDIR)"

install: all
	packaging/install $(INSTALL_ARGUMENTS)

uninstall:
	packaging/install --list $(INSTALL_ARGUMENTS) | xargs -d '\n' rm -f
	rm -fd "$(DESTDIR)$(PREFIX)/include/grpc_xds" "$(DESTDIR)$(LIBDIR)/cmake/grpc_xds" "$(DESTDIR)$(LIBDIR)/grpc_xds"
	rm -rf "$(DESTDIR)$(PYTHON_FOLDER)"
	rm -fd "$(DESTDIR)$(LIBDIR)/grpc-xds"

# Builds the Debian packages in the folder DEB. DEB_BUILD_PROFILES=nopython leaves out the package for Python.
deb: deb-packages all
	packaging/deb $(DEB)

# Builds gRPC's Python module in the folder PYTHON_OUT, linked with the shared libgrpc and the plugin: see
# docs/python.md. It is installed beside the library.
PYTHON_FOLDER = $(LIBDIR)/grpc-xds/python3

python: all python-packages
	BAZEL="$(BAZEL)" packaging/python/build $(PYTHON_OUT)

install-python: install python
	packaging/python/install $(PYTHON_OUT) $(PYTHON_FOLDER) $(LIBDIR) "$(DESTDIR)"

clean:
	$(BAZEL) clean

# The newer Bazel of Debian sid needs more options.
packages:
	@.ci/packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@case $$(dpkg-query -W -f '$${Version}' bazel-bootstrap) in \
	  4.*) rm -f bazel/bazelrc_here ;; \
	  *) cp bazel/bazelrc_7 bazel/bazelrc_here ;; \
	esac

deb-packages:
	@.ci/packages $(DEB_PACKAGES) $(if $(filter nopython,$(DEB_BUILD_PROFILES)),,$(PYTHON_PACKAGES))

python-packages:
	@.ci/packages $(PYTHON_PACKAGES)

bench-packages:
	@.ci/packages $(BENCH_PACKAGES)

valgrind-packages:
	@.ci/packages $(VALGRIND_PACKAGES)

fuzz-packages:
	@.ci/packages $(FUZZ_PACKAGES)

upstream-packages:
	@.ci/packages $(UPSTREAM_PACKAGES)

lint-packages:
	@.ci/packages $(LINT_PACKAGES)

# The packages that .ci/install_check needs.
install-packages: packages
	@.ci/packages $(INSTALL_PACKAGES)

endif
