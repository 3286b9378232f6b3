#!/usr/bin/env python3
"""Writes the licences of everything that a program is linked with, and a bill of materials (SPDX 2.3, JSON).

    sbom.py PROGRAM CHECKOUTS RESOLVED FOLDER

PROGRAM has its symbols: a package of CHECKOUTS counts as linked if a symbol of one of its modules is in the program. RESOLVED is
Package.resolved, with the versions. The Swift runtime and the shared libraries of Debian are listed too. FOLDER gets licenses/ and
tapedeck.spdx.json. SOURCE_DATE_EPOCH is the time of creation.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Recognised by a sentence of their own.
LICENSES = [
    ("Apache-2.0", "Apache License"),
    ("MIT", "Permission is hereby granted, free of charge"),
    ("BSD-3-Clause", "Neither the name of"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
]


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def linked_modules(program: str) -> set[str]:
    """The modules whose symbols are in the program: `$s` or `$S`, a length, and a name."""
    modules = set()
    for length, rest in re.findall(r"\$[sS](\d+)([A-Za-z_]\w*)", run("nm", program)):
        modules.add(rest[: int(length)])
    return modules


def license_of(text: str) -> str:
    found = next((name for name, sentence in LICENSES if sentence in text), "NOASSERTION")
    exception = "Runtime Library Exception" in text
    return f"{found} WITH Swift-exception" if exception and found == "Apache-2.0" else found


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name: str, version: str, location: str, license_name: str, reference: str = "") -> dict:
    entry = {
        "SPDXID": identifier(name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": location,
        "filesAnalyzed": False,
        "licenseConcluded": license_name,
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
    }
    if reference:
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}
        ]
    return entry


def swift_packages(program: str, checkouts: pathlib.Path, resolved: pathlib.Path, licenses: pathlib.Path) -> list[dict]:
    pins = {pin["identity"]: pin for pin in json.loads(resolved.read_text())["pins"]}
    modules = linked_modules(program)
    found = []
    for identity, pin in sorted(pins.items()):
        folder = next((c for c in checkouts.iterdir() if c.name.lower() == identity.lower()), None)
        if folder is None:
            continue
        # A target has the name of its folder, or its folder stands beside its name in the manifest.
        names = {path.name for path in (folder / "Sources").rglob("*") if path.is_dir()}
        names |= set(re.findall(r'\.target\(\s*name:\s*"(\w+)"', (folder / "Package.swift").read_text()))
        if not names & modules:
            continue
        text = ""
        for file in sorted(folder.iterdir()):
            if re.fullmatch(r"(LICENSE|NOTICE|COPYING)(\.(txt|md))?", file.name, flags=re.I):
                target = licenses / f"{identity}-{file.name.split('.')[0].upper()}.txt"
                shutil.copyfile(file, target)
                target.chmod(0o644)
                text += file.read_text(errors="replace")
        state = pin["state"]
        version = state.get("version") or state["revision"]
        location = f"git+{pin['location']}@{state['revision']}"
        reference = "pkg:swift/" + re.sub(r"^https://|\.git$", "", pin["location"]) + "@" + version
        found.append(package(identity, version, location, license_of(text), reference))
    return found


def swift_runtime(licenses: pathlib.Path) -> list[dict]:
    """The standard library, which is linked into the program."""
    compiler = shutil.which("swiftc")
    if compiler is None:
        return []
    compiler_path = pathlib.Path(compiler).resolve()
    version = re.search(r"Swift version ([\d.]+)", run(compiler, "--version"))
    license_file = compiler_path.parent.parent / "share" / "swift" / "LICENSE.txt"
    text = license_file.read_text() if license_file.exists() else ""
    if text:
        (licenses / "swift-LICENSE.txt").write_text(text)
    number = version.group(1) if version else "NOASSERTION"
    return [package("swift", number, "git+https://github.com/swiftlang/swift", license_of(text) if text else "NOASSERTION")]


def debian_libraries(program: str) -> list[dict]:
    """The packages of the shared libraries that the program names itself."""
    names = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", program))
    paths = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", program)))
    found = {}
    for path in sorted(paths[name] for name in names if name in paths):
        # dpkg knows a file by the path that its package gives it, /lib or /usr/lib.
        real = str(pathlib.Path(path).resolve())
        spellings = [path, real, real.removeprefix("/usr")]
        owners = (subprocess.run(["dpkg", "-S", one], capture_output=True, text=True).stdout for one in spellings)
        owner = next((one for one in owners if one), None)
        if owner is None:
            sys.exit(f"no package of the system has {path}: is the program linked with --static-swift-stdlib?")
        name = owner.split(":")[0]
        version = run("dpkg-query", "-W", "-f", "${Version}", name)
        found[name] = package(name, version, "NOASSERTION", "NOASSERTION", f"pkg:deb/debian/{name}@{version}")
    return list(found.values())


def main() -> None:
    program, checkouts, resolved, folder = sys.argv[1], *(pathlib.Path(argument) for argument in sys.argv[2:5])
    licenses = folder / "licenses"
    licenses.mkdir(parents=True, exist_ok=True)
    version = run(program, "--version").strip()
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    static = swift_packages(program, checkouts, resolved, licenses) + swift_runtime(licenses)
    dynamic = debian_libraries(program)
    own = package("tapedeck", version, "NOASSERTION", "Apache-2.0")
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "STATIC_LINK", entry["SPDXID"]) for entry in static]
    relations += [(own["SPDXID"], "DYNAMIC_LINK", entry["SPDXID"]) for entry in dynamic]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tapedeck-{version}",
        "documentNamespace": f"https://tapedeck.local/spdx/tapedeck-{version}-{digest[:16]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": [own, *static, *dynamic],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }
    (folder / "tapedeck.spdx.json").write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    print(f"{len(static)} packages linked in, {len(dynamic)} of the system", file=sys.stderr)


main()
