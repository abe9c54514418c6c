"""gRPC's archives and all archives that they depend on, for a program that is linked statically. The list differs
between releases of the distribution."""

_BUILD = """
cc_library(
    name = "archives",
    linkopts = %s + ["-Wl,--end-group"],
    visibility = ["//visibility:public"],
)
"""

def _grpc_archives_impl(ctx):
    result = ctx.execute(["pkg-config", "--static", "--libs-only-l", "grpc", "re2", "libcares", "libssl", "zlib"])
    if result.return_code != 0:
        fail("pkg-config does not know gRPC's archives:\n" + result.stdout + result.stderr)
    once = {option: None for option in result.stdout.strip().split(" ")}
    ctx.file("BUILD.bazel", _BUILD % once.keys())

grpc_archives = repository_rule(implementation = _grpc_archives_impl, local = True)
