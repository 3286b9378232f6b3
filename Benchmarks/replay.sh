#!/usr/bin/env bash
# Measures what `tapedeck replay` costs per request, beside nginx serving the same 1 KiB from a file.
#
#     swift build -c release && Benchmarks/replay.sh
#
# TAPEDECK=PATH     the binary (.build/release/tapedeck)
# TAPEDECK_ARGS=…   more arguments for `tapedeck replay`, split at spaces
# DURATION=5        seconds per measurement          ROUNDS=3         rounds, interleaved
# CONNECTIONS=32    kept-alive connections           SMALL=10         response sets on the small tape
# LARGE=100000      response sets on the large tape  READY_TIMEOUT=120  seconds a server may take to listen
#
# Loopback only. Ends only processes it started. Exits non-zero on the first wrong answer.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."

binary=${TAPEDECK:-.build/release/tapedeck}
duration=${DURATION:-5}
rounds=${ROUNDS:-3}
connections=${CONNECTIONS:-32}
small=${SMALL:-10}
large=${LARGE:-100000}
ready_timeout=${READY_TIMEOUT:-120}
read -ra extra_arguments <<<"${TAPEDECK_ARGS:-}"

fail() {
    echo "replay.sh: $*" >&2
    exit 1
}

# Required programs

missing=()
for pair in nginx:nginx wrk:wrk curl:curl python3:python3 openssl:openssl; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
if ((${#missing[@]})); then
    fail "missing: install with 'apt-get install ${missing[*]}'"
fi
[[ -r /proc/self/stat ]] || fail "needs /proc to read the CPU time of a server"
[[ -x $binary ]] || fail "no binary at $binary: build it with 'swift build -c release', or set TAPEDECK"
for value in "$duration" "$rounds" "$connections" "$small" "$large" "$ready_timeout"; do
    [[ $value =~ ^[1-9][0-9]*$ ]] || fail "'$value' is not a whole number above 0"
done
((small >= 2 && small % 2 == 0 && large % 2 == 0)) || fail "SMALL and LARGE must be even: half http, half https"
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY

# The temporary folder and the processes in it

work=$(mktemp -d "${TMPDIR:-/tmp}/tapedeck-bench.XXXXXX")
started=()
# shellcheck disable=SC2317,SC2329  # Called by the trap.
clean() {
    local pid
    for pid in ${started[@]+"${started[@]}"}; do
        kill "$pid" 2>/dev/null || true
    done
    for pid in ${started[@]+"${started[@]}"}; do
        for _ in {1..50}; do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for PORT PID LOG: until the port accepts; shows the log if the process ends first.
wait_for() {
    local port=$1 pid=$2 log=$3 deadline=$((SECONDS + ready_timeout))
    until (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null; then
            sed 's/^/    /' "$log" >&2
            fail "a server ended before it listened (its output is above)"
        fi
        ((SECONDS < deadline)) || fail "nothing listens on port $port after $ready_timeout s"
        sleep 0.05
    done
}

# A thousand and twenty-four characters, the same everywhere.
python3 -c 'print("Tapedeck replays"[:16] * 64, end="")' >"$work/body"
body_size=$(wc -c <"$work/body")
((body_size == 1024)) || fail "the body has $body_size bytes"

read -r nginx_port nginx_tls_port small_port large_port < <(python3 - <<'PYTHON'
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(each.getsockname()[1] for each in sockets))
PYTHON
)

# nginx

mkdir -p "$work/nginx/root/items" "$work/nginx/temp"
cp "$work/body" "$work/nginx/root/items/5"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=api.example.test \
    -addext subjectAltName=DNS:api.example.test -keyout "$work/nginx/key.pem" -out "$work/nginx/cert.pem" 2>/dev/null
user_line=""
if ((EUID == 0)); then
    user_line="user root;" # Its default user could not read the temporary folder.
fi
cat >"$work/nginx/nginx.conf" <<NGINX
$user_line
daemon off;
pid nginx.pid;
worker_processes 1;
error_log stderr warn;
events { worker_connections 1024; }
http {
    access_log off;
    default_type text/plain;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=1000;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    client_body_temp_path temp/body;
    proxy_temp_path temp/proxy;
    fastcgi_temp_path temp/fastcgi;
    uwsgi_temp_path temp/uwsgi;
    scgi_temp_path temp/scgi;
    ssl_certificate cert.pem;
    ssl_certificate_key key.pem;
    ssl_protocols TLSv1.3;
    server {
        listen 127.0.0.1:$nginx_port;
        listen 127.0.0.1:$nginx_tls_port ssl;
        root root;
    }
}
NGINX
nginx -p "$work/nginx" -c nginx.conf -e stderr >"$work/nginx.log" 2>&1 &
nginx_pid=$!
started+=("$nginx_pid")
wait_for "$nginx_port" "$nginx_pid" "$work/nginx.log"

# Tapedeck, once per tape

export TAPEDECK_CA_DIR=$work/ca
mkdir -m 700 "$TAPEDECK_CA_DIR"

# start_tapedeck SETS PORT: sets `tapedeck_pid`, and reports how long the tape took to load.
start_tapedeck() {
    local sets=$1 port=$2 begin end kib
    python3 "$here/make_cassette.py" "$sets" "$work/body" >"$work/tape-$sets.yaml"
    begin=$(date +%s%N)
    "$binary" replay "$work/tape-$sets.yaml" --port "$port" ${extra_arguments[@]+"${extra_arguments[@]}"} \
        </dev/null >"$work/tapedeck-$sets.log" 2>&1 &
    tapedeck_pid=$!
    started+=("$tapedeck_pid")
    wait_for "$port" "$tapedeck_pid" "$work/tapedeck-$sets.log"
    end=$(date +%s%N)
    kib=$(awk '/^VmRSS/ { print $2 }' "/proc/$tapedeck_pid/status")
    echo "tape of $sets sets: $(du -k "$work/tape-$sets.yaml" | cut -f1) KiB on disk," \
        "listening after $(((end - begin) / 1000000)) ms, $((kib / 1024)) MiB resident"
}

echo "machine: $(nproc) cores, $(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(uname -sr)"
echo "tools:   $(nginx -v 2>&1), $({ wrk -v 2>&1 || true; } | awk 'NR == 1 { print $1, $2 }')," \
    "python $(python3 -c 'import platform, ssl; print(platform.python_version(), "with", ssl.OPENSSL_VERSION)')"
echo "binary:  $binary ($("$binary" --version 2>/dev/null || echo "no --version"))," \
    "commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
start_tapedeck "$small" "$small_port"
small_pid=$tapedeck_pid
start_tapedeck "$large" "$large_port"
large_pid=$tapedeck_pid

# Each server: its processes, what asks it, and one checked answer per scenario. The item asked for
# is the last one of its kind on the tape, so that a search through the sets could not hide.

servers=(nginx "tapedeck-$small" "tapedeck-$large")

describe() {
    case $1 in
        nginx) pid=$nginx_pid port=$nginx_port tls_port=$nginx_tls_port item=5 proxy=() ;;
        "tapedeck-$small") pid=$small_pid port=$small_port item=$((small / 2 - 1)) proxy=(-x "http://127.0.0.1:$small_port") ;;
        "tapedeck-$large") pid=$large_pid port=$large_port item=$((large / 2 - 1)) proxy=(-x "http://127.0.0.1:$large_port") ;;
    esac
    if [[ $1 == nginx ]]; then
        plain_url=http://127.0.0.1:$port/items/$item
        target=""
        resolve=(--connect-to "api.example.test:443:127.0.0.1:$tls_port")
        load=(--connect "127.0.0.1:$tls_port")
    else
        plain_url=http://api.example.test/items/$item
        target=$plain_url
        resolve=()
        load=(--proxy "127.0.0.1:$port")
    fi
    tls_url=https://api.example.test/items/$item
}

declare -A response_size
for server in "${servers[@]}"; do
    describe "$server"
    for url in "$plain_url" "$tls_url"; do
        # -k: the certificate is nobody's business here, and the generators do not check it either.
        facts=$(curl -sSk --max-time 20 ${proxy[@]+"${proxy[@]}"} ${resolve[@]+"${resolve[@]}"} \
            -o "$work/answer" -w '%{http_code} %{size_header}' "$url") || fail "$server does not answer $url"
        [[ ${facts%% *} == 200 ]] || fail "$server answers $url with ${facts%% *}: $(head -c 400 "$work/answer")"
        cmp -s "$work/answer" "$work/body" || fail "$server answers $url with another body than expected"
        if [[ $url == "$plain_url" ]]; then
            response_size[$server]=$((${facts##* } + body_size))
        fi
    done
done

# The user and system time of a process and its children, in microseconds. Threads count with it.
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

# Both write: scenario, server, requests, seconds, p50 µs, p99 µs, CPU µs, detail.
results=$work/results.tsv

measure_plain() {
    local server=$1 seconds=$2 before after line
    describe "$server"
    before=$(cpu_time "$pid")
    TARGET=$target RESPONSE_SIZE=${response_size[$server]} timeout $((seconds + 60)) \
        wrk -t1 -c"$connections" -d"${seconds}s" --latency -s "$here/replay.lua" "http://127.0.0.1:$port/items/$item" \
        >"$work/wrk.log" 2>&1 || { cat "$work/wrk.log" >&2; fail "wrk failed against $server"; }
    after=$(cpu_time "$pid")
    line=$(sed -n 's/^RESULT //p' "$work/wrk.log")
    if [[ -z $line || $line == error* ]]; then
        cat "$work/wrk.log" >&2
        fail "$server: ${line:-wrk printed no result}"
    fi
    printf 'plain\t%s\t%s\t%d\twrk\n' "$server" "${line// /$'\t'}" $((after - before))
}

measure_https() {
    local server=$1 seconds=$2 line
    describe "$server"
    line=$(timeout $((seconds + 60)) python3 "$here/connect_load.py" "${load[@]}" --connections "$connections" \
        --duration "$seconds" --body "$work/body" --pid "$pid" "$tls_url") || fail "the load on $server over TLS failed"
    printf 'https\t%s\t%s\n' "$server" "$line"
}

for scenario in plain https; do
    for server in "${servers[@]}"; do
        "measure_$scenario" "$server" 1 >/dev/null # Warms caches; not counted.
    done
    for ((round = 1; round <= rounds; round++)); do
        for server in "${servers[@]}"; do
            "measure_$scenario" "$server" "$duration" >>"$results"
        done
        echo "$scenario: round $round of $rounds done" >&2
    done
done

echo
python3 "$here/summarise.py" "$results"
