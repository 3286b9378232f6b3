#!/usr/bin/env bash
# Makes the packages of Python and Node, with the program inside: the wheels of tapedeck-bin and pytest-tapedeck, and the archives of
# @tapedeck/linux-CPU and node-tapedeck for npm.
#
#     packaging/helpers.sh [--local] PARTS OUT
#
# PARTS is made by packaging/parts.sh. For --local see packaging/wheel.py. Needs binutils, npm, and pip, which gets hatchling.
set -euo pipefail
local=()
if [ "${1:-}" = --local ]; then
    local=(--local)
    shift
fi
if [ $# -ne 2 ]; then
    echo "usage: packaging/helpers.sh [--local] PARTS OUT" >&2
    exit 64
fi
parts=$(realpath "$1") out=$(realpath -m "$2")
cd "$(dirname "$0")/.."

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022
packaging/wheel.py "${local[@]}" "$parts" "$out"
packaging/npm.py "${local[@]}" "$parts" "$out"
python3 -m pip wheel --quiet --no-deps --wheel-dir "$out" ./Packages/pytest-tapedeck
npm pack --silent --pack-destination "$out" ./Packages/node-tapedeck
