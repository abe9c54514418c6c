"""The gRPC that the distribution ships: its libraries, and the internal headers that match them."""

_BUILD = """
package(default_visibility = ["//visibility:public"])

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

# The public C++ API, for tests and programs.
cc_library(
    name = "grpc++",
    # Its headers use abseil's mutex inline.
    linkopts = [
        "-lgrpc++",
        "-labsl_synchronization",
    ],
    deps = [":grpc"],
)

# C-core's internals: for the seams alone.
cc_library(
    name = "core",
    hdrs = glob(["grpc/src/core/**/*.h"]),
    includes = ["grpc"],
    # The layouts must be those of the host, which was built without NDEBUG.
    defines = ["GRPC_TSAN_SUPPRESSED"],
    linkopts = [
        "-lgrpc",
        "-lgpr",
        "-labsl_statusor",
        "-labsl_status",
        "-labsl_cord",
        "-labsl_cordz_info",
        "-labsl_cordz_functions",
        "-labsl_cord_internal",
        "-labsl_strings",
        "-labsl_strings_internal",
        "-labsl_str_format_internal",
        "-labsl_synchronization",
        "-labsl_time",
        "-labsl_hash",
        "-labsl_raw_hash_set",
        "-labsl_base",
        "-labsl_raw_logging_internal",
        "-labsl_throw_delegate",
        "-labsl_bad_variant_access",
        "-labsl_bad_optional_access",
        "-lre2",
    ] + %s,
    deps = [":upb"],
)
"""

# What is in a library of its own in newer releases of abseil (Debian 13), and in one of the above before.
_NEWER = ["absl_string_view"]

def _is_there(ctx, library):
    return ctx.execute(["gcc", "-print-file-name=lib%s.so" % library]).stdout.startswith("/")

def _grpc_host_impl(ctx):
    ctx.report_progress("fetching gRPC's source package")
    ctx.path(ctx.attr._apt_source)  # which that calls
    result = ctx.execute([ctx.path(ctx.attr._fetch)], timeout = 600)
    if result.return_code != 0:
        fail("cannot fetch gRPC's source package:\n" + result.stdout + result.stderr)
    newer = ["-l" + library for library in _NEWER if _is_there(ctx, library)]
    ctx.file("BUILD.bazel", _BUILD % newer)

grpc_host = repository_rule(
    implementation = _grpc_host_impl,
    # Set by the Makefile to the installed version, so that an upgrade fetches the matching source.
    environ = ["GXDS_GRPC_VERSION"],
    attrs = {
        "_fetch": attr.label(default = "//bazel:fetch_grpc_source.sh", allow_single_file = True),
        "_apt_source": attr.label(default = "//bazel:apt_source.sh", allow_single_file = True),
    },
)
