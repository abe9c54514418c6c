#!/bin/sh
# Unpacks the sources of the installed libgrpc-dev in ./grpc: they have the internal headers, which the distribution
# does not install. Writes the name of the folder below host/ for this gRPC to the file ./host.
set -eu

package=$(dpkg-query -W -f '${source:Package}' libgrpc-dev)
version=$(dpkg-query -W -f '${source:Version}' libgrpc-dev)

# Fetches the distribution's source package. apt checks its signatures. It runs with a configuration of its own, so the
# machine's apt sources do not change.
from_distribution() {
  work=$PWD/apt
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  "$(dirname "$0")/apt_source.sh" libgrpc-dev "$work"
  private_apt update
  private_apt source --download-only "$package=$version"
  # Unpacking with dpkg-source applies the distribution's patches, some of which touch headers.
  dpkg-source --no-check -x ./*.dsc grpc
  rm -rf "$work" ./*.orig.tar.* ./*.debian.tar.*
}

private_apt() {
  apt-get -q -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o Dir::Etc::sourcelist="$(echo "$work"/apt.*)" -o Dir::Etc::sourceparts=/dev/null \
    -o APT::Sandbox::User=root "$@"
}

# Fetches gRPC's own source package for Python, which has the headers and the generated upb: the distribution has no
# source package of 1.83. If GXDS_GRPC_SDIST is set, it is the path of the package.
from_pypi() {
  sdist=${GXDS_GRPC_SDIST:-}
  if [ -z "$sdist" ]; then
    python3 -m pip -q download --no-deps --no-binary grpcio -d sdist "grpcio==$1"
    sdist=sdist/grpcio-$1.tar.gz
  fi
  tar -x -z -f "$sdist"
  mv "grpcio-$1" grpc
  rm -rf sdist
}

case $version in
  1.51.*)
    echo grpc_1_51 > host
    from_distribution
    ;;
  1.83.*)
    echo grpc_1_83 > host
    from_pypi "${version%%-*}"
    ;;
  *)
    echo "fetch_grpc_source: libgrpc-dev is $version, but this builds for 1.51 and 1.83" >&2
    exit 1
    ;;
esac
