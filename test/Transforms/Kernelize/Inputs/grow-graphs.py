#!/usr/bin/env python3
"""Appends random operations on what each function of a lazy module returns: grow-graphs.py SEED < IN > OUT

The old results are returned still. Some of the new operations ask to be one group.
"""
import random
import re
import sys

rng = random.Random(int(sys.argv[1]))
fresh = 0


def grow(line, indent):
    global fresh
    names, types = line.strip()[len("return "):].split(" : ")
    values = list(zip(names.split(", "), types.split(", ")))
    added = []

    def emit(text, kind):
        global fresh
        fresh += 1
        name = f"%grown{sys.argv[1]}_{fresh}"
        added.append(f"{indent}{name} = {text}")
        values.append((name, kind))
        return name

    for _ in range(4):
        floats = [value for value in values if value[1].endswith("f32>")]
        if not floats:
            break
        name, kind = rng.choice(floats)
        shape = [int(size) for size in re.findall(r"(\d+)x", kind)]
        other = rng.choice([value for value, t in values if t == kind])
        choice = rng.randrange(4)
        if choice == 0 or not shape:
            group = f' {{lazy.group_id = "{fresh}"}}' if rng.random() < 0.5 else ""
            first = emit(f"arith.negf {name}{group} : {kind}", kind)
            emit(f"math.absf {first}{group} : {kind}", kind)
        elif choice == 1:
            emit(f"arith.addf {name}, {other} : {kind}", kind)
        elif choice == 2:
            result = "tensor<" + "".join(f"{size}x" for size in shape[1:]) + "f32>"
            emit(f"lazy.reduce maximumf ({name}) axes [0] : ({kind}) -> {result}", result)
        else:
            emit(f"lazy.flip {name} [0] : {kind} -> {kind}", kind)
    names, types = zip(*values)
    return "\n".join(added + [f"{indent}return {', '.join(names)} : {', '.join(types)}"])


def main():
    text = sys.stdin.read()
    functions = re.split(r"(?m)^(?=\s*func\.func)", text)
    out = [functions[0]]
    for function in functions[1:]:
        body = re.sub(r"(?m)^( *)return .*$", lambda match: grow(match[0], match[1]), function)
        types = re.search(r"(?m)^ *return .* : (.*)$", body)[1]
        out.append(re.sub(r"-> (\(.*\)|\S+) \{", f"-> ({types}) {{", body, count=1))
    print("".join(out))


main()
