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

# The sanitizers need these with the abseil of gRPC 1.83.
_ABSEIL_COPTS = [
    # This abseil compares a function's address with null in a constant expression. With these checks GCC does not
    # accept that (GCC bug 71962).
    "-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute",
    # Otherwise abseil's hash tables have another layout under the address sanitizer than in libgrpc.
    "-DNDEBUG_SANITIZER",
] if HOST == "grpc_1_83" else []

CXX_COPTS = [
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fvisibility=hidden",
] + _ABSEIL_COPTS

# Options for code on the path of an RPC. It has no frame pointers (Bazel's toolchain keeps them by default). It is
# optimised across files when the plugin is linked: GCC's linker does that without options. The objects also contain
# machine code, which tests link.
def _rpc_path_copts(rpc_path):
    return select({
        "//bazel:lto": ["-fomit-frame-pointer", "-flto=auto", "-ffat-lto-objects"],
        "//conditions:default": [],
    }) if rpc_path else []

# Tests and programs link the machine code: link-time optimisation of each of them would take too long.
_NO_LTO = select({
    "//bazel:lto": ["-fno-lto"],
    "//conditions:default": [],
})

def gxds_c_library(name, copts = [], rpc_path = False, **kwargs):
    """A C11 library; every warning is an error. rpc_path: the code is on the path of an RPC."""
    native.cc_library(name = name, copts = C_COPTS + copts + _rpc_path_copts(rpc_path), **kwargs)

def gxds_c_binary(name, copts = [], linkopts = [], **kwargs):
    native.cc_binary(name = name, copts = C_COPTS + copts, linkopts = linkopts + _NO_LTO, **kwargs)

def gxds_seam_library(name, copts = [], deps = [], rpc_path = False, **kwargs):
    """A C++17 library that uses C-core's internals. No other kind of target may include them. rpc_path: as above."""
    native.cc_library(
        name = name,
        copts = CXX_COPTS + ["-Wno-unused-parameter"] + copts + _rpc_path_copts(rpc_path),
        deps = deps + ["@grpc_host//:core"],
        **kwargs
    )

# The file that TSAN_OPTIONS in .bazelrc names.
_SANITIZER_DATA = ["//test:tsan_suppressions.txt"]

def gxds_test(name, copts = [], data = [], deps = [], linkopts = [], **kwargs):
    """A googletest file (C++17)."""
    native.cc_test(
        name = name,
        copts = CXX_COPTS + ["-include", "test/googletest.h"] + copts,
        data = data + _SANITIZER_DATA,
        deps = deps + ["//test:googletest"],
        linkstatic = True,  # our symbols are hidden, so shared libraries do not export them
        linkopts = ["-lgtest_main", "-lgmock", "-lgtest", "-lpthread"] + linkopts + _NO_LTO,
        **kwargs
    )

def gxds_fuzz_test(name, srcs, deps = []):
    """A fuzz target (LLVMFuzzerTestOneInput in C). Its name is x_fuzz, and its inputs are in corpus_x. As an ordinary
    test it runs on these inputs. With --config=fuzz it is a program of libFuzzer (make fuzz)."""
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
