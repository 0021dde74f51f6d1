#!/usr/bin/env bash
# Fetches and unpacks a Debian source package, upstream's files without Debian's patches.
#
#   debian_source.sh PACKAGE DIRECTORY
#
# A source entry is made beside the system's own from the archives it already knows; the package
# lists go to the directory as well, so nothing of the system is changed.
set -euo pipefail
package=$1
mkdir -p "$2"
into=$(cd "$2" && pwd)
if [ -e "$into/$package/.unpacked" ]; then
    exit 0
fi
state=$into/.apt
mkdir -p "$state/lists/partial" "$state/sources.d"
if [ ! -e "$state/sources.d/debian.sources" ]; then
    # The first entry is the release itself; what security updates replaced is not kept there.
    sed -e '/^$/q' -e 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources \
        >"$state/sources.d/debian.sources"
fi
apt_here() {
    apt-get -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources.d" \
        -o Dir::State::lists="$state/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=root "$@"
}
if [ ! -e "$state/updated" ]; then
    apt_here -qq update
    touch "$state/updated"
fi
rm -rf "${into:?}/$package" && mkdir "$into/$package"
# Some mirrors lack a package's further archives; only upstream's own is needed.
(cd "$into/$package" && apt_here -qq source --download-only --tar-only "$package") || true
# Upstream's tree only: what its authors ship.
archive=$(find "$into/$package" -name '*.orig.tar.*' ! -name '*.asc' | sort | head -n 1)
if [ -z "$archive" ]; then
    echo "the sources of $package could not be had; try another mirror of Debian" >&2
    exit 1
fi
tar -xf "$archive" -C "$into/$package" --strip-components=1
touch "$into/$package/.unpacked"
