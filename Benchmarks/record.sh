#!/usr/bin/env bash
# Measures what `tapedeck record` costs per exchange of 1 KiB, beside HAProxy, which keeps nothing, and nginx, which stores each
# answer in a file; then how long the recording takes to be saved at Ctrl-C.
#
#     swift build -c release && Benchmarks/record.sh
#
# TAPEDECK=PATH     the binary (.build/release/tapedeck)
# DURATION=5        seconds per measurement          CONNECTIONS=32   kept-alive connections
#
# Loopback only. Ends only processes it started. Exits non-zero if an answer is an error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

binary=$(realpath "${TAPEDECK:-.build/release/tapedeck}")
duration=${DURATION:-5}
connections=${CONNECTIONS:-32}

fail() {
    echo "record.sh: $*" >&2
    exit 1
}

missing=()
for tool in nginx haproxy wrk curl python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
    fail "missing: install with 'apt-get install ${missing[*]}'"
fi
[[ -x $binary ]] || fail "no binary at $binary: build it with 'swift build -c release', or set TAPEDECK"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY

work=$(mktemp -d "${TMPDIR:-/tmp}/tapedeck-bench.XXXXXX")
started=()
# shellcheck disable=SC2317,SC2329  # Called by the trap.
clean() {
    local pid
    for pid in ${started[@]+"${started[@]}"}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for PORT PID
wait_for() {
    until (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
        kill -0 "$2" 2>/dev/null || fail "a server ended before it listened: $(cat "$work"/*.log)"
        sleep 0.05
    done
}

read -r origin_port haproxy_port store_port deck_port < <(python3 - <<'PYTHON'
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)
body=$(python3 -c 'print("Tapedeck records" * 64, end="")')
user_line=""
if ((EUID == 0)); then
    user_line="user root;" # Its default user could not write into the temporary folder.
fi

# nginx_conf SERVER: a configuration with this block in it.
nginx_conf() {
    cat <<NGINX
$user_line
daemon off;
pid nginx.pid;
worker_processes 1;
error_log stderr warn;
events { worker_connections 4096; }
http {
    access_log off;
    default_type text/plain;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    open_file_cache max=1000;
    client_body_temp_path temp/body;
    proxy_temp_path temp/proxy;
    fastcgi_temp_path temp/fastcgi;
    uwsgi_temp_path temp/uwsgi;
    scgi_temp_path temp/scgi;
    $1
}
NGINX
}
for name in origin store; do mkdir -p "$work/$name/temp" "$work/$name/kept"; done
nginx_conf "server {
    listen 127.0.0.1:$origin_port;
    location /items/ { return 200 '$body'; }
    location = /status { stub_status; }
}" >"$work/origin/nginx.conf"
nginx_conf "upstream origin { server 127.0.0.1:$origin_port; keepalive 512; keepalive_requests 1000000000; }
server {
    listen 127.0.0.1:$store_port;
    location / {
        proxy_pass http://origin;
        proxy_http_version 1.1;
        proxy_set_header Connection '';
        proxy_store $work/store/kept\$uri;
    }
}" >"$work/store/nginx.conf"
cat >"$work/haproxy.cfg" <<HAPROXY
global
    nbthread 1
    maxconn 4096
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
    http-reuse always
listen front
    bind 127.0.0.1:$haproxy_port
    server origin 127.0.0.1:$origin_port
HAPROXY

# begin NAME PORT COMMAND…: sets `pid`.
begin() {
    local name=$1 port=$2
    shift 2
    "$@" </dev/null >"$work/$name.log" 2>&1 &
    pid=$!
    started+=("$pid")
    wait_for "$port" "$pid"
}
begin origin "$origin_port" nginx -p "$work/origin" -c nginx.conf -e stderr
begin haproxy "$haproxy_port" haproxy -f "$work/haproxy.cfg"
haproxy_pid=$pid
begin store "$store_port" nginx -p "$work/store" -c nginx.conf -e stderr
store_pid=$pid
export TAPEDECK_CA_DIR=$work/ca
mkdir -m 700 "$TAPEDECK_CA_DIR"
begin tapedeck "$deck_port" "$binary" record recording --loopback --no-project --cassettes "$work/cassettes" \
    --port "$deck_port" --control-port 0
deck_pid=$pid

# The user and system time of a process and its children, in microseconds.
cpu_time() {
    local each sum=0 fields hertz
    hertz=$(getconf CLK_TCK)
    # shellcheck disable=SC2013  # Words are what is wanted.
    for each in "$1" $(cat "/proc/$1/task/$1/children"); do
        fields=$(<"/proc/$each/stat")
        read -ra fields <<<"${fields##*) }"
        sum=$((sum + (fields[11] + fields[12]) * 1000000 / hertz))
    done
    echo "$sum"
}

peak() { awk '/^VmHWM/ { printf "%d", $2 / 1024 }' "/proc/$1/status"; }

accepted() { curl -sS "http://127.0.0.1:$origin_port/status" | awk 'NR == 3 { print $1 }'; }

# measure NAME PORT PID: one line of the table.
measure() {
    local before accepts requests broken each
    accepts=$(accepted)
    before=$(cpu_time "$3")
    [[ $1 != tapedeck ]] || export ABSOLUTE=1
    ORIGIN=127.0.0.1:$origin_port timeout $((duration + 60)) \
        wrk -t1 -c"$connections" -d"${duration}s" -s "$here/record.lua" "http://127.0.0.1:$2/" >"$work/wrk.txt" 2>&1 ||
        fail "wrk failed against $1: $(cat "$work/wrk.txt")"
    read -r requests broken < <(sed -n 's/^RESULT //p' "$work/wrk.txt")
    ((requests > 0 && broken == 0)) || fail "$1: $requests answers, $broken errors: $(cat "$work/wrk.txt")"
    each=$(python3 -c "print(f'{($(cpu_time "$3") - $before) / $requests:.1f}')")
    reference=${reference:-$each}
    printf '%-10s %10d %12s %10.2f %14d %9s\n' "$1" "$requests" "$each" \
        "$(python3 -c "print($each / $reference)")" $(($(accepted) - accepts - 1)) "$(peak "$3")"
}

echo "machine: $(nproc) cores, $(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(uname -sr)"
printf '%-10s %10s %12s %10s %14s %9s\n' server requests 'CPU µs/req' '/haproxy' 'to origin' 'peak MiB'
measure haproxy "$haproxy_port" "$haproxy_pid"
measure store "$store_port" "$store_pid"
measure tapedeck "$deck_port" "$deck_pid"

# Ctrl-C

begin_save=$(date +%s%N)
cpu_before=$(cpu_time "$deck_pid")
cpu_after=$cpu_before
kill -INT "$deck_pid"
highest=0
# The last reading before the deck ends counts.
while read -r kib < <(awk '/^VmHWM/ { print $2 }' "/proc/$deck_pid/status" 2>/dev/null); do
    highest=$kib
    cpu_after=$(cpu_time "$deck_pid" 2>/dev/null) || break
    sleep 0.05
done
wait "$deck_pid" || fail "tapedeck ended with $?: $(tail -3 "$work/tapedeck.log")"
end_save=$(date +%s%N)
count=$(sed -n 's/^tapedeck: record: \([0-9]*\) exchanges recorded.*/\1/p' "$work/tapedeck.log")
python3 -c "
seconds = ($end_save - $begin_save) / 1e9
cpu = ($cpu_after - $cpu_before) / 1e6
print(f'saved $count exchanges in {seconds:.1f} s ({cpu:.1f} s of CPU time), '
      f'{seconds * 1e5 / $count:.1f} s ({cpu * 1e5 / $count:.1f}) for each 100,000; peak {$highest >> 10} MiB')"
