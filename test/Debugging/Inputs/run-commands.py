"""run-commands.py FOLDER OUT PAGE...: runs the commands in the `sh` blocks of pages in a folder; the first that fails ends it.

Where a block's lines begin with `$`, those are its commands. The lines below one are among those that it prints, in this
order, with `...` for any text.
"""
import os
import pathlib
import re
import subprocess
import sys

folder, out, *pages = sys.argv[1:]


def read_commands(page):
    """Each command of a page, and the lines that it is to print."""
    for block in re.findall(r"^```sh\n(.*?)^```", pathlib.Path(page).read_text(), re.M | re.S):
        commands = []
        for line in block.splitlines():
            if line.startswith("$ ") or not block.startswith("$ "):
                commands.append((line.removeprefix("$ "), []))
            else:
                commands[-1][1].append(line)
        yield from commands


count = 0
for page in pages:
    for command, expected in read_commands(page):
        count += 1
        print("$", command, flush=True)
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | {"OUT": out}, text=True, errors="replace",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(ran.stdout, end="", flush=True)
        # bash's `!` succeeds where the command fails.
        if ran.returncode != 0:
            sys.exit(f"exit status {ran.returncode}: {command}")
        printed = iter(ran.stdout.splitlines())
        for line in expected:
            pattern = ".*".join(map(re.escape, line.split("...")))
            if not any(re.fullmatch(pattern, other) for other in printed):
                sys.exit(f"{page}: '{command}' does not print, or not there: {line}")
assert count, "no command on the pages"
