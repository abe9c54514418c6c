"""The gRPC that the distribution ships: its libraries, and the internal headers that match them."""

# The targets that are the same for each version: the public C++ API and C-core's internals.
_BUILD = """
load(":host.bzl", "LIBRARIES", "LIBRARIES_OF_CXX")

package(default_visibility = ["//visibility:public"])

# The public C++ API, for tests and programs.
cc_library(
    name = "grpc++",
    # Its headers use abseil's mutex inline.
    linkopts = [
        "-lgrpc++",
        "-labsl_synchronization",
    ] + LIBRARIES_OF_CXX,
    deps = [":grpc"],
)

# C-core's internals: for the seams alone.
cc_library(
    name = "core",
    hdrs = glob(["grpc/src/core/**/*.h"]),
    includes = ["grpc"],
    # The layouts must be those of the host, which was built without NDEBUG.
    defines = ["GRPC_TSAN_SUPPRESSED"],
    linkopts = ["-lgrpc", "-lgpr"] + LIBRARIES,
    deps = [":upb"],
)
"""

_BUILD_1_51 = """
# upb and the tables of every Envoy message that libgrpc carries: usable from C.
cc_library(
    name = "upb",
    hdrs = glob([
        "grpc/src/core/ext/upb-generated/**/*.h",
        "grpc/src/core/ext/upbdefs-generated/**/*.h",
        "grpc/third_party/upb/upb/**/*.h",
        "grpc/third_party/upb/upb/**/*.inc",
    ]),
    includes = [
        "grpc/src/core/ext/upb-generated",
        "grpc/src/core/ext/upbdefs-generated",
        "grpc/third_party/upb",
    ],
    linkopts = ["-lgrpc", "-lupb"],
)

# The public C API.
cc_library(
    name = "grpc",
    linkopts = ["-lgrpc", "-lgpr"],
)
"""

# compat/ is host/grpc_1_83/compat: the names of 1.51, before the headers of 1.83.
_BUILD_1_83 = """
cc_library(
    name = "upb",
    hdrs = glob([
        "compat/upb/*.h",
        "compat/upb/*.hpp",
        "grpc/src/core/ext/upb-gen/**/*.h",
        "grpc/src/core/ext/upbdefs-gen/**/*.h",
        "grpc/third_party/upb/upb/**/*.h",
        "grpc/third_party/upb/upb/**/*.inc",
        "grpc/third_party/utf8_range/*.h",
    ]),
    includes = [
        "compat",
        "grpc/src/core/ext/upb-gen",
        "grpc/src/core/ext/upbdefs-gen",
        "grpc/third_party/upb",
        "grpc/third_party/utf8_range",
    ],
    linkopts = ["-lgrpc"] + ["-lupb_" + part for part in [
        "base",
        "descriptor",
        "hash",
        "json",
        "lex",
        "mem",
        "message",
        "mini_descriptor",
        "mini_table",
        "reflection",
        "textformat",
        "wire",
    ]],
)

cc_library(
    name = "grpc",
    srcs = ["compat/log.cc"],
    copts = ["-std=c++17"],
    hdrs = glob(["compat/grpc/**/*.h"]),
    includes = ["compat"],
    linkopts = ["-lgrpc", "-lgpr", "-labsl_log_internal_globals", "-labsl_strings"],
)
"""

# Libraries that inline functions of the internal headers call. Only those that exist are linked: abseil's set of
# libraries changes from one release to the next.
_LIBRARIES = [
    "absl_statusor",
    "absl_status",
    "absl_cord",
    "absl_cordz_info",
    "absl_cordz_functions",
    "absl_cord_internal",
    "absl_strings",
    "absl_strings_internal",
    "absl_string_view",
    "absl_str_format_internal",
    "absl_synchronization",
    "absl_time",
    "absl_vlog_config_internal",
    "absl_hash",
    "absl_raw_hash_set",
    "absl_base",
    "absl_raw_logging_internal",
    "absl_throw_delegate",
    "absl_bad_variant_access",
    "absl_bad_optional_access",
    "re2",
]

def _is_there(ctx, library):
    return ctx.execute(["gcc", "-print-file-name=lib%s.so" % library]).stdout.startswith("/")

def _grpc_host_impl(ctx):
    ctx.report_progress("fetching gRPC's source package")
    ctx.path(ctx.attr._apt_source)  # _fetch calls this script
    result = ctx.execute([ctx.path(ctx.attr._fetch)], timeout = 600)
    if result.return_code != 0:
        fail("cannot fetch gRPC's source package:\n" + result.stdout + result.stderr)
    host = ctx.read("host").strip()
    libraries = ["-l" + library for library in _LIBRARIES if _is_there(ctx, library)]
    of_cxx = []
    of_host = _BUILD_1_51
    if host == "grpc_1_83":
        of_host = _BUILD_1_83
        # The checks in its headers use abseil's log.
        of_cxx = ["-labsl_log_internal_" + part for part in ["check_op", "conditions", "message", "nullguard"]]
        libraries += of_cxx
        ctx.symlink(ctx.path(ctx.attr._compat).dirname, "compat")
    ctx.file("host.bzl", "HOST = %r\nLIBRARIES = %r\nLIBRARIES_OF_CXX = %r\n" % (host, libraries, of_cxx))
    ctx.file("BUILD.bazel", _BUILD + of_host)

grpc_host = repository_rule(
    implementation = _grpc_host_impl,
    # The Makefile sets GXDS_GRPC_VERSION to the installed version, so an upgrade fetches the matching source.
    environ = ["GXDS_GRPC_VERSION", "GXDS_GRPC_SDIST"],
    attrs = {
        "_apt_source": attr.label(default = "//bazel:apt_source.sh", allow_single_file = True),
        "_compat": attr.label(default = "//host/grpc_1_83:compat/log.cc", allow_single_file = True),
        "_fetch": attr.label(default = "//bazel:fetch_grpc_source.sh", allow_single_file = True),
    },
)
