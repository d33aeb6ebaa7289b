"""Runs the project's tools."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What programs run on, as tiny-run's --device has it.
device = "cpu"


def find(name):
    """The newest build of a tool, or the one in TINY_BUILD."""
    builds = [pathlib.Path(os.environ["TINY_BUILD"])] if "TINY_BUILD" in os.environ else sorted(ROOT.glob("build/*"))
    found = [build / "bin" / name for build in builds if (build / "bin" / name).exists()]
    if not found:
        sys.exit(f"run-corpus: no {name} in build/*/bin: build the project first")
    return max(found, key=lambda path: path.stat().st_mtime)


class Failed(Exception):
    """tiny-opt refused a module; its first error."""


def tiny_opt(arguments, text):
    """Standard output of tiny-opt on a module. Raises Failed."""
    done = subprocess.run([find("tiny-opt"), *arguments, "-"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Failed(next((line for line in lines if "error" in line), f"exit code {done.returncode}"))
    return done.stdout


def tiny_opt_each(arguments, functions):
    """Runs tiny-opt on functions, as many in one module as it accepts. Returns for each of them (text, error), one of
    which is None."""
    if not functions:
        return []
    try:
        output = tiny_opt(arguments, "\n".join(functions))
        bodies = re.split(r"(?=^  func\.func )", output, flags=re.M)[1:]
        if len(bodies) != len(functions):
            raise Failed(f"{len(functions)} functions became {len(bodies)}")
        return [(body, None) for body in bodies]
    except Failed as reason:
        if len(functions) == 1:
            return [(None, str(reason))]
    half = len(functions) // 2
    return tiny_opt_each(arguments, functions[:half]) + tiny_opt_each(arguments, functions[half:])


def guarded(what, *arguments):
    """Calls `what`. Returns (its result, why it raised an exception), one of which is None."""
    try:
        return what(*arguments), None
    except Exception as error:  # a case that nobody thought of fails alone
        return None, f"{type(error).__name__}: {error}"
