#!/bin/sh
# Unpacks the source package of the installed libgrpc-dev into the current folder, for the internal
# headers, which the distribution does not install. apt checks its signatures; the machine's own apt
# sources stay as they are, because apt runs here on a configuration of its own.
set -eu

version=$(dpkg-query -W -f '${source:Version}' libgrpc-dev)
mirror=$(apt-cache policy libgrpc-dev | sed -n 's/^ *[0-9]* \(https\{0,1\}:[^ ]*\) .*/\1/p' | head -n 1)
suite=$(apt-cache policy libgrpc-dev | sed -n 's/^ *[0-9]* https\{0,1\}:[^ ]* \([^/ ]*\)\/.*/\1/p' | head -n 1)
[ -n "$mirror" ] && [ -n "$suite" ] || {
  echo "fetch_grpc_source: apt knows no mirror for libgrpc-dev; run apt-get update first" >&2
  exit 1
}

work=$PWD/apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
cat > "$work/grpc.sources" <<SOURCES
Types: deb-src
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES

private_apt() {
  apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o Dir::Etc::sourcelist="$work/grpc.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o APT::Sandbox::User=root "$@"
}
private_apt update
private_apt source --download-only "grpc=$version"
# Unpacking with dpkg-source applies the distribution's patches, some of which touch headers.
dpkg-source --no-check -x ./grpc_*.dsc grpc
rm -rf "$work" ./grpc_*.orig.tar.* ./grpc_*.debian.tar.*
