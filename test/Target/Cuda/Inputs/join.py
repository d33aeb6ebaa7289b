"""Puts the parts of a split file into one module: functions get names of their own."""
import sys

parts = open(sys.argv[1]).read().split("// -----\n")
for number, part in enumerate(parts):
    if part.count("func.func") == 1:
        print(part.replace("@main", f"@main{number}"))
