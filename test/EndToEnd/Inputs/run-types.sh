#!/bin/bash
# run-types.sh FOLDER [OPTION...]: runs each program of a folder (element-types.py) on the CPU, with options, and by the
# interpreter.
set -e
for program in "$1"/*.mlir; do
  stem=${program%.mlir}
  tiny-run "$program" --input "$stem.safetensors" --output "$stem.cpu.safetensors" "${@:2}" > /dev/null
  tiny-run "$program" --input "$stem.safetensors" --device reference --output "$stem.reference.safetensors" > /dev/null
done
