"""The Linux systems that a program runs on, as tags of wheels (PEP 600 and PEP 656)."""

import os
import re
import subprocess

MACHINES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}
# The oldest glibc, 2.N, of the systems that have a version of the compiler's libraries, as auditwheel's policies say.
# They also allow libz.so.1 and others, which images with Node alone lack.
COMPANIONS = {
    "GLIBCXX": {(3, 4, 19): 17, (3, 4, 24): 27, (3, 4, 28): 31, (3, 4, 29): 34, (3, 4, 30): 35, (3, 4, 33): 39},
    "CXXABI": {(1, 3, 7): 17, (1, 3, 11): 27, (1, 3, 12): 31, (1, 3, 13): 34, (1, 3, 15): 39},
    "GCC": {(4, 8, 0): 17, (7, 0, 0): 27, (12, 0, 0): 35, (14, 0, 0): 39},
}
LIBRARIES = re.compile(r"(lib(c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s)|ld-linux(-x86-64|-aarch64))\.so\.\d+")
# The oldest glibc of a tag that is given, which is that of manylinux2014.
OLDEST = 17


class NotPortable(Exception):
    """The program needs what a system may lack."""


def readelf(option: str, program: str) -> str:
    command = ["readelf", "--wide", option, program]
    return subprocess.run(command, capture_output=True, check=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def machine(program: str) -> str:
    """The name of the program's processor, as Python has it."""
    found = re.search(r"Machine: +(.*)", readelf("--file-header", program))
    if found is None or found[1] not in MACHINES:
        raise NotPortable(f"it is for {found[1] if found else 'no machine'}, not for {' or '.join(MACHINES.values())}")
    return MACHINES[found[1]]


def glibc(program: str) -> int:
    """The oldest glibc 2.N that the program runs with, or 0 if it is linked statically."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", program))
    if not needed:
        return 0
    foreign = [name for name in needed if not LIBRARIES.fullmatch(name)]
    if foreign:
        raise NotPortable(f"it needs {', '.join(foreign)}, which not every system has")
    oldest = OLDEST
    for name in re.findall(r"Name: (\w+_[\w.]+)  Flags", readelf("--version-info", program)):
        library, version = name.split("_", 1)
        if name == "GLIBC_ABI_DT_RELR":
            minor = 36
        elif not re.fullmatch(r"\d+(\.\d+)+", version):
            raise NotPortable(f"it needs {name}, of which no system is known to have it")
        elif library == "GLIBC":
            minor = int(version.split(".")[1])
        else:
            numbers = tuple(map(int, version.split(".")))
            known = [minor for newest, minor in COMPANIONS.get(library, {}).items() if newest >= numbers]
            if not known:
                raise NotPortable(f"it needs {name}, of which no system is known to have it")
            minor = min(known)
        oldest = max(oldest, minor)
    return oldest


def tags(program: str) -> str:
    """The tags of the systems, joined as in the name of a wheel."""
    arch, minor = machine(program), glibc(program)
    if minor:
        return f"manylinux_2_{minor}_{arch}"
    # A static program asks for no C library: that of Alpine serves it as well.
    return f"manylinux_2_{OLDEST}_{arch}.musllinux_1_1_{arch}"
