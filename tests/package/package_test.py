#!/usr/bin/env python3
"""Installs a build and uses what was installed, and nothing of the tree: C++ projects by
find_package, C99 programs by pkg-config, Python's foreign function interface, and the programs that
README.md and docs/library.md show.

    package_test.py BUILD_FOLDER WORK_FOLDER
"""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
README, PAGE = (HERE.parents[1] / name for name in ("README.md", "docs/library.md"))
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


def fenced_blocks(page):
    """(language, text) of each."""
    return re.findall(r"```(\w+)\n(.*?)```", page.read_text(encoding="utf8"), re.S)


def first_indented_block(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf8"), flags=re.S)
    return textwrap.dedent(re.search(r"(?:^    .*\n)+", text, re.M)[0])


class Package(unittest.TestCase):
    """One after the other: the first program trains the model that the others load."""

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        run("cmake", "--install", BUILD, "--prefix", PREFIX)
        cls.library = next(PREFIX.glob("lib/**/libweft.so"))
        folder = cls.library.parent
        cls.environment = os.environ | {"PKG_CONFIG_PATH": str(folder / "pkgconfig"),
                                        "LD_LIBRARY_PATH": str(folder),
                                        "PATH": f"{PREFIX / 'bin'}:{os.environ['PATH']}"}

    def build_c(self, source, program):
        flags = run("pkg-config", "--cflags", "--libs", "weft", env=self.environment).split()
        run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", source, "-o", program,
            *flags)

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
        self.build_c(HERE / "c/phrases.c", "phrases")
        found = run(WORK / "phrases", *PHRASES, env=self.environment)
        self.assertEqual([f"{label} 2" for label in LABELS], found.splitlines())

    def test_3_another_language_calls_the_c_interface(self):
        found = run(sys.executable, HERE / "ffi/phrases.py", self.library, *PHRASES).splitlines()
        self.assertEqual("classifier", found[0])
        self.assertEqual("2 mini-batsch: unknown option; hint: did you mean mini-batch?", found[1])
        self.assertEqual(LABELS, found[2:])

    def test_4_the_readme_works(self):
        """What README.md shows first, on a few lines of text."""
        blocks = dict(fenced_blocks(README))
        (WORK / "train.tsv").write_text("games\tfind the way out\nmath\tadd two numbers\n" * 8)
        shell = blocks["sh"].replace("-t train.tsv", "-t train.tsv --after 2u")
        self.assertIn("classifier", run("sh", "-eu", "-c", shell, env=self.environment))
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

    def test_6_the_page_of_the_library_works(self):
        """The programs of docs/library.md, with the model of README.md."""
        found = fenced_blocks(PAGE)
        [program] = [text for language, text in found if language == "cpp" and "main()" in text]
        [c_program] = [text for language, text in found if language == "c"]
        lines = [text for language, text in found if language == "cpp" and text != program]
        folder = WORK / "page"
        folder.mkdir()
        (folder / "main.cpp").write_text(program)
        (folder / "CMakeLists.txt").write_text(first_indented_block(PAGE))
        run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={PREFIX}")
        run("cmake", "--build", folder / "build")
        label = run(folder / "build/sections", input="a game of falling blocks\n").strip()
        self.assertIn(label, ["games", "math"])
        (WORK / "page.c").write_text(c_program)
        self.build_c("page.c", "page_in_c")
        self.assertEqual(label, run(WORK / "page_in_c", env=self.environment).strip())
        for text in lines:
            (WORK / "lines.cpp").write_text(f"#include <weft/weft.h>\nvoid run() {{\n{text}}}\n")
            run("c++", "-std=c++20", "-fsyntax-only", f"-I{PREFIX / 'include'}", "lines.cpp")

    def test_7_its_headers_give_no_warnings(self):
        """Also where they are not the system's, for which compilers give none."""
        cases = itertools.product(compilers(), ("c++20", "c++2b"), ("-O0", "-O2"))
        for compiler, standard, optimisation in cases:
            with self.subTest(compiler=compiler, standard=standard, optimisation=optimisation):
                run(compiler, f"-std={standard}", optimisation, "-Wall", "-Wextra", "-Werror",
                    f"-I{PREFIX / 'include'}", "-c", HERE / "cpp/main.cpp", "-o", "main.o")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
