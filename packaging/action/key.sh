#!/usr/bin/env bash
# Prints `key=…` for the cache of the built program: another one for other sources, another system or another Swift.
set -euo pipefail
cd "$SOURCES"
sources=$(find Package.swift Sources -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-32)
system=$(. /etc/os-release && printf '%s-%s' "$ID" "$VERSION_ID")
swift=none
if [ -z "${BINARY:-}" ] && command -v swift >/dev/null; then swift=$(swift --version 2>&1 | sha256sum | cut -c 1-8); fi
printf 'key=tapedeck-%s-%s-%s-%s\n' "$system" "$(uname -m)" "$swift" "$sources"
