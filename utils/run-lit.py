#!/usr/bin/env python3
"""Runs lit over a build's tests and closes with one line, 'N passed, N failed'.

usage: run-lit.py BUILD [lit arguments...]
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

LIT = "/usr/lib/llvm-22/bin/lit"
SHOWN_FAILURES, SHOWN_LINES = 5, 30
TELLING = re.compile(r"error:|: Failure|\[  FAILED|Sanitizer|Traceback|Error: ")


def telling_lines(output: str) -> list[str]:
    """The lines that name a fault, with the four after each, and the last five; at most SHOWN_LINES of them."""
    lines = output.rstrip().splitlines()
    kept = {at + after for at, line in enumerate(lines) if TELLING.search(line) for after in range(5)}
    first = sorted(at for at in kept if at < len(lines) - 5)[:SHOWN_LINES - 5]
    return [lines[at] for at in first] + lines[-5:]


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
    # Why each failed, once more at the end: a long report may be cut in its middle.
    for test in [test for test in tests if test["code"] in ("FAIL", "TIMEOUT", "UNRESOLVED", "XPASS")][:SHOWN_FAILURES]:
        print(f"\n{test['code']}: {test['name']}:", *telling_lines(test["output"]), sep="\n")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return status or (1 if failed or not passed else 0)


if __name__ == "__main__":
    sys.exit(main())
