#!/usr/bin/env python3
"""Makes the package of the program for npm, tapedeck-linux-CPU-VERSION.tgz (@tapedeck/linux-CPU), and prints its path.

    npm.py [--local] PARTS OUT

PARTS is made by packaging/parts.sh. A program that needs libraries beyond those of glibc and the compiler is refused, as by wheel.py. With
--local it gets a package that npm installs from a file and does not publish: for machines that have its libraries.

Two runs give the same bytes. Needs binutils and npm.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import portable

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPUS = {"x86_64": "x64", "aarch64": "arm64"}
README = """\
# {name}

The program `tapedeck` for Linux on {cpu}{needs}, which `node-tapedeck` starts for tests.
"""


def main() -> None:
    local = "--local" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--local"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    parts, out = (pathlib.Path(argument).absolute() for argument in arguments)
    program = parts / "tapedeck"
    try:
        cpu = CPUS[portable.machine(program)]
        glibc = None if local else portable.glibc(program)
    except portable.NotPortable as reason:
        print(f"npm.py: no package for npm from {program}: {reason}. --local makes one for this machine.", file=sys.stderr)
        sys.exit(65)
    name = f"@tapedeck/linux-{cpu}"
    manifest = {
        "name": name,
        "version": subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip(),
        "description": f"The program tapedeck for Linux on {cpu}, which records and replays HTTP for tests",
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": [cpu],
        "bin": {"tapedeck": "bin/tapedeck"},
        "preferUnplugged": True,
    }
    if glibc != 0:
        manifest["libc"] = ["glibc"]
    if local:
        manifest["private"] = True
    needs = f" with glibc 2.{glibc} or later" if glibc else ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
        (folder / "README.md").write_text(README.format(name=name, cpu=cpu, needs=needs))
        (folder / "bin").mkdir()
        shutil.copy(program, folder / "bin")
        for file in (ROOT / "LICENSE", ROOT / "NOTICE", *parts.glob("*.spdx.json")):
            shutil.copy(file, folder)
        if (parts / "licenses").exists():
            shutil.copytree(parts / "licenses", folder / "licenses")
        out.mkdir(parents=True, exist_ok=True)
        pack = ["npm", "pack", "--silent", "--pack-destination", out]
        print(out / subprocess.run(pack, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


if __name__ == "__main__":
    main()
