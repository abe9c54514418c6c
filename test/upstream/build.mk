# Builds gRPC's own end-to-end tests of its xDS client from the distribution's source package SRC,
# against the installed libraries, in the folder OUT: make -f build.mk SRC=... OUT=... SUITES=...
# The sources are compiled in place, not copied.

PROTOS = $(patsubst $(SRC)/%.proto,%,$(wildcard $(SRC)/src/proto/grpc/testing/xds/v3/*.proto) \
  $(addprefix $(SRC)/src/proto/grpc/testing/,echo.proto echo_messages.proto simple_messages.proto \
    duplicate/echo_duplicate.proto) \
  $(addprefix $(SRC)/src/proto/grpc/lookup/v1/,rls.proto rls_config.proto))
SUPPORT = $(addprefix test/core/,util/build util/port_isolated_runtime_environment \
    util/resolve_localhost_ip46 util/stack_tracer util/test_config util/tls_utils \
    end2end/data/server1_cert end2end/data/server1_key end2end/data/test_root_cert \
    event_engine/test_init) \
  $(addprefix test/cpp/,end2end/connection_attempt_injector end2end/rls_server \
    end2end/test_service_impl end2end/xds/xds_end2end_test_lib end2end/xds/xds_server \
    util/string_ref_helper util/test_config_cc util/test_credentials_provider util/tls_test_utils) \
  src/cpp/server/csds/csds

# NDEBUG is not defined, as in the libraries. GRPC_PORT_ISOLATED_RUNTIME: the tests pick random ports, because no port
# server runs.
CPPFLAGS = -DGRPC_PORT_ISOLATED_RUNTIME -I$(OUT)/gen -I$(SRC) -I$(SRC)/src/core/ext/upb-generated \
  -I$(SRC)/src/core/ext/upbdefs-generated -I$(SRC)/third_party/upb
CXXFLAGS = -std=c++17 -O0 -w
# The libraries that the sources use. --copy-dt-needed-entries: the linker also searches the dependencies of these.
LDLIBS = -Wl,--copy-dt-needed-entries -lgrpc++ -lgrpc -lprotobuf -lgmock -lgtest \
  -labsl_failure_signal_handler -labsl_flags_parse -labsl_flags_reflection -labsl_flags_internal \
  -labsl_flags_marshalling

all: $(SUITES:%=$(OUT)/%)

.SECONDARY:
$(OUT)/gen/protos.stamp: $(PROTOS:%=$(SRC)/%.proto)
	mkdir -p $(OUT)/gen
	cd $(SRC) && protoc -I. --cpp_out=$(OUT)/gen --grpc_out=generate_mock_code=true:$(OUT)/gen \
	  --plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin) $(PROTOS:%=%.proto)
	touch $@

# The generated sources are many and small, so they are included in two files, which two jobs compile. Each source
# defines the same two names, so these get a number.
HALF = $(shell echo $$(($(words $(PROTOS)) / 2)))
$(OUT)/gen/protos_1.cc: NAMES = $(wordlist 1,$(HALF),$(PROTOS))
$(OUT)/gen/protos_2.cc: NAMES = $(filter-out $(wordlist 1,$(HALF),$(PROTOS)),$(PROTOS))
$(OUT)/gen/protos_%.cc: $(OUT)/gen/protos.stamp
	i=0; for name in $(NAMES); do i=$$((i + 1)); \
	  echo "#define schemas schemas_$$i"; echo "#define file_default_instances instances_$$i"; \
	  echo "#include \"$$name.pb.cc\""; echo "#undef schemas"; echo "#undef file_default_instances"; \
	  echo "#include \"$$name.grpc.pb.cc\""; done > $@

$(OUT)/obj/gen/%.o: $(OUT)/gen/%.cc
	mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(OUT)/obj/%.o: $(SRC)/%.cc $(OUT)/gen/protos.stamp
	mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(OUT)/libsupport.a: $(SUPPORT:%=$(OUT)/obj/%.o) $(OUT)/obj/gen/protos_1.o $(OUT)/obj/gen/protos_2.o
	rm -f $@
	$(AR) rc $@ $^

$(OUT)/%: $(OUT)/obj/test/cpp/end2end/xds/%.o $(OUT)/libsupport.a
	$(CXX) -o $@ $^ $(LDLIBS)
