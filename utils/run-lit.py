#!/usr/bin/env python3
"""Runs lit over a build's tests and closes with one line, 'N passed, N failed'.

usage: run-lit.py BUILD [lit arguments...]
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

LIT = "/usr/lib/llvm-22/bin/lit"


def main() -> int:
    build, arguments = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        status = subprocess.run(
            [LIT, "-sv", "--no-progress-bar", "--time-tests", "--output", report, *arguments,
             os.path.join(build, "test"), os.path.join(build, "unittests")]).returncode
        if not os.path.exists(report):
            return status or 1
        with open(report) as file:
            tests = json.load(file)["tests"]
    codes = collections.Counter(test["code"] for test in tests)
    passed = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
    skipped = codes["UNSUPPORTED"] + codes["SKIPPED"] + codes["EXCLUDED"]
    failed = len(tests) - passed - skipped
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return status or (1 if failed or not passed else 0)


if __name__ == "__main__":
    sys.exit(main())
