"""Runs a program of Python whose standard error is a terminal, and prints what was shown there, a line for each.

    on-terminal.py PROGRAM
"""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
shown = b""
while True:
    try:
        part = os.read(master, 4096)
    except OSError:  # Linux's way to say that nobody writes any longer.
        break
    if not part:
        break
    shown += part
print(shown.decode().replace("\r", "\n").replace("\033[K", ""))
sys.exit(child.wait())
