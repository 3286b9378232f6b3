# shellcheck shell=bash
# The parts of docker/test.sh: checks, the image, a network of the test's own, a deck and clients in it.

id=tapedeck-test-$$
tag=localhost/$id
base=debian:bookworm-slim
work=$(mktemp -d "${TMPDIR:-/tmp}/$id.XXXXXX")
passed=0 failed=0 deck="" origin="" project=""
declare -A volumes=()
images=()
# No timers of systemd: health is looked at when the test asks for it.
export DISABLE_HC_SYSTEMD=true
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY TAPEDECK_TOKEN TAPEDECK_URL

step() { printf '\n== %s\n' "$*"; }
fact() { printf '      %-8s %s\n' "$1" "$2"; }
now() { date +%s%3N; }
check() { # WHAT COMMAND…
    local what=$1
    shift
    if "$@" >"$work/check" 2>&1; then
        passed=$((passed + 1))
        echo "ok    $what"
    else
        failed=$((failed + 1))
        echo "FAIL  $what: $*"
        sed 's/^/      | /' "$work/check" | tail -20
        [ -z "$deck" ] || podman logs --tail 5 "$deck" 2>&1 | sed 's/^/      | deck: /' || true
    fi
}
# COMMAND…: until it succeeds, for 20 s at most. Each of these commands asks something and so takes its time.
eventually() {
    local end=$(($(now) + 20000))
    until "$@" >/dev/null 2>&1; do [ "$(now)" -lt "$end" ] || return 1; done
}
lacks() { ! grep -E -- "$2" <<<"$1"; }
fails() { ! "$@"; }
finish() {
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
}

cleanup() {
    local name
    trap - EXIT
    stop_origin
    [ -z "$deck" ] || podman rm -f -t 0 "$deck" >/dev/null 2>&1 || true
    [ -z "$project" ] || compose_down
    for name in "${volumes[@]}"; do podman volume rm -f "$name" >/dev/null 2>&1 || true; done
    for name in "${images[@]}"; do podman rmi -f "$name" >/dev/null 2>&1 || true; done
    for name in switch "${hosts[@]}"; do
        ip netns del "$id-$name" 2>/dev/null || true
        rm -rf "/etc/netns/$id-$name"
    done
    rmdir /etc/netns 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Where podman's own settings do not work, as in a container or on a machine with fewer rights, others do: another runtime, no
# systemd, no limits that are higher than ours.
engine_settings() {
    local files
    [ -z "${CONTAINERS_CONF:-}" ] || return 0
    if podman run --rm --network none "$base" true >"$work/trial" 2>&1; then return; fi
    files=$(ulimit -Hn)
    [ "$files" != unlimited ] || files=20000
    cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=8192:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
    if [ -x /usr/lib/podman/netavark ]; then printf '[network]\nnetwork_backend = "netavark"\n' >>"$work/containers.conf"; fi
    export CONTAINERS_CONF=$work/containers.conf
    podman run --rm --network none "$base" true >>"$work/trial" 2>&1 || { cat "$work/trial"; echo "FAIL  podman runs nothing here"; exit 1; }
}

# --- The image ----------------------------------------------------------------------------------------------------------

image() { podman image inspect --format "$1" "$tag"; }

# OPTION… FOLDER: what every build has in common. Docker's format, as the other one has no health checks.
podman_build() { podman build --format docker --network host --pull=missing "$@" >"$work/build.log" 2>&1 </dev/null; }

build_image() {
    local options=(--ignorefile docker/Dockerfile.dockerignore -f docker/Dockerfile -t "$tag") began
    # By its tag, also where the Dockerfile has a digest: the store here may have been filled by other means than the registry.
    options+=(--build-arg "RUNTIME_IMAGE=$base")
    if [ -n "$binary" ]; then
        # BUILD/TRIPLE/release/tapedeck
        packaging/parts.sh "$binary" "$(dirname "$(dirname "$(dirname "$binary")")")" "$work/build/out"
        options+=(--build-context "build=$work/build")
    fi
    images+=("$tag")
    began=$(now)
    podman_build "${options[@]}" . || { tail -30 "$work/build.log"; echo "FAIL  the image cannot be built"; exit 1; }
    fact "build" "$((($(now) - began) / 1000)) s$([ -z "$binary" ] || echo ", with a program that was built before")"
}

# The output of `podman history` in one line: the layers that are not empty.
layers() {
    awk '$1 > 0 { size = $1 " " $2; what = "the base"
        if (/ENTRYPOINT|COPY/) what = "the program"
        if (/apt-get|DEBIAN/) what = "libraries, ca-certificates"
        line = line (line ? ", " : "") what " " size } END { print line }'
}

# --- A network ----------------------------------------------------------------------------------------------------------

