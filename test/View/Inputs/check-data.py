# Prints what data of a view holds, a line each. usage: check-data.py DATA.json
import json
import re
import sys

data = json.load(open(sys.argv[1], encoding="utf-8"))
assert (data["format"], data["version"]) == ("tiny-view", 1)
tags = [{(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)} for flat in data["tags"]]
levels = {level["name"]: level for level in data["levels"]}
print("levels:", *(f"{name} ({level['sizes']})" if "sizes" in level else name for name, level in levels.items()))


def list_ops(level):
    """Name of the function, line, and tags of each operation."""
    for function in level["functions"]:
        for line, tag in zip(function["ops"][::2], function["ops"][1::2]):
            assert 0 <= line < len(function["lines"])
            yield function, function["lines"][line], tags[tag]


def is_constant(line):
    return re.search(r"\bconstant\b", line)


for function in levels.get("tensor", {"functions": []})["functions"]:
    for node in function.get("nodes", []):
        if node["op"] not in ("tiny.matmul", "tiny.softmax") or len(levels) < 3:
            continue
        own = {tag for tag in tags[node["tag"]] if tag[0] == 0}
        assert len(own) == 1, node
        found, kernels = [], set()
        for name, level in levels.items():
            ops = [(other, line) for other, line, linked in list_ops(level) if own & linked and not is_constant(line)]
            if name not in ("tensor", "llvm") and ops:
                found.append(name)
            kernels |= {other["name"] for other, _ in ops if other["kind"] in ("kernel.func", "uop.func")}
        print(f"{node['op']}: {' '.join(found)}; kernels {' '.join(sorted(kernels))}")

nodes = [] if "kernel" not in levels else [node for function in levels["kernel"]["functions"] for node in function.get("nodes", [])]
if any(node["op"] in ("kernel.loop", "kernel.if") for node in nodes):
    for launch in nodes:
        if launch["op"] != "kernel.launch":
            continue
        around, node = [], launch
        while "group" in node:
            branch = f" ({node['branch']})" if "branch" in node else ""
            node = nodes[node["group"]]
            around.insert(0, node["label"] + branch)
        writers = sorted(nodes[index]["label"] for index in launch["inputs"] if nodes[index]["op"] == "kernel.launch")
        print(f"kernel: {launch['label']}" + (" in " + " > ".join(around) if around else "") + (f", reads what {' '.join(writers)} wrote" if writers else ""))

print("changed:", *(run["name"] for run in data["passes"] if run["changes"]))
for run in data["passes"]:
    if run["name"] == "tensor-decompose":
        removed = [line for change in run["changes"] for hunk in change.get("hunks", []) for line in hunk["lines"] if line[0] == "-"]
        print("tensor-decompose:", re.sub(r"\s+", " ", removed[0]))
if data["remarks"]:
    print("remarks:", *sorted({remark["pass"] for remark in data["remarks"]}))
for view in data["views"]:
    mask = [interval for one in view["stack"] for interval in one["mask"]]
    if mask:
        one = next(one for one in view["stack"] if one["mask"])
        print(f"a masked view: ({', '.join(map(str, one['shape']))}) mask {':'.join(map(str, mask[0]))}")
        break
if data["kernels"]:
    common = set.intersection(*(set(facts) for facts in data["kernels"].values())) - {"schedule", "accessesBefore"}
    print("every kernel has:", *sorted(common))
for name, facts in data["kernels"].items():
    if not name.startswith("matmul") or "schedules" not in facts:
        continue
    candidates = facts["schedules"]["candidates"]
    terms = set.intersection(*(set(one) for candidate in candidates for one in candidate["predicted"]["passes"])) - {"total"}
    print(f"candidates of {name}:", *dict.fromkeys(candidate["kind"] for candidate in candidates), end="")
    print(", each with", *sorted(terms))
    if candidates[0]["predicted"]["total"] == facts["predicted"]["total"]:
        print("the chosen one is predicted as the kernel is")
    print("compared by its rule:", *(remark["message"] for remark in data["remarks"] if remark["name"] == "candidate" and remark["message"].endswith(": chosen")))
print("measured:", *sorted(data.get("measured", {"nothing": 0})))
if "measured" in data:
    assert 0 <= data["measured"]["delayed"] <= 1
    for kernel in data["measured"]["kernels"]:
        times = sorted(kernel["times"])
        assert len(times) == data["measured"]["runs"] and abs(kernel["microseconds"] - (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2) < 1e-6
        assert 0 <= kernel["waiting"] <= kernel["microseconds"] and kernel["busy"] > 0 and kernel["reasons"][0].startswith("Measured ")
    print("of each kernel the median of", data["measured"]["runs"], "runs, waiting and reasons")
    assert all(begin >= event["begin"] and begin + time <= event["begin"] + event["microseconds"] + 0.1 for event in data["measured"]["events"] for _, begin, time in event["parts"])
    print("launches have parts on thread", *({thread for event in data["measured"]["events"] for thread, _, _ in event["parts"]} & {0}))
    placed = data["measured"]["temporaries"]
    for index, one in enumerate(placed):
        for other in placed[:index]:
            if one["first"] <= other["last"] and other["first"] <= one["last"]:
                assert one["offset"] + one["bytes"] <= other["offset"] or other["offset"] + other["bytes"] <= one["offset"]
    top = max(one["offset"] + one["bytes"] for one in placed)
    print("temporaries lie apart, and", "fill the arena" if data["measured"]["memory"]["arena"] - top < 64 else f"end at {top}")
for code in data["code"]:
    missing = [name for name in data["kernels"] if not re.search(rf"^({re.escape(name)}:|.*\b(model_)?{re.escape(name)}\()", code["text"], re.MULTILINE)]
    print(f"code: {code['form']} of", "every kernel" if not missing else f"all but {missing}")
    if "places" in code:
        products = {tag for node in data["levels"][0]["functions"][0].get("nodes", []) if node["op"] == "tiny.matmul" for tag in tags[node["tag"]]}
        print(f"{code['form']}: of the product there is tiny.matmul in", sum(bool(products & tags[tag]) for tag in code["places"][1::2]), "lines")
for error in data["errors"]:
    print("error:", error["message"])
for run in data["passes"]:
    for mark in ("failed", "blamed"):
        if run.get(mark):
            print(f"{mark}: {run['name']}")
