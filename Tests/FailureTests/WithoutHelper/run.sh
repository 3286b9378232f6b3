#!/usr/bin/env bash
# A test program that links TapedeckTestingCore and not TapedeckTesting: an unmet expectation must fail its test all the same,
# in both frameworks, with and without the test support of IssueReporting.
#
#     Tests/FailureTests/WithoutHelper/run.sh TAPEDECK [OPTION...]    the binary, and options for `swift test`
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tapedeck=$(realpath "$1")
shift

fails() {
    local output
    if output=$("$tapedeck" serve --port 0 --allow-unmatched -- \
        swift test --package-path "$folder" --skip-build "$@" 2>&1); then
        printf '%s\n' "$output" "error: the test passed"
        exit 1
    fi
    if ! grep -q 'WithoutHelperTests.swift:[0-9]*: .*expected at least 1 request to match GET http://shop.example/price, and saw 0' <<<"$output"; then
        printf '%s\n' "$output" "error: the test failed for another reason"
        exit 1
    fi
}

for support in "" yes; do
    if [ -n "$support" ]; then export TAPEDECK_TEST_SUPPORT=yes; fi
    # Not under the deck, whose environment keeps everything from the network.
    swift build --package-path "$folder" --build-tests "$@"
    fails --disable-xctest --enable-swift-testing "$@"
    fails --disable-swift-testing --enable-xctest "$@"
done
