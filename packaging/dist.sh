#!/usr/bin/env bash
# Makes what is handed out, in dist/: tapedeck-VERSION-linux-ARCH.tar.gz, tapedeck_VERSION_ARCH.deb, tapedeck.spdx.json, SHA256SUMS.
#
#     packaging/dist.sh [--binary PROGRAM --build FOLDER] [--out FOLDER]
#
# Builds the program, statically linked with Swift's library, unless PROGRAM names one that is not stripped yet, and FOLDER the build
# folder that it comes from. Needs Debian 12 with Swift 6.3, the packages of the README, and binutils, dpkg-dev and python3.
#
# MAINTAINER_MAIL is the address in the package of Debian.
#
# Two builds of a commit in the same folder give the same bytes: files are sorted, have the time of the last commit (or
# SOURCE_DATE_EPOCH) and belong to root.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "usage: packaging/dist.sh [--binary PROGRAM --build FOLDER] [--out FOLDER]" >&2
    exit 64
}
binary=''
build=.build
out=dist
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage
    case $1 in
    --binary) binary=$2 ;;
    --build) build=$2 ;;
    --out) out=$2 ;;
    *) usage ;;
    esac
    shift 2
done

if [ -z "$binary" ]; then
    packaging/build.sh --scratch-path "$build"
    binary=$build/release/tapedeck
fi

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C
version=$("$binary" --version)
architecture=$(dpkg --print-architecture)
mail=${MAINTAINER_MAIL:-tapedeck@packages.invalid}
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
name=tapedeck-$version-linux-$architecture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# The parts.
parts=$work/parts
mkdir -p "$parts/completions"
packaging/parts.sh "$binary" "$build" "$parts"
for shell in bash zsh fish; do
    "$binary" --generate-completion-script "$shell" >"$parts/completions/tapedeck.$shell"
done
# It is sourced, not run.
sed -i '1{/^#!/d}' "$parts/completions/tapedeck.bash"
python3 packaging/man.py "$binary" "$parts/man" "$day"

# The archive.
tree=$work/$name
mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/cassettes"
cp "$parts/tapedeck" "$tree/bin/"
cp "$parts"/man/*.1 "$tree/share/man/man1/"
cp -r "$parts/completions" "$parts/licenses" "$parts/tapedeck.spdx.json" "$tree/"
cp README.md CHANGELOG.md LICENSE NOTICE SECURITY.md "$tree/"
cp cassettes/*.yaml "$tree/cassettes/"
mkdir -p "$out"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"

# The package of Debian.
root=$work/deb
share=$root/usr/share
doc=$share/doc/tapedeck
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$doc/third-party" "$doc/examples"
cp "$parts/tapedeck" "$root/usr/bin/"
cp "$parts"/man/*.1 "$share/man/man1/"
gzip -9n "$share"/man/man1/*.1
install -D -m 0644 "$parts/completions/tapedeck.bash" "$share/bash-completion/completions/tapedeck"
install -D -m 0644 "$parts/completions/tapedeck.zsh" "$share/zsh/vendor-completions/_tapedeck"
install -D -m 0644 "$parts/completions/tapedeck.fish" "$share/fish/vendor_completions.d/tapedeck.fish"
cp "$parts"/licenses/* "$doc/third-party/"
cp "$parts/tapedeck.spdx.json" README.md SECURITY.md NOTICE "$doc/"
cp cassettes/*.yaml "$doc/examples/"
gzip -9nc CHANGELOG.md >"$doc/NEWS.gz"
printf 'tapedeck (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n -- The Tapedeck authors <%s>  %s\n' \
    "$version" "$mail" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
cat >"$doc/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tapedeck

Files: *
Copyright: 2026 the Tapedeck authors
License: Apache-2.0
Comment: The licences of the libraries that the program is linked with are in /usr/share/doc/tapedeck/third-party, and a bill of
 materials is tapedeck.spdx.json beside that folder.

License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
COPYRIGHT
mkdir -p "$work/shlibs/debian"
printf 'Source: tapedeck\n\nPackage: tapedeck\nArchitecture: any\n' >"$work/shlibs/debian/control"
depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O "$root/usr/bin/tapedeck" | sed -n 's/^shlibs:Depends=//p')
cat >"$root/DEBIAN/control" <<CONTROL
Package: tapedeck
Version: $version
Architecture: $architecture
Maintainer: The Tapedeck authors <$mail>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: ca-certificates, $depends
Section: devel
Priority: optional
Description: record and replay HTTP for tests
 Tapedeck records the HTTP and HTTPS traffic of a program into readable
 cassette files and replays it without a network. It is a proxy, so it works
 with most clients in any language and needs no change to the program.
 .
 Cassettes are YAML. Secrets are replaced by placeholders before anything is
 written. Answers have named variants: sequences, faults, delays, templates.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/tapedeck_${version}_$architecture.deb" >/dev/null

cp "$parts/tapedeck.spdx.json" "$out/"
(cd "$out" && sha256sum "$name.tar.gz" "tapedeck_${version}_$architecture.deb" tapedeck.spdx.json >SHA256SUMS && cat SHA256SUMS)
