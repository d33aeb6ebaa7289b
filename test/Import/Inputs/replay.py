#!/usr/bin/env python3
"""Runs recorded nodes and compares: replay.py TINY_RUN RECORDED FOLDER, with nothing but the standard library."""
import base64
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
import onnx_files

tool, recorded, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(exist_ok=True)
onnx_files.ATOL = 1e-5
wrong = 0
entries = json.loads(pathlib.Path(recorded).read_text())
for index, entry in enumerate(entries):
    model, given, results = (folder / name for name in ("model.onnx", "in.safetensors", "out.safetensors"))
    model.write_bytes(base64.b64decode(entry["model"]))
    tensors = {part: {name: (kind, shape, base64.b64decode(data)) for name, (kind, shape, data) in entry[part].items()}
               for part in ("inputs", "outputs")}
    onnx_files.write_safetensors(given, tensors["inputs"])
    done = subprocess.run([tool, str(model), "--no-cache", f"--input={given}", f"--output={results}"],
                          capture_output=True, text=True, errors="replace")
    if done.returncode:
        fault = done.stderr.strip()
    else:
        got = onnx_files.read_safetensors(results)
        faults = [f"{name}: {fault}" for name, tensor in tensors["outputs"].items()
                  if (fault := onnx_files.compare(got[name], tensor))]
        fault = "; ".join(faults)
    if fault:
        wrong += 1
        print(f"{index} {entry['op']}: {fault}")
print(f"{len(entries)} recorded nodes, {wrong} wrong")
