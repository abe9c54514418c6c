"""How this project compiles its own code."""

load("@grpc_host//:host.bzl", "HOST")

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

# For the sanitizers, with the abseil of gRPC 1.83.
_ABSEIL_COPTS = [
    # With these checks GCC does not take a function's address for a constant, which this abseil compares with null where
    # a constant must be (GCC bug 71962).
    "-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute",
    # Under the address sanitizer its hash tables would have another layout than in libgrpc.
    "-DNDEBUG_SANITIZER",
] if HOST == "grpc_1_83" else []

CXX_COPTS = [
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fvisibility=hidden",
] + _ABSEIL_COPTS

# For what runs in every RPC: no frame pointers (Bazel's toolchain keeps them), and optimised across files when
# the plugin is linked, which GCC's linker does by itself. The machine code is in the objects as well, for tests.
def _rpc_path_copts(rpc_path):
    return select({
        "//bazel:lto": ["-fomit-frame-pointer", "-flto=auto", "-ffat-lto-objects"],
        "//conditions:default": [],
    }) if rpc_path else []

# For the many programs that take the machine code: they would be optimised anew, each.
_NO_LTO = select({
    "//bazel:lto": ["-fno-lto"],
    "//conditions:default": [],
})

def gxds_c_library(name, copts = [], rpc_path = False, **kwargs):
    """C11, every warning an error. rpc_path: it is what RPCs go through."""
    native.cc_library(name = name, copts = C_COPTS + copts + _rpc_path_copts(rpc_path), **kwargs)

def gxds_c_binary(name, copts = [], linkopts = [], **kwargs):
    native.cc_binary(name = name, copts = C_COPTS + copts, linkopts = linkopts + _NO_LTO, **kwargs)

def gxds_seam_library(name, copts = [], deps = [], rpc_path = False, **kwargs):
    """C++17 on C-core's internals: the only kind of target that may include them. rpc_path: as above."""
    native.cc_library(
        name = name,
        copts = CXX_COPTS + ["-Wno-unused-parameter"] + copts + _rpc_path_copts(rpc_path),
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
        linkopts = ["-lgtest_main", "-lgmock", "-lgtest", "-lpthread"] + linkopts + _NO_LTO,
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
        }) + _NO_LTO,
        linkstatic = True,
        tags = ["fuzz"],
        deps = deps + select({
            "//test/fuzz:fuzzing": [],
            "//conditions:default": ["//test/fuzz:replay"],
        }),
    )
