#!/bin/bash
# Runs each program of a folder (element-types.py) on the CPU and by the interpreter.
set -e
for program in "$1"/*.mlir; do
  stem=${program%.mlir}
  for device in cpu reference; do
    tiny-run "$program" --input "$stem.safetensors" --device $device --output "$stem.$device.safetensors" > /dev/null
  done
done
