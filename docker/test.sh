#!/usr/bin/env bash
# Builds the image, runs it as a team would, and says what it saw. The last line is `N passed, N failed`.
#
#     docker/test.sh [--binary FILE] [--compose COMMAND]
#
#     --binary FILE      put this program, made by packaging/build.sh, into the image instead of building it there
#     --compose COMMAND  what reads compose.yaml (default: podman-compose, if it is there)
#
# Needs root, podman 4.3 or later, curl, openssl, python3 and iproute2, and the images debian:bookworm-slim and, without
# --binary, swift:6.3-bookworm, in podman's store or to be pulled. The team are network namespaces of this test's own: the deck
# is on one, a live API on another, people on others. All that it makes it removes.
set -euo pipefail
cd "$(dirname "$0")/.."
. docker/tests/parts.sh

binary="" compose=$(command -v podman-compose || true)
while [ $# -gt 0 ]; do
    case $1 in
        --binary) binary=$(realpath "${2:?--binary takes a file}"); shift 2 ;;
        --compose) compose=${2:?--compose takes a command}; shift 2 ;;
        *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 64 ;;
    esac
done
[ "$(id -u)" = 0 ] || { echo "docker/test.sh must run as root: it makes network namespaces" >&2; exit 69; }

engine_settings
step "The image"
build_image
size=$(image '{{.Size}}')
fact "size" "$((size / 1024 / 1024)) MiB: $(podman history --format '{{.Size}} {{.CreatedBy}}' "$tag" | layers)"
check "it runs as a user that is a number, and not root" test "$(image '{{.Config.User}}')" = 10001:10001
check "it starts without a shell" test "$(image '{{json .Config.Entrypoint}}')" = '["tapedeck"]'
check "it has a health check" grep -q '"tapedeck","health"' <<<"$(image '{{json .HealthCheck}}')"
check "it is smaller than 200 MiB" test "$size" -lt $((200 * 1024 * 1024))
inside=$(podman run --rm --network none --user 0 --entrypoint /bin/sh "$tag" -c '
    ldd /usr/local/bin/tapedeck
    find / -xdev \( -name "*.swift" -o -name .build -o -name .git \) 2>/dev/null
    find /var/lib/apt/lists -type f
    stat -c "%u:%g %n" /cassettes /ca' 2>&1)
sbom=$(image '{{index .Config.Labels "tapedeck.sbom"}}')
check "it has a bill of materials, where its label says" grep -q '"name": "swift-nio"' \
    <<<"$(podman run --rm --network none --entrypoint cat "$tag" "$sbom")"
check "no library is missing" lacks "$inside" 'not found'
check "no sources, build folders or package lists are in it" lacks "$inside" '(\.swift|\.build|\.git|apt/lists/)'
check "its folders are the user's" test "$(grep -c '^10001:10001 /c' <<<"$inside")" = 2

step "It starts"
network_up
make_origin
volume cassettes
volume authority
secret=$(openssl rand -hex 16)
printf '%s\n' "$secret" >"$work/token"
start_deck
# On a machine that is busy with something else the first start may wait for that.
for _ in 1 2; do
    [ "$answered_after" -ge 1000 ] || break
    fact "start" "answered $answered_after ms after its process began; once more"
    podman stop -t 10 "$deck" >/dev/null
    start_deck
done
fact "start" "answers $answered_after ms after its process began"
check "it answers in under a second" test "$answered_after" -lt 1000
check "it is healthy" podman healthcheck run "$deck"
pid=$(podman inspect --format '{{.State.Pid}}' "$deck")
of_process() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$pid/status"; }
fact "memory" "$(($(of_process VmRSS) / 1024)) MiB resident"
check "it is user 10001" test "$(of_process Uid)" = 10001
check "it has no capabilities" test "$(of_process CapEff)$(of_process CapBnd)" = 00000000000000000000000000000000
check "it can gain no privileges" test "$(of_process NoNewPrivs)" = 1
check "it takes all files that it may open" test "$(awk '/^Max open files/ { print $4 }' "/proc/$pid/limits")" = 4096
check "it cannot write to its root file system" fails podman exec "$deck" /bin/sh -c 'echo x >/x'
check "the key of its authority is its own" test "$(podman exec "$deck" stat -c %a:%u /ca/ca-key.pem)" = 600:10001
on ada curl -fsS "$api/v1/ca.pem" -o "$work/ca.pem"

step "Two people record and replay at once"
record() { # WHO: records ten answers into a cassette of that name; prints them
    local key number
    key=$(session "$1" "{\"name\": \"$1\", \"mode\": \"record\", \"cassettes\": [\"$1\"]}")
    for number in {1..10}; do through "$1" "$key" "https://$origin_name/$1/$number"; echo; done
    steer "$1" DELETE "/v1/sessions/${key%%:*}" >/dev/null
}
replay() { # WHO: plays them; prints them
    local key number
    key=$(session "$1" "{\"name\": \"$1\", \"cassettes\": [\"$1\"]}")
    for number in {1..10}; do through "$1" "$key" "https://$origin_name/$1/$number"; echo; done
    steer "$1" DELETE "/v1/sessions/${key%%:*}" >"$work/report.$1"
}
both() { # FUNCTION: for ada and bob at once
    local ada bob
    "$1" ada >"$work/$1.ada" 2>"$work/$1.ada.err" & ada=$!
    "$1" bob >"$work/$1.bob" 2>"$work/$1.bob.err" & bob=$!
    if wait "$ada" && wait "$bob"; then return; fi
    cat "$work/$1".*.err
    return 1
}
check "both record over HTTPS" both record
for who in ada bob; do
    check "$who got ten answers of their own" test "$(grep -c "\"who\": \"$who\"" "$work/record.$who")" = 10
    check "$who's cassette is on the volume" test "$(grep -c 'status: 200' "$(folder cassettes)/$who.yaml")" = 10
