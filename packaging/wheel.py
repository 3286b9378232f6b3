#!/usr/bin/env python3
"""Makes the wheel of the program, tapedeck_bin-VERSION-py3-none-PLATFORM.whl, and prints its path.

    wheel.py [--local] PARTS OUT

PARTS is made by packaging/parts.sh. The platform is that of the systems that the program runs on, judged by the libraries and versions of
symbols that it names. A program that needs libraries beyond those of glibc and the compiler is refused. With --local it gets the platform
linux_ARCH instead, which pip installs from a file and PyPI refuses: for machines that have its libraries.

pip puts the program itself into the folder of scripts, so signals and exit codes are its own. The name tapedeck is another project's on PyPI.

Two runs give the same bytes: the time of all files is SOURCE_DATE_EPOCH. Needs binutils.
"""

import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import time
import zipfile

import portable

ROOT = pathlib.Path(__file__).resolve().parent.parent
METADATA = """\
Metadata-Version: 2.4
Name: tapedeck-bin
Version: {version}
Summary: The program tapedeck, which records and replays HTTP for tests
License-Expression: Apache-2.0
{licenses}Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Testing
Description-Content-Type: text/markdown

The program `tapedeck` records the HTTP and HTTPS traffic of a program into readable cassette files and replays it without a network.
`pytest-tapedeck` uses it for tests of pytest.
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: packaging/wheel.py
Root-Is-Purelib: false
{tags}"""


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--local"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    parts, out = map(pathlib.Path, arguments)
    program = parts / "tapedeck"
    try:
        platform = f"linux_{portable.machine(program)}" if "--local" in sys.argv else portable.tags(program)
    except portable.NotPortable as reason:
        print(f"wheel.py: no wheel for PyPI from {program}: {reason}. --local makes one for this machine.", file=sys.stderr)
        sys.exit(65)
    version = subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()
    name = f"tapedeck_bin-{version}"

    licenses = {"LICENSE": ROOT / "LICENSE", "NOTICE": ROOT / "NOTICE"}
    licenses |= {f"third-party/{file.name}": file for file in sorted((parts / "licenses").glob("*"))}
    metadata = METADATA.format(version=version, licenses="".join(f"License-File: {license}\n" for license in licenses))
    wheel = WHEEL.format(tags="".join(f"Tag: py3-none-{tag}\n" for tag in platform.split(".")))
    contents = {f"{name}.data/scripts/tapedeck": program.read_bytes()}
    contents |= {f"{name}.dist-info/licenses/{license}": file.read_bytes() for license, file in licenses.items()}
    contents |= {f"{name}.dist-info/sboms/{file.name}": file.read_bytes() for file in sorted(parts.glob("*.spdx.json"))}
    contents |= {f"{name}.dist-info/METADATA": metadata.encode(), f"{name}.dist-info/WHEEL": wheel.encode()}
    record = ""
    for path, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    contents[f"{name}.dist-info/RECORD"] = f"{record}{name}.dist-info/RECORD,,\n".encode()

    # A ZIP file knows no time before 1980.
    epoch = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}-py3-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for entry, content in contents.items():
            info = zipfile.ZipInfo(entry, epoch[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if entry.endswith("/scripts/tapedeck") else 0o100644) << 16
            archive.writestr(info, content)
    print(path)


if __name__ == "__main__":
    main()
