"""Fails unless a program's output has a line with each text, or says that the program skipped."""
import sys

said = open(sys.argv[1], encoding="utf-8").read()
if "skipped: " not in said:
    missing = [text for text in sys.argv[2:] if text not in said]
    if missing:
        sys.exit(f"expected {missing} in:\n{said}")
