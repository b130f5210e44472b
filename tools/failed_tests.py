#!/usr/bin/env python3
"""Prints what each failed test of a JUnit report said, the end of it where that is long.

usage: failed_tests.py REPORT.xml
"""

import re
import sys
import xml.etree.ElementTree as xml

LINES = 40  # of a test's output
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(x[01]?[0-9A-Fa-f]|[0-2]?\d);"


def failures(report):
    """Pairs of a failed test's name and what it printed."""
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
