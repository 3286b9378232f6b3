#!/usr/bin/env bash
# "Your first test" from an empty folder, with a deck as a child process: the code of the article is all there is. Nothing that
# only a deck needs may be fetched or built for it.
#
#     Tests/FirstTest/run.sh TAPEDECK    the program
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TAPEDECK_BIN=$(realpath "$1")
export TAPEDECK_BIN
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
start=$SECONDS

python3 - "$repository" "$folder" <<'PYTHON'
import pathlib, re, sys

repository, folder = map(pathlib.Path, sys.argv[1:])
article = (repository / "Sources/TapedeckTestingCore/TapedeckTestingCore.docc/YourFirstTest.md").read_text()
blocks = re.findall(r"\n```(\w+)\n(.*?)\n```\n", article, re.S)
swift = [text for language, text in blocks if language == "swift"]
manifest = next(text for text in swift if ".product(" in text)
client, tests = [text for text in swift if text is not manifest]
cassette = next(text for language, text in blocks if language == "yaml")
manifest = re.sub(r"\.package\(url: .*?, traits", f'.package(name: "tapedeck", path: "{repository}", traits', manifest)
foundation = "import Foundation\n\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n\n"
files = {
    "Package.swift": "// swift-tools-version:6.2\nimport PackageDescription\n\n"
    + f'let package = Package(name: "Weather",\n{manifest}\n)\n',
    "Sources/Weather/Weather.swift": foundation + client + "\n",
    "Tests/WeatherTests/WeatherTests.swift": foundation
    + f"import TapedeckTesting\nimport Testing\n\n@testable import Weather\n\n{tests}\n",
    "Tests/WeatherTests/Fixtures/weather.yaml": cassette + "\n",
}
for path, text in files.items():
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
PYTHON

cd "$folder"
swift test 2>&1 | tee output
grep -q 'Test run with 2 tests.* passed' output
pins=$(grep -c '"identity"' Package.resolved)
[ "$pins" -eq 1 ] || { cat Package.resolved; echo "error: $pins packages were fetched for the client alone"; exit 1; }
# A folder with a plan has every target of the package; what was compiled has objects.
compiled=$(find -L .build/debug -name '*.o' | sed 's|^.build/debug/\([^/]*\).*|\1|' | sort -u)
grep -q '^TapedeckTestingCore\.build$' <<<"$compiled"
if grep -E 'NIO|TapedeckTLS|TapedeckSessions' <<<"$compiled"; then
    echo "error: parts of the deck were built for the client alone"
    exit 1
fi
echo "your first test took $((SECONDS - start)) seconds"
