#!/usr/bin/env python3
"""The platforms that packaging/wheel.py gives a program are those that auditwheel finds, and a program that is not portable gets none.

    AUDITWHEEL=venv/bin/auditwheel Tests/PackageTests/tags_test.py

Compiles small programs with `cc`, whose linker must know `-z pack-relative-relocs`.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AUDITWHEEL = os.path.abspath(os.environ["AUDITWHEEL"])
SAYS_ITS_VERSION = '#include <cstdio>\nint main() { puts("1.2.3"); }\n'
# By case: more of the source, and the options of the compiler.
PROGRAMS = {
    "plain": ("", []),
    "threads": ("#include <thread>\nvoid other() { std::thread([] {}).join(); }\n", []),
    "a symbol of glibc 2.36": ("#include <stdlib.h>\nunsigned other() { return arc4random(); }\n", []),
    "C++ of gcc 12": (
        "#include <condition_variable>\n"
        "void other(std::condition_variable &c, std::unique_lock<std::mutex> &l) { c.wait(l); }\n", []),
    "packed relocations": ("const char *const other[] = {\"a\", \"b\"};\n", ["-Wl,-z,pack-relative-relocs", "-pie", "-fPIE"]),
}


class Tags(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def wheel(self, more, options, *flags, out="out"):
        source = self.folder / "program.cpp"
        source.write_text(more + SAYS_ITS_VERSION)
        (self.folder / "parts").mkdir(exist_ok=True)
        compiler = ["c++", source, "-o", self.folder / "parts" / "tapedeck", *options]
        subprocess.run(compiler, check=True)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        command = [ROOT / "packaging" / "wheel.py", *flags, self.folder / "parts", self.folder / out]
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    def made(self, *arguments, **options):
        done = self.wheel(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(done.stdout.strip())

    def test_the_platform_is_that_of_auditwheel(self):
        found = set()
        for name, (more, options) in PROGRAMS.items():
            with self.subTest(name):
                path = self.made(more, options)
                ours = re.fullmatch(r"tapedeck_bin-1\.2\.3-py3-none-manylinux_2_(\d+)_\w+\.whl", path.name)
                shown = subprocess.run([AUDITWHEEL, "show", path], capture_output=True, check=True, text=True).stdout
                theirs = re.search(r'following\s+platform\s+tag:\s+"manylinux_2_(\d+)_', shown)
                self.assertIsNotNone(theirs, shown)
                self.assertEqual(ours[1], theirs[1], shown)
                found.add(ours[1])
        self.assertEqual(len(found), 3, found)

    def test_a_static_program_runs_on_any_linux(self):
        path = self.made("", ["-static"])
        self.assertRegex(path.name, r"-manylinux_2_17_(\w+)\.musllinux_1_1_\1\.whl$")

    def test_a_program_that_needs_more_is_refused(self):
        options = ["-Wl,--no-as-needed", "-lz"]
        done = self.wheel("", options)
        self.assertEqual(done.returncode, 65, done.stdout)
        self.assertIn("it needs libz.so.1, which not every system has. --local makes one for this machine.", done.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assertRegex(self.made("", options, "--local").name, r"-none-linux_\w+\.whl$")

    def test_two_runs_give_the_same_bytes(self):
        one, two = (self.made("", [], out=out) for out in ("one", "two"))
        self.assertNotEqual(one, two)
        self.assertEqual(*(hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, two)))

    def test_the_record_names_every_file(self):
        with zipfile.ZipFile(self.made("", [])) as archive:
            record = archive.read("tapedeck_bin-1.2.3.dist-info/RECORD").decode()
            self.assertEqual([line.split(",")[0] for line in record.splitlines()], archive.namelist())
            self.assertIn("tapedeck_bin-1.2.3.dist-info/licenses/LICENSE", archive.namelist())


if __name__ == "__main__":
    unittest.main()
