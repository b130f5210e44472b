#!/usr/bin/env python3
"""Checks that a portable program links only the C and C++ libraries, and that it runs. Prints how
long it takes to start, which no check depends on.

    tests/scripts/portable_test.py PROGRAM
"""

import re
import statistics
import subprocess
import sys
import time
import unittest

ALLOWED = re.compile(r"^(linux-vdso|libc|libm|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so\.\d+$")


def run(*command):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Portable(unittest.TestCase):

    def test_links_only_the_c_and_cpp_libraries(self):
        listing = run("ldd", program)
        names = [line.split()[0].rsplit("/", 1)[-1] for line in listing.splitlines() if line]
        self.assertIn("libc.so.6", names)
        self.assertEqual([name for name in names if not ALLOWED.match(name)], [])

    def test_says_its_version(self):
        self.assertRegex(run(program, "--version"), r"\d+\.\d+\.\d+")

    def test_starts(self):
        seconds = []
        for _ in range(21):
            begin = time.perf_counter()
            run(program, "--version")
            seconds.append(time.perf_counter() - begin)
        print(f"starts in {1000 * statistics.median(seconds):.1f} ms, the median of 21 times")


if __name__ == "__main__":
    program = sys.argv.pop(1)
    unittest.main()