hosts=(deck origin ada bob eve)
address=198.18.0.10 origin_address=198.18.0.11 origin_name=api.example.test api=http://198.18.0.10:4748

# Each host a namespace, all on one switch, which is in a namespace too: nothing gets out.
network_up() {
    local number=0 name
    ip netns add "$id-switch"
    ip -n "$id-switch" link add br0 type bridge
    ip -n "$id-switch" link set br0 up
    for name in "${hosts[@]}"; do
        ip netns add "$id-$name"
        ip -n "$id-$name" link set lo up
        ip link add eth0 netns "$id-$name" type veth peer name "to-$name" netns "$id-switch"
        ip -n "$id-switch" link set "to-$name" master br0 up
        ip -n "$id-$name" address add "198.18.0.$((10 + number))/24" dev eth0
        ip -n "$id-$name" link set eth0 up
        number=$((number + 1))
    done
}

on() { # HOST COMMAND…
    local host=$1
    shift
    ip netns exec "$id-$host" "$@"
}

# --- The live API -------------------------------------------------------------------------------------------------------

make_origin() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$origin_name" \
        -addext "subjectAltName=DNS:$origin_name" -keyout "$work/origin.key" -out "$work/origin.pem" 2>/dev/null
    start_origin
}

start_origin() {
    mkfifo "$work/origin.says"
    ip netns exec "$id-origin" python3 docker/tests/origin.py "$origin_address" "$work/origin.pem" "$work/origin.key" \
        >"$work/origin.says" 2>"$work/origin.log" &
    origin=$!
    read -r -t 20 _ <"$work/origin.says" || { cat "$work/origin.log"; exit 1; }
    rm "$work/origin.says"
}

stop_origin() {
    [ -n "$origin" ] || return 0
    kill "$origin" 2>/dev/null || true
    wait "$origin" 2>/dev/null || true
    origin=""
}

# --- A deck and its clients ---------------------------------------------------------------------------------------------

volume() { # NAME
    podman volume create "$id-$1" >/dev/null
    volumes[$1]=$id-$1
}

folder() { podman volume inspect --format '{{.Mountpoint}}' "${volumes[$1]}"; }

# Made at first, started again later. The live API has a private address, which is why it is allowed.
start_deck() {
    local began waiting
    if [ -z "$deck" ]; then
        deck=$id
        podman create --name "$deck" --network "ns:/run/netns/$id-deck" --add-host "$origin_name:$origin_address" \
            --read-only --read-only-tmpfs=false --cap-drop=all --security-opt=no-new-privileges --pids-limit=256 --memory=512m \
            --ulimit nofile=1024:4096 --ulimit nproc=4096:4096 \
            -v "${volumes[cassettes]}:/cassettes" -v "${volumes[authority]}:/ca" \
            -v "$work/token:/run/secrets/token:ro" -e TAPEDECK_TOKEN_FILE=/run/secrets/token -e TAPEDECK_LOG_FORMAT=json \
            --add-host loopback.example.test:127.0.0.1 --add-host metadata.example.test:169.254.169.254 \
            --add-host mapped.example.test:::ffff:10.0.0.1 \
            -v "$work/origin.pem:/run/origin.pem:ro" -e TAPEDECK_UPSTREAM_CA=/run/origin.pem \
            -e TAPEDECK_ALLOW_PRIVATE=198.18.0.0/24 "$tag" >/dev/null
    fi
    ip netns exec "$id-ada" timeout 30 python3 docker/tests/until_ready.py "$api/v1/ready" >"$work/ready" & waiting=$!
    podman start "$deck" >/dev/null
    wait "$waiting" || { podman logs "$deck"; echo "FAIL  the deck does not start"; exit 1; }
    answered_after=$(cat "$work/ready")
    began=$(date -d "$(podman inspect --format '{{.State.StartedAt}}' "$deck" | sed 's/ +0000 UTC.*/ UTC/')" +%s%3N)
    answered_after=$((answered_after - began))
}

steer() { # HOST METHOD PATH [BODY]: asks the control API, with the token
    on "$1" curl -sS --fail-with-body --max-time 30 -X "$2" -H "Authorization: Bearer $secret" \
        ${4:+-H "Content-Type: application/json" -d "$4"} "$api$3"
}

session() { # HOST BODY: makes a session, prints ID:TOKEN
    steer "$1" POST /v1/sessions "$2" | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["id"] + ":" + s["token"])'
}

through() { # HOST KEY URL: asks for it through the deck
    on "$1" curl -sS --fail-with-body --max-time 30 --cacert "$work/ca.pem" -x "http://$2@$address:4747" "$3"
}

status() { # HOST OPTION…: the status alone
    on "$1" curl -s --max-time 30 -o /dev/null -w '%{http_code}' "${@:2}" || true
}
