"""Prints the kernels of a module at the uop level without the programs that launch them; with --empty without bodies."""
import re
import sys

text = re.sub(r"  kernel\.program .*?\n  \}\n", "", open(sys.argv[1]).read(), flags=re.S)
if "--empty" in sys.argv:
    text = re.sub(r"(  uop\.func [^\n]*\{\n).*?\n  \}\n", r"\1    uop.return\n  }\n", text, flags=re.S)
    text = re.sub(r" attributes \{kernel\.entry = [^\n]*>\} \{\n", " {\n", text)
print(text, end="")
