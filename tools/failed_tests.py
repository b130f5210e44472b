#!/usr/bin/env python3
"""Prints the output of each failed test of a JUnit report, truncated to its end.

usage: failed_tests.py REPORT.xml
"""

import re
import sys
import xml.etree.ElementTree as xml

LINES = 40  # lines of output per test
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(x[01]?[0-9A-Fa-f]|[0-2]?\d);"


def failures(report):
    """Yields the name and the output of each failed test."""
    for case in xml.fromstring(report).iter("testcase"):
        if case.get("status") == "fail" or case.find("failure") is not None:
            yield case.get("name"), (case.findtext("system-out") or "").rstrip()


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        # XML forbids most control characters, even escaped; a test may print any.
        report = re.sub(CONTROL, "", file.read())
    for name, output in failures(report):
        print(f"--- {name}")
        print("\n".join(output.splitlines()[-LINES:]))


if __name__ == "__main__":
    main()
