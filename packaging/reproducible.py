#!/usr/bin/env python3
"""Makes two builds of a commit in one folder the same: reproducible.py PROGRAM

They differ in the hashes of Swift's modules and in the linker's id of the build alone, which nothing reads. Both become zeros. Removing
the sections would have strip write the segments anew, without the one that makes relocated data read-only.
"""

import struct
import sys

# The bytes at the start of each section that stay: the head of a note.
SECTIONS = {b".swift_modhash": 0, b".note.gnu.build-id": 16}


def main():
    with open(sys.argv[1], "r+b") as file:
        data = file.read()
        if data[:5] != b"\x7fELF\x02":
            sys.exit(f"reproducible.py: {sys.argv[1]} is no 64-bit ELF file")
        (table,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)

        def section(number):
            name, _, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, table + number * size)
            return name, offset, length

        _, texts, _ = section(names)
        for number in range(count):
            name, offset, length = section(number)
            kept = SECTIONS.get(data[texts + name : data.index(b"\0", texts + name)])
            if kept is not None:
                file.seek(offset + kept)
                file.write(bytes(length - kept))


if __name__ == "__main__":
    main()
