#!/usr/bin/env bash
# Builds the program as it is distributed, with Swift's libraries in it.
#
#     packaging/build.sh [OPTION OF swift build ...]
#
# lld links equal functions once and packs the relocations, which makes the program two megabytes smaller. Packed relocations
# need glibc 2.36, which Debian 12 has.
set -euo pipefail
exec swift build -c release --static-swift-stdlib --product tapedeck -Xswiftc -use-ld=lld \
    -Xlinker --icf=safe -Xlinker -z -Xlinker pack-relative-relocs "$@"
