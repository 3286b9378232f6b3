#!/usr/bin/env bash
# Measures the time from exec of `tapedeck replay` to its first answered request, on a tape of ten sets, beside nginx if that is
# there; and the time of `tapedeck --version`.
#
#     swift build -c release && Benchmarks/startup.sh
#
# TAPEDECK=PATH     the binary (.build/release/tapedeck)
# TAPEDECK_ARGS=…   more arguments for `tapedeck replay`, split at spaces
# RUNS=20           counted runs, after one that is not and makes the CA
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

binary=${TAPEDECK:-.build/release/tapedeck}
runs=${RUNS:-20}
read -ra extra_arguments <<<"${TAPEDECK_ARGS:-}"

command -v python3 >/dev/null || { echo "startup.sh: missing: install with 'apt-get install python3'" >&2; exit 1; }
if [[ ! -x $binary ]]; then
    echo "startup.sh: no binary at $binary: build it with 'swift build -c release', or set TAPEDECK" >&2
    exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/tapedeck-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT # startup.py ends each process it starts.
export TAPEDECK_CA_DIR=$work/ca
mkdir -m 700 "$TAPEDECK_CA_DIR"

python3 -c 'print("Tapedeck replays" * 64, end="")' >"$work/body"
python3 "$here/make_cassette.py" 10 "$work/body" >"$work/tape.yaml"
echo "machine: $(nproc) cores, $(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(uname -sr)"
nginx=()
if command -v nginx >/dev/null; then
    mkdir -p "$work/nginx/temp"
    nginx=(--nginx "$work/nginx")
fi
python3 "$here/startup.py" ${nginx[@]+"${nginx[@]}"} --runs "$runs" --body "$work/body" --log "$work/log" -- \
    "$binary" replay "$work/tape.yaml" --port PORT ${extra_arguments[@]+"${extra_arguments[@]}"}
