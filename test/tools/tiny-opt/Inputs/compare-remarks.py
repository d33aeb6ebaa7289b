"""Compares the remarks of one command as text, as YAML and as bitstream.

usage: compare-remarks.py FOLDER COMMAND...

The command lacks only the format. Each remark must have a place, and all formats the same place, outcome, pass, name,
function, message and numbers. Prints how many there are, and how many of the refusals carry numbers.
"""
import collections
import re
import subprocess
import sys

TEXT = re.compile(r'^(\S+):(\d+):(\d+): remark: \[(\w+)\] (\S+) \| Category:(\S+) \| Function=(\S+) \| Remark="(.*)"(.*)$')


def read_text(output):
    for line in output.splitlines():
        if match := TEXT.match(line):
            file, row, column, outcome, name, category, function, message, rest = match.groups()
            numbers = tuple(sorted(re.findall(r"(\w+)=([^,\s]+)", rest)))
            yield file, int(row), int(column), outcome, category, name, function, message, numbers
        elif " remark: " in line:
            sys.exit(f"not understood: {line}")


def unquote(text):
    text = text.strip()
    return text[1:-1].replace("''", "'") if text[:1] == "'" else text


def read_yaml(output):
    for entry in re.findall(r"^--- (.*?)^\.\.\.$", output, re.M | re.S):
        fields = dict(re.findall(r"^(Pass|Name|Function): +(.*)$", entry, re.M))
        place = re.search(r"DebugLoc: +\{ File: (.*?),\s+Line: (\d+),\s+Column: (\d+)\s+\}", entry)
        if not place:
            sys.exit(f"no place: {entry}")
        args = [(key, unquote(value)) for key, value in re.findall(r"^  - (\w+): +(.*)$", entry, re.M)]
        yield (unquote(place[1]), int(place[2]), int(place[3]), entry[1:entry.index("\n")], unquote(fields["Pass"]),
               unquote(fields["Name"]), unquote(fields["Function"]), dict(args)["Remark"], tuple(sorted(args[1:])))


def main():
    folder, *command = sys.argv[1:]

    def run(*words):
        done = subprocess.run([*command, *words, "-o", "/dev/null"], capture_output=True, text=True)
        return done.stderr if done.returncode == 0 else sys.exit(done.stderr)

    text = collections.Counter(read_text(run("--remark-format=emitRemark")))
    run("--remark-format=yaml", f"--remarks-output-file={folder}/remarks.yaml")
    with open(f"{folder}/remarks.yaml") as file:
        yaml = collections.Counter(read_yaml(file.read()))
    run("--remark-format=bitstream", f"--remarks-output-file={folder}/remarks.bitstream")
    converted = subprocess.run(["llvm-remarkutil", "bitstream2yaml", f"{folder}/remarks.bitstream", "-o", "-"],
                               capture_output=True, text=True)
    if converted.returncode:
        sys.exit(converted.stderr)
    bits = collections.Counter(read_yaml(converted.stdout))
    for name, other in (("YAML", yaml), ("bitstream", bits)):
        for remark in text - other:
            sys.exit(f"{name} lacks {remark}")
        for remark in other - text:
            sys.exit(f"only {name} has {remark}")
    missed = [remark for remark in text.elements() if remark[3] == "Missed"]
    print(f"{text.total()} remarks, {len(missed)} refusals, {sum(bool(remark[-1]) for remark in missed)} with numbers")


if __name__ == "__main__":
    main()
