#!/bin/sh
# Unpacks the source package of the installed libgrpc-dev into the current folder, for the internal
# headers, which the distribution does not install. apt checks its signatures; the machine's own apt
# sources stay as they are, because apt runs here on a configuration of its own.
set -eu

package=$(dpkg-query -W -f '${source:Package}' libgrpc-dev)
version=$(dpkg-query -W -f '${source:Version}' libgrpc-dev)
work=$PWD/apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
"$(dirname "$0")/apt_source.sh" libgrpc-dev "$work"

private_apt() {
  apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o Dir::Etc::sourcelist="$(echo "$work"/apt.*)" -o Dir::Etc::sourceparts=/dev/null \
    -o APT::Sandbox::User=root "$@"
}
private_apt update
private_apt source --download-only "$package=$version"
# Unpacking with dpkg-source applies the distribution's patches, some of which touch headers.
dpkg-source --no-check -x ./*.dsc grpc
rm -rf "$work" ./*.orig.tar.* ./*.debian.tar.*