done
stop_origin
check "both replay with the live API gone" both replay
for who in ada bob; do
    check "$who got the very same" cmp "$work/record.$who" "$work/replay.$who"
done

step "The scripts of docs/ci.md"
if command -v jq >/dev/null; then
    mkdir "$work/job"
    cp -r cassettes "$work/job"
    awk -v folder="$work/job/" '/^```sh/ { number++; next } /^```/ { inside = 0; next } /^#!\/bin\/sh/ { inside = ++script }
        inside { print > (folder (inside == 1 ? "begin" : "end") "-session.sh") }' docs/ci.md
    job() { # URL: asks for it as a job does that has begun a session, and ends that
        (
            cd "$work/job"
            export TAPEDECK_URL=$api TAPEDECK_TOKEN=$secret
            on bob sh begin-session.sh github >session.env
            set -a
            . ./session.env
            set +a
            on bob curl -sS "$1"
            on bob sh end-session.sh >/dev/null
        )
    }
    check "a job gets what is on tape" job https://api.github.com/users/octocat
    check "it fails for what is not" fails job https://api.github.com/users/nobody
else
    echo "not run: there is no jq here"
fi

step "A third without the token gets nothing"
check "the proxy wants credentials" test "$(status eve -x "http://$address:4747" "http://$origin_name/ada/1")" = 407
check "for a tunnel, too" grep -q 'response 407' <<<"$(on eve curl -sS -x "http://$address:4747" "https://$origin_name/ada/1" 2>&1)"
key=$(session ada '{"name": "ada", "cassettes": ["ada"]}')
check "another token is refused" test "$(status eve -x "http://${key%%:*}:guessed@$address:4747" "http://$origin_name/ada/1")" = 403
check "an id alone is not enough" test "$(status eve -x "http://${key%%:*}@$address:4747" "http://$origin_name/ada/1")" = 407
check "so is a base URL without it" test "$(status eve "http://$address:4747/.tapedeck/${key%%:*}/https/$origin_name/ada/1")" = 403
for path in sessions deck cassettes "sessions/${key%%:*}/journal" events; do
    check "GET /v1/$path is refused" test "$(status eve "$api/v1/$path")" = 401
done
check "making a session is refused" test "$(status eve -X POST -H 'Content-Type: application/json' -d '{}' "$api/v1/sessions")" = 401

