"""Runs the project's tools."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def find(name):
    """The newest build of a tool, or the one in TINY_BUILD."""
    builds = [pathlib.Path(os.environ["TINY_BUILD"])] if "TINY_BUILD" in os.environ else sorted(ROOT.glob("build/*"))
    found = [build / "bin" / name for build in builds if (build / "bin" / name).exists()]
    if not found:
        sys.exit(f"run-corpus: no {name} in build/*/bin: build the project first")
    return max(found, key=lambda path: path.stat().st_mtime)


def tiny_opt(arguments, text):
    """Standard output of tiny-opt on a module."""
    done = subprocess.run([find("tiny-opt"), *arguments, "-"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"run-corpus: tiny-opt failed: {done.stderr[:2000]}")
    return done.stdout
