"""How this project compiles its own code."""

C_COPTS = [
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wconversion",
    "-Wshadow",
    "-Wvla",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-fvisibility=hidden",
]

CXX_COPTS = [
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fvisibility=hidden",
]

def gxds_c_library(name, copts = [], **kwargs):
    """C11, every warning an error."""
    native.cc_library(name = name, copts = C_COPTS + copts, **kwargs)

def gxds_c_binary(name, copts = [], **kwargs):
    native.cc_binary(name = name, copts = C_COPTS + copts, **kwargs)

def gxds_seam_library(name, copts = [], deps = [], **kwargs):
    """C++17 on C-core's internals: the only kind of target that may include them."""
    native.cc_library(
        name = name,
        copts = CXX_COPTS + ["-Wno-unused-parameter"] + copts,
        deps = deps + ["@grpc_host//:core"],
        **kwargs
    )

# What .bazelrc names in the sanitizers' options.
_SANITIZER_DATA = ["//test:tsan_suppressions.txt"]

def gxds_test(name, copts = [], data = [], deps = [], linkopts = [], **kwargs):
    """A googletest file (C++17)."""
    native.cc_test(
        name = name,
        copts = CXX_COPTS + copts,
        data = data + _SANITIZER_DATA,
        deps = deps,
        linkstatic = True,  # our symbols are hidden, so that they don't cross a shared object
        linkopts = ["-lgtest_main", "-lgmock", "-lgtest", "-lpthread"] + linkopts,
        **kwargs
    )

def gxds_fuzz_test(name, srcs, deps = []):
    """A fuzz target (LLVMFuzzerTestOneInput in C) named x_fuzz with its inputs in corpus_x: replayed over
    them as a plain test, and with --config=fuzz libFuzzer's own program (make fuzz)."""
    corpus = native.glob(["corpus_%s/*" % name[:-len("_fuzz")]])
    native.cc_test(
        name = name,
        srcs = srcs,
        copts = C_COPTS + ["-Wno-missing-prototypes"],
        args = ["$(locations %s)" % f for f in corpus],
        data = corpus + _SANITIZER_DATA,
        linkopts = select({
            "//test/fuzz:fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        linkstatic = True,
        tags = ["fuzz"],
        deps = deps + select({
            "//test/fuzz:fuzzing": [],
            "//conditions:default": ["//test/fuzz:replay"],
        }),
    )
