"""What a program that links libcrypto statically has to link: with Debian 13's also what that compresses by."""

_BUILD = """
cc_library(
    name = "libcrypto",
    linkopts = %r,
    visibility = ["//visibility:public"],
)
"""

def _static_libcrypto_impl(ctx):
    result = ctx.execute(["pkg-config", "--static", "--libs-only-l", "libcrypto"])
    if result.return_code != 0:
        fail("pkg-config does not know libcrypto:\n" + result.stdout + result.stderr)
    ctx.file("BUILD.bazel", _BUILD % result.stdout.strip().split(" "))

static_libcrypto = repository_rule(implementation = _static_libcrypto_impl, local = True)
