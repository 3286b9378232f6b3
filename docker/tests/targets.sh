# shellcheck shell=bash
# Addresses that a shared deck refuses; part of docker/test.sh. The deck may ask 198.18.0.0/24 alone of all that is private.

step "Addresses that are not public"
start_origin
key=$(session ada '{"name": "eve", "mode": "passthrough"}')

# URL OPTION…: what became of it: the status, and what the deck calls the error.
asked() {
    on eve curl -s --globoff --max-time 20 -o "$work/target" -w '%{http_code} ' -x "http://$key@$address:4747" "$@" || true
    grep -o '"error": *"[A-Za-z]*"' "$work/target" 2>/dev/null | cut -d '"' -f 4
    rm -f "$work/target"
}

while read -r url what; do
    [ -n "$url" ] || continue
    check "$what is refused: $url" test "$(asked "$url")" = "403 targetRefused"
done <<'TABLE'
http://127.0.0.1:8080/ loopback
http://localhost:8080/ a name for it
http://127.1:8080/ in short
http://2130706433:8080/ as one number
http://0x7f000001:8080/ in hexadecimal
http://0177.0.0.1:8080/ in octal
http://0x7f.0.0.0x1:8080/ in hexadecimal, by its parts
http://127.0.0.1.:8080/ with a dot behind it
http://0.0.0.0:8080/ every address
http://[::1]:8080/ loopback of IPv6
http://[::]:8080/ every address of IPv6
http://[::ffff:127.0.0.1]:8080/ mapped into IPv6
http://[::ffff:10.0.0.1]/ a private address, mapped
http://[::ffff:7f00:1]:8080/ mapped, in hexadecimal
http://[64:ff9b::7f00:1]:8080/ through NAT64
http://[2002:7f00:1::]:8080/ through 6to4
http://[fe80::1]/ link-local
http://[fd00:ec2::254]/latest/meta-data/ the metadata of a cloud, in IPv6
http://169.254.169.254/latest/meta-data/ the metadata of a cloud
http://2852039166/latest/meta-data/ the same as one number
http://0251.0376.0251.0376/latest/meta-data/ the same in octal
http://10.0.0.1/ a private address
http://172.16.0.1/ another
http://192.168.0.1/ another
http://100.64.0.1/ a provider's
http://loopback.example.test:8080/ a name that leads to loopback
http://metadata.example.test/latest/meta-data/ a name that leads to the metadata
http://mapped.example.test/ a name that leads to a mapped address
TABLE
for host in 127.0.0.1 2130706433 169.254.169.254 metadata.example.test '[::ffff:10.0.0.1]'; do
    # The certificate is the deck's own, whatever the host.
    check "so is a request in a tunnel to $host" test "$(asked -k "https://$host/")" = "403 targetRefused"
    answer=$(asked "http://$address:4747/.tapedeck/$key/http/$host/" --noproxy '*')
    check "and a base URL for $host" test "$answer" = "403 targetRefused"
    answer=$(asked -L "https://$origin_name/redirect?http://$host/" --cacert "$work/ca.pem")
    check "and a redirect to $host" test "$answer" = "403 targetRefused"
done
# Also where its address is one that may be asked.
for host in "$address" 127.0.0.1 2130706433 localhost '[::ffff:127.0.0.1]'; do
    check "the deck is nobody's target: $host" test "$(asked "http://$host:4748/v1/health" | cut -d ' ' -f 1)" = 508
done
check "what is allowed is asked" test "$(asked --cacert "$work/ca.pem" "https://$origin_name/eve/1")" = "200 "
steer ada DELETE "/v1/sessions/${key%%:*}" >/dev/null
