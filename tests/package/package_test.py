#!/usr/bin/env python3
"""Installs a build and uses what was installed, and nothing of the tree: a C++ project by
find_package, a C99 program by pkg-config, and Python's foreign function interface.

    package_test.py BUILD_FOLDER WORK_FOLDER
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
README = HERE.parents[1] / "README.md"
BUILD, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PREFIX = WORK / "prefix"
PHRASES = ["good morning", "see you later"]
LABELS = ["greeting", "farewell"]


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          cwd=WORK, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compilers():
    return [name for name in ("g++", "clang++") if shutil.which(name)]


class Package(unittest.TestCase):
    """One after the other: the first program trains the model that the others load."""

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        run("cmake", "--install", BUILD, "--prefix", PREFIX)
        cls.library = next(PREFIX.glob("lib/**/libweft.so"))

    def test_1_a_project_finds_the_package(self):
        for compiler in compilers():
            for standard in (20, 23):
                with self.subTest(compiler=compiler, standard=standard):
                    folder = WORK / f"{compiler}-{standard}"
                    run("cmake", "-S", HERE / "cpp", "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}",
                        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_STANDARD={standard}",
                        "-DCMAKE_BUILD_TYPE=Release")
                    run("cmake", "--build", folder)
                    found = run(folder / "phrases", input="\n".join(PHRASES) + "\n")
                    self.assertEqual(LABELS, found.splitlines())

    def test_2_a_c99_program_finds_it_by_pkg_config(self):
        environment = os.environ | {"PKG_CONFIG_PATH": str(self.library.parent / "pkgconfig"),
                                    "LD_LIBRARY_PATH": str(self.library.parent)}
        flags = run("pkg-config", "--cflags", "--libs", "weft", env=environment).split()
        run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", HERE / "c/phrases.c",
            "-o", "phrases", *flags)
        found = run(WORK / "phrases", *PHRASES, env=environment)
        self.assertEqual([f"{label} 2" for label in LABELS], found.splitlines())

    def test_3_another_language_calls_the_c_interface(self):
        found = run(sys.executable, HERE / "ffi/phrases.py", self.library, *PHRASES).splitlines()
        self.assertEqual("classifier", found[0])
        self.assertEqual("2 mini-batsch: unknown option; hint: did you mean mini-batch?", found[1])
        self.assertEqual(LABELS, found[2:])

    def test_4_the_readme_works(self):
        """What README.md shows first, on a few lines of text."""
        blocks = dict(re.findall(r"```(\w+)\n(.*?)```", README.read_text(encoding="utf8"), re.S))
        (WORK / "train.tsv").write_text("games\tfind the way out\nmath\tadd two numbers\n" * 8)
        path = f"{PREFIX / 'bin'}:{os.environ['PATH']}"
        shell = blocks["sh"].replace("-t train.tsv", "-t train.tsv --after 2u")
        self.assertIn("classifier", run("sh", "-eu", "-c", shell, env=os.environ | {"PATH": path}))
        included, body = blocks["cpp"].split("\n", 1)
        (WORK / "readme.cpp").write_text(f"{included}\n#include <cstdio>\nint main() {{\n{body}\n"
                                         "std::puts(label.c_str());\n}\n")
        run("c++", "-std=c++20", "-Wall", "-Werror", "readme.cpp", "-o", "readme",
            f"-I{PREFIX / 'include'}", f"-L{self.library.parent}", "-lweft",
            f"-Wl,-rpath,{self.library.parent}")
        label = run(WORK / "readme").strip()
        self.assertIn(label, ["games", "math"])
        if "python" in blocks and "PYTHONPATH" in os.environ:
            self.assertEqual(label, run(sys.executable, "-c", blocks["python"]).strip())

    def test_5_nothing_but_the_interface_is_exported(self):
        lines = run("nm", "-D", "--defined-only", "-C", "--with-symbol-versions", self.library)
        names = [line.split(maxsplit=2)[2] for line in lines.splitlines()]  # address, type, name
        internal = [name for name in names if re.match(r"(\w+ )*weft::[a-z_\d]+::", name)]
        self.assertEqual([], internal)
        self.assertIn("weft_load@@WEFT_0", names)
        unversioned = [name for name in names if not name.endswith("@@WEFT_0")]
        self.assertEqual(["WEFT_0"], unversioned)  # the version itself


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
