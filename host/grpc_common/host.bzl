"""The libraries of each version of gRPC. The folder of a version compiles its own sources together with those of this
folder, because they call each other."""

load("//bazel:defs.bzl", "gxds_seam_library")
load("@grpc_host//:host.bzl", "HOST")

# Inline functions of 1.83's headers have static variables (the number of a type in an arena, the name of a type). The
# process must have only one of each. The linker ensures that (STB_GNU_UNIQUE), but only for symbols that are not hidden.
HOST_COPTS = ["-fvisibility=default"] if HOST == "grpc_1_83" else []

def gxds_host_libraries(convert_hdrs = [], convert_srcs = [], policy_srcs = [], child_of_fork_srcs = []):
    """Defines the libraries of one version of gRPC. The arguments are the files that only this version has."""

    # They are not built if another version is installed.
    common = {
        "copts": HOST_COPTS,
        "tags": [] if native.package_name() == "host/" + HOST else ["manual"],
    }

    # Policies in C on this version.
    gxds_seam_library(
        name = "policy",
        srcs = [
            "channel.cc",
            "helper.cc",
            "security.cc",
            "tracker.cc",
            "//host/grpc_common:channel.cc",
            "//host/grpc_common:config.cc",
            "//host/grpc_common:hosts_policy.cc",
            "//host/grpc_common:load_reports.cc",
            "//host/grpc_common:picker.cc",
            "//host/grpc_common:policy.cc",
            "//host/grpc_common:secrets.cc",
            "//host/grpc_common:subchannel.cc",
        ] + policy_srcs,
        rpc_path = True,
        deps = [
            ":convert",
            ":host",
            "//base",
            "//host",
            "//host:host_get",
            "//host/grpc_common:hand_over",
            "//lb_policies/orca:orca_request",
            "//lb_policies/orca:orca_stream",
            "//resources",
            "//transport:clock",
        ],
        **common
    )

    # Conversions of channel arguments and addresses.
    gxds_seam_library(
        name = "convert",
        srcs = [
            "addresses.cc",
            "//host/grpc_common:addresses.cc",
        ] + convert_srcs,
        hdrs = convert_hdrs,
        rpc_path = True,
        deps = [
            "//base",
            "//host",
            "//host/grpc_common:convert",
            "//host/grpc_common:http_proxy",
            "//lb_policies/endpoint_list",
            "//resources",
            "//xds_resolver:config",
        ],
        **common
    )

    # The host's part of the transport.
    gxds_seam_library(
        name = "transport",
        srcs = [
            "epoll.cc",
            "//host/grpc_common:batch.cc",
        ],
        deps = [
            "//host/grpc_common:core",
            "//transport:epoll_find",
            "//transport:host_headers",
        ],
        **common
    )

    # The services of the host that C code uses (base/host.h).
    gxds_seam_library(
        name = "host",
        srcs = [
            "host_bootstrap.cc",
            "services.cc",
            "//host/grpc_common:certificates.cc",
            "//host/grpc_common:host.cc",
        ],
        deps = [
            "//base",
            "//bootstrap",
            "//host:host_get",
            "//host/grpc_common:convert",
            "//host/grpc_common:services",
            "//resources",
            "//transport:reactor",
        ],
        **common
    )

    gxds_seam_library(
        name = "child_of_fork",
        srcs = ["child_of_fork.cc"] + child_of_fork_srcs,
        hdrs = ["child_of_fork.h"],
        deps = [
            ":transport",
            "//host/grpc_common:engines",
            "//plugin:host_state",
            "//transport:cut_off",
            "//transport:epoll_find",
            "//transport:fork",
            "//transport:reactor",
        ],
        **common
    )

    # The resolver and its ConfigSelector.
    gxds_seam_library(
        name = "resolver",
        srcs = [
            "config_selector.cc",
            "resolver_parts.cc",
            "response_filter.cc",
            "response_filter.h",
            "//host/grpc_common:config_selector.cc",
            "//host/grpc_common:resolver.cc",
        ],
        rpc_path = True,
        deps = [
            ":child_of_fork",
            ":convert",
            ":host",
            "//base",
            "//host",
            "//host:host_get",
            "//host/grpc_common:hand_over",
            "//transport",
            "//xds_resolver:config",
        ],
        **common
    )

    # Replaces the host's xDS client with ours.
    gxds_seam_library(
        name = "register",
        srcs = [
            "register.cc",
            "//host/grpc_common:register.cc",
        ],
        deps = [
            ":child_of_fork",
            ":policy",
            ":resolver",
            "//host/grpc_common:convert",
            "//host/grpc_common:http_proxy",
            "//lb_policies:all_policies",
            "//lb_policies/registered",
            "//plugin:dump",
            "//plugin:host_state",
            "//plugin:impl_header",
            "//xds_resolver:xds_resolver_c",
        ],
        alwayslink = True,
        **common
    )

    # The layouts of the host's classes as the headers define them, for //host:layout_checked. Compiled as in a
    # release, without sanitizers.
    gxds_seam_library(
        name = "layout",
        srcs = ["layout.cc"],
        copts = ["-fno-sanitize=all"],
        linkstatic = True,
        tags = common["tags"],
        deps = ["//host/grpc_common:layout"],
    )
