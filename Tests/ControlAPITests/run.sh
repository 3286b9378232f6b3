#!/usr/bin/env bash
# Has schemathesis ask every route of a running deck for thousands of things, right and wrong, by its own description:
# nothing may be answered with a 5xx. Left out are the two streams of events, which do not end, and the wait for requests,
# whose answers take their time.
#
#     Tests/ControlAPITests/run.sh TAPEDECK BIN        the binary, and the folder with `schemathesis`
set -euo pipefail

tapedeck=$(realpath "$1")
schemathesis=$(realpath "$2")/schemathesis
hooks=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/hooks.py
work=$(mktemp -d "${TMPDIR:-/tmp}/tapedeck-api.XXXXXX")
trap 'kill "$deck" 2>/dev/null || true; wait "$deck" 2>/dev/null || true; rm -rf "$work"' EXIT
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../cassettes" "$work/cassettes"
cd "$work"
export TAPEDECK_CA_DIR="$work/ca"
mkfifo said
"$tapedeck" serve github --port 0 2>said >/dev/null &
deck=$!
exec 3<said
while read -r line <&3; do
    case $line in
        *"to steer it:"*) control=$(grep -o 'http://[0-9.:]*' <<<"$line" | head -1) ;;
        *"to trust it:"*) break ;;
    esac
done
cat <&3 >/dev/null &
SCHEMATHESIS_HOOKS=$hooks "$schemathesis" run "$control/openapi.json" --url "$control" --checks not_a_server_error --max-examples 30 \
    --exclude-operation-id followDeck --exclude-operation-id followSession --exclude-operation-id waitForRequests \
    --request-timeout 20 --continue-on-failure
