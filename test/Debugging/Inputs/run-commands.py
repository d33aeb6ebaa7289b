"""run-commands.py FOLDER PAGE OUT: runs the commands in the `sh` blocks of a page in a folder; the first that fails ends it."""
import os
import re
import subprocess
import sys

folder, page, out = sys.argv[1:]
blocks = re.findall(r"^```sh\n(.*?)^```", open(page).read(), re.M | re.S)
assert blocks, "no command on the page"
for command in "".join(blocks).splitlines():
    print("$", command, flush=True)
    status = subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | {"OUT": out}).returncode
    # bash's `!` succeeds where the command fails.
    if status != 0:
        sys.exit(f"exit status {status}: {command}")
