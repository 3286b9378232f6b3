# shellcheck shell=bash
# compose.yaml as a team would use it; part of docker/test.sh. The images are those of the test.

compose_run() { # PROFILE ARGUMENT…
    local profile=$1
    shift
    timeout -k 10 180 "$compose" -p "$project" -f docker/compose.yaml --profile "$profile" "$@" </dev/null
}

compose_down() {
    local name
    for name in $(podman ps -aq --filter "label=io.podman.compose.project=$project"); do
        podman rm -f -v -t 0 "$name" >/dev/null 2>&1 || true
    done
    for name in $(podman pod ls -q --filter "name=pod_$project"); do podman pod rm -f "$name" >/dev/null 2>&1 || true; done
    for name in cassettes authority trust; do podman volume rm -f "${project}_$name" >/dev/null 2>&1 || true; done
    for name in default stage; do podman network rm -f "${project}_$name" >/dev/null 2>&1 || true; done
}

service() { # NAME: its container
    podman ps -aq --filter "label=io.podman.compose.project=$project" --filter "label=com.docker.compose.service=$1"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

healthy() { # SERVICE: waits for it
    eventually podman healthcheck run "$(service "$1")"
}

json() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }

step "compose.yaml"
if [ -z "$compose" ]; then
    echo "not run: there is no podman-compose here; pip install podman-compose, or name it with --compose"
else
    project=$id
    export DECK_IMAGE=$tag APP_IMAGE=$tag-app HAPROXY_IMAGE=$tag-haproxy DECK_TOKEN_FILE=$work/token
    DECK_PORT=$(free_port) DECK_CONTROL_PORT=$(free_port) TEAM_PORT=$(free_port) TEAM_CONTROL_PORT=$(free_port)
    export DECK_PORT DECK_CONTROL_PORT TEAM_PORT TEAM_CONTROL_PORT TAPEDECK_TOKEN=$secret
    for profile in app transparent team; do
        check "it is valid, with --profile $profile" compose_run "$profile" config
    done
    images+=("$APP_IMAGE" "$HAPROXY_IMAGE")
    check "the app's image is built" podman_build -t "$APP_IMAGE" docker/app
    check "so is one of HAProxy" podman_build -f docker/tests/haproxy.Dockerfile -t "$HAPROXY_IMAGE" docker/tests

    check "the deck comes up" compose_run none up -d --no-build
    check "it is healthy" healthy tapedeck
    podman cp cassettes/github.yaml "$(service tapedeck)":/cassettes/github.yaml
    expected=$(curl -sS --max-time 20 -X POST -H "Authorization: Bearer $secret" -H 'Content-Type: application/json' \
        -d '{"name": "app", "cassettes": ["github"]}' "http://127.0.0.1:$DECK_CONTROL_PORT/v1/sessions")
    TAPEDECK_SESSION_KEY=$(json '["id"]' <<<"$expected"):$(json '["token"]' <<<"$expected")
    export TAPEDECK_SESSION_KEY
    compose_run app run --rm -T app >"$work/app" 2>"$work/app.err" || cat "$work/app.err"
    check "an app that has a proxy and an authority gets what is on tape" grep -q octocat "$work/app"
    guide=$(podman exec "$(service tapedeck)" tapedeck session create github --token-file /run/secrets/tapedeck_token 2>&1)
    check "it says where its proxy is" grep -q "@127.0.0.1:$DECK_PORT" <<<"$guide"
    check "it has the authority without its key" lacks "$(podman run --rm --network none -v "${project}_trust:/trust:ro" \
        "$APP_IMAGE" ls /trust)" key

    check "the deck without a proxy comes up" compose_run transparent up -d --no-build api
    # One that was never healthy ends with 0 as well.
    check "it is healthy" healthy api
    compose_run transparent run --rm -T app-without-proxy >"$work/app" 2>"$work/app.err" || cat "$work/app.err"
    check "an app that has the authority alone gets what is on tape" grep -q octocat "$work/app"

    check "three decks and HAProxy come up" compose_run team up -d --no-build
    for name in a b c; do check "deck $name is healthy" healthy "deck-$name"; done
    team=http://127.0.0.1:$TEAM_CONTROL_PORT
    timeout 20 python3 docker/tests/until_ready.py "$team/v1/ready" >/dev/null || true
    curl -sS "$team/v1/ca.pem" --max-time 20 -o "$work/compose-ca.pem" || true
    decks=""
    for number in 1 2 3 4 5 6; do
        made=$(curl -sS --max-time 20 -X POST -H "Authorization: Bearer $secret" -H 'Content-Type: application/json' \
            -d '{"cassettes": ["github"]}' "$team/v1/sessions" || true)
        name=$(json '["id"]' <<<"$made" || true)
        decks+="${name%%-*} "
        curl -sS --max-time 20 -x "http://$name:$secret@127.0.0.1:$TEAM_PORT" --cacert "$work/compose-ca.pem" -o "$work/team.$number" \
            https://api.github.com/users/octocat 2>"$work/team.err" || true
    done
    told=$(curl -sS --max-time 20 -H "Authorization: Bearer $secret" "$team/v1/deck" || true)
    check "they say where the way in is" grep -q "\"proxyURL\":\"http://127.0.0.1:$TEAM_PORT\"" <<<"$told"
    check "sessions are on all three" test "$(tr ' ' '\n' <<<"$decks" | sort -u | xargs)" = "a b c"
    check "each answers through HAProxy" test "$(grep -l octocat "$work"/team.? | wc -l)" = 6

    if [ "$failed" != 0 ]; then
        for name in tapedeck api haproxy deck-a deck-b deck-c; do
            podman logs --tail 15 "$(service "$name")" 2>&1 | sed "s/^/      | $name: /"
        done
    fi
    began=$(now)
    check "they stop" compose_run team stop
    fact "stop" "$(($(now) - began)) ms for all of them, one by one"
    for name in tapedeck api deck-a deck-b deck-c; do
        check "$name ended with 0" test "$(podman inspect --format '{{.State.ExitCode}}' "$(service "$name")")" = 0
    done
    compose_down
    project=""
fi