. docker/tests/targets.sh

step "On another machine"
# With the program of the image, on the machine of a user.
tapedeck() { podman run --rm --network "ns:/run/netns/$id-bob" -e TAPEDECK_URL="$api" -e TAPEDECK_TOKEN="$secret" "$tag" "$@"; }
check "the deck says where its proxy is" grep -q "\"proxyURL\":\"http://$address:4747\"" <<<"$(steer bob GET /v1/deck)"
guide=$(tapedeck session create ada --name bob 2>&1 >"$work/bob" || true)
proxy=$(grep -o 'https_proxy=[^ ]*' <<<"$guide" | cut -d = -f 2-)
check "so does session create" grep -q "@$address:4747\$" <<<"$proxy"
check "and there it is" on bob curl -fsS --max-time 20 --cacert "$work/ca.pem" -x "$proxy" -o "$work/through" \
    "https://$origin_name/ada/1"
check "the session ends with its report" tapedeck session end "$(cat "$work/bob")"
check "its health can be asked from there" tapedeck health --deck "$api"

step "SIGHUP"
before=$secret secret=$(openssl rand -hex 16)
printf '%s\n' "$secret" >"$work/token"
podman kill -s HUP "$deck" >/dev/null
check "another token is taken" eventually steer ada GET /v1/sessions
check "the one before is refused" test "$(status ada -H "Authorization: Bearer $before" "$api/v1/sessions")" = 401
check "it is healthy" podman healthcheck run "$deck"

step "It stops"
key=$(session ada '{"name": "carol", "mode": "record", "cassettes": ["carol"]}')
for number in {1..20}; do through ada "$key" "https://$origin_name/carol/$number" >/dev/null; done
through ada "$key" "https://$origin_name/gate" >"$work/gate" & gated=$!
direct() { on bob curl -fsS --max-time 30 --cacert "$work/origin.pem" --resolve "$origin_name:443:$origin_address" \
    "https://$origin_name/$1" >/dev/null; }
direct arrived
began=$(now)
podman stop -t 10 "$deck" >/dev/null & stopping=$!
# It takes no new connections: it is stopping. Now the live API may answer what is on its way.
check "it takes no more connections" eventually fails on ada curl -fsS -o "$work/ready" "$api/v1/ready"
direct open
wait "$stopping"
took=$(($(now) - began))
fact "stop" "$took ms after SIGTERM"
check "it ends with 0" test "$(podman inspect --format '{{.State.ExitCode}}' "$deck")" = 0
check "within 10 seconds" test "$took" -lt 10000
check "what was on its way has arrived" wait "$gated"
check "whole" grep -q '"who": "gate"' "$work/gate"
check "all that was recorded is saved" test "$(grep -c 'status: 200' "$(folder cassettes)/carol.yaml")" = 21

step "It is killed"
start_deck
key=$(session ada '{"name": "dan", "mode": "record", "cassettes": ["dan"]}')
for number in {1..20}; do through ada "$key" "https://$origin_name/dan/$number" >/dev/null; done
podman kill -s KILL "$deck" >/dev/null
podman wait "$deck" >/dev/null
start_deck
key=$(session ada '{"name": "dan", "mode": "append", "cassettes": ["dan"]}')
stop_origin
check "the next start has what was recorded" through ada "$key" "https://$origin_name/dan/20"
steer ada DELETE "/v1/sessions/${key%%:*}" >/dev/null
check "all of it" test "$(grep -c 'status: 200' "$(folder cassettes)/dan.yaml")" = 20
podman stop -t 10 "$deck" >/dev/null
podman logs "$deck" >"$work/log" 2>&1
fact "log" "$(wc -l <"$work/log") lines of all its runs"
check "each line of its log is JSON" python3 -c 'import json, sys
for line in sys.stdin: assert json.loads(line)["level"], line' <"$work/log"
check "no token is in it" fails grep -e "$secret" -e "$before" "$work/log"
podman rm -f "$deck" >/dev/null
deck=""

. docker/tests/compose.sh
finish
