#!/usr/bin/env bash
# Makes the parts that every package of the program has: the program, stripped; the licences of everything linked with it; and its
# bill of materials.
#
#     packaging/parts.sh PROGRAM BUILD FOLDER
#
# PROGRAM is made by packaging/build.sh and not stripped yet, BUILD is its build folder. FOLDER gets tapedeck, licenses/ and
# tapedeck.spdx.json. Needs binutils, dpkg and python3.
set -euo pipefail
program=$1 build=$2 folder=$3

# Package.resolved is beside the package or, for a build elsewhere, beside the build folder.
resolved=Package.resolved
[ -f "$resolved" ] || resolved=$(dirname "$(realpath "$build")")/Package.resolved
if grep -q libswiftCore <<<"$(ldd "$program")"; then
    echo "$program needs Swift's libraries: build it with packaging/build.sh" >&2
    exit 65
fi
install -s -D -m 0755 "$program" "$folder/tapedeck"
python3 "$(dirname "$0")/reproducible.py" "$folder/tapedeck"
python3 "$(dirname "$0")/sbom.py" "$program" "$build/checkouts" "$resolved" "$folder"
# Of the program as it is handed out.
before=$(sha256sum "$program" | cut -c 1-16)
after=$(sha256sum "$folder/tapedeck" | cut -c 1-16)
sed -i "s/$before/$after/" "$folder/tapedeck.spdx.json"
