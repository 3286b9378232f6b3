#!/usr/bin/env bash
# Puts a tapedeck program on the path of the job: the one in BINARY, the one in the cache, or one built from SOURCES.
set -euo pipefail
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
install -d "$PROGRAM"
if [ -n "${BINARY:-}" ]; then
    install -m 0755 "$BINARY" "$PROGRAM/tapedeck"
elif [ ! -x "$PROGRAM/tapedeck" ]; then
    if ! command -v swift >/dev/null; then
        echo "::error::There is no swift on the path to build Tapedeck with: run the job in the container swift:6.3-bookworm, or give a program as the input \`binary\`."
        exit 1
    fi
    as_root apt-get update -qq
    as_root apt-get install -y -qq --no-install-recommends libssl-dev libpcre2-dev zlib1g-dev libbrotli-dev libzstd-dev libnghttp2-dev
    "$SOURCES/packaging/build.sh" --package-path "$SOURCES" --scratch-path "$PROGRAM/build"
    install -s -m 0755 "$PROGRAM/build/release/tapedeck" "$PROGRAM/tapedeck"
    rm -rf "$PROGRAM/build"
fi
# The libraries that the program is linked with, where the job's system lacks them.
if grep -q 'not found' <<<"$(ldd "$PROGRAM/tapedeck")"; then
    as_root apt-get update -qq
    as_root apt-get install -y -qq --no-install-recommends ca-certificates libssl3 libpcre2-8-0 zlib1g libbrotli1 libzstd1 libnghttp2-14
fi
"$PROGRAM/tapedeck" --version
echo "$PROGRAM" >>"$GITHUB_PATH"
echo "path=$PROGRAM/tapedeck" >>"$GITHUB_OUTPUT"
