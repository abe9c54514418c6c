"""What the folder of each gRPC builds: its own sources together with those of this folder, as the two call each other."""

load("//bazel:defs.bzl", "gxds_seam_library")
load("@grpc_host//:host.bzl", "HOST")

# On 1.83 not hidden: what inline functions of the host's headers have static (the number of a type in an arena, the name
# of a type) there must be one of in the process, which the linker sees to (STB_GNU_UNIQUE).
HOST_COPTS = ["-fvisibility=default"] if HOST == "grpc_1_83" else []

def gxds_host_libraries(convert_hdrs = [], policy_srcs = [], child_of_fork_srcs = []):
    """The libraries of a gRPC. The arguments are the files that only this gRPC has."""

    # With another host installed they are not built.
    common = {
        "copts": HOST_COPTS,
        "tags": [] if native.package_name() == "host/" + HOST else ["manual"],
    }

    # Policies in C on this gRPC.
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

    # What travels in channel arguments and addresses.
    gxds_seam_library(
        name = "convert",
        srcs = [
            "addresses.cc",
            "//host/grpc_common:addresses.cc",
        ],
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

    # What the transport asks the host for.
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

    # The services that C code asks the host for (base/host.h).
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

    # Puts all of it in the place of the host's own.
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

    # What the headers tell of the host's classes, for //host:layout_checked: as in the product.
    gxds_seam_library(
        name = "layout",
        srcs = ["layout.cc"],
        copts = ["-fno-sanitize=all"],
        linkstatic = True,
        tags = common["tags"],
        deps = ["//host/grpc_common:layout"],
    )
