"""Writes a training step of three layers as a pipeline, or whole.

    pipeline.py GRID MICROBATCHES BATCH FOLDER

GRID is stages, or stagesxdata; 1 annotates nothing. The first stage has two layers and the second one the third: they are
uneven. With three stages each has one. FOLDER gets program.mlir, and inputs.npz, which depends on BATCH alone.
"""
import pathlib
import sys

import numpy as np

SIZES = (16, 32, 32, 4)


def main():
    grid = [int(size) for size in sys.argv[1].split("x")]
    microbatches, batch, folder = int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    stages = grid[0]
    first = {1: [0, 0, 0], 2: [0, 0, 1], 3: [0, 1, 2]}[stages]
    lines, counter = [], 0

    def text(*shape):
        return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"

    def emit(line):
        nonlocal counter
        counter += 1
        lines.append(f"%v{counter} = {line}")
        return f"%v{counter}"

    x = "%x"
    if stages > 1:
        axes = [1] if len(grid) > 1 else []
        axes.append(len(grid))
        how = emit(f"shard.sharding @pipe split_axes = [{axes}] : !shard.sharding")
        x = emit(f"shard.shard %x to {how} : {text(batch, SIZES[0])}")
    weights = [emit(f"tiny.watch %w{k} : ({text(*SIZES[k:k + 2])}) -> {text(*SIZES[k:k + 2])}") for k in range(3)]
    for k, weight in enumerate(weights):
        if k and first[k] != first[k - 1]:
            here = text(batch, SIZES[k])
            x = emit(f"tiny.stage {x} on @pipe axis 0 from {first[k - 1]} to {first[k]} : ({here}) -> {here}")
        kind = f"({text(batch, SIZES[k])}, {text(*SIZES[k:k + 2])}) -> {text(batch, SIZES[k + 1])}"
        x = emit(f"tiny.matmul {x}, {weight} : {kind}")
        if k < 2:
            x = emit(f"tiny.relu {x} : ({text(batch, SIZES[k + 1])}) -> {text(batch, SIZES[k + 1])}")
    out = text(batch, SIZES[3])
    off = emit(f"tiny.sub {x}, %y : ({out}, {out}) -> {out}")
    square = emit(f"tiny.square {off} : ({out}) -> {out}")
    loss = emit(f"tiny.sum {square} axes [0, 1] : ({out}) -> tensor<f32>")
    types = ", ".join(text(*SIZES[k:k + 2]) for k in range(3))
    lines.append(f"%g:3 = tiny.gradient {loss} wrt {', '.join(weights)} : (tensor<f32>, {types}) -> ({types})")
    rate = emit("tiny.constant dense<0.001> : tensor<f32>")
    results = [loss]
    for k, weight in enumerate(weights):
        kind = text(*SIZES[k:k + 2])
        step = emit(f"tiny.mul %g#{k}, {rate} : ({kind}, tensor<f32>) -> {kind}")
        results.append(emit(f"tiny.sub {weight}, {step} : ({kind}, {kind}) -> {kind}"))
    arguments = [f'%x: {text(batch, SIZES[0])} {{tiny.name = "x"}}', f'%y: {out} {{tiny.name = "y"}}']
    arguments += [f'%w{k}: {text(*SIZES[k:k + 2])} {{tiny.name = "w{k}", tiny.donated}}' for k in range(3)]
    given = ['tensor<f32> {tiny.name = "loss"}']
    given += [f'{text(*SIZES[k:k + 2])} {{tiny.name = "w{k}", tiny.aliases = {k + 2} : i64}}' for k in range(3)]
    shape = "x".join(str(size) for size in [*grid, microbatches])
    head = f"shard.grid @pipe(shape = {shape}) {{tiny.microbatches = {len(grid)} : i64}}\n" if stages > 1 else ""
    body = "\n  ".join(lines)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.mlir").write_text(
        f"{head}func.func @step({', '.join(arguments)}) -> ({', '.join(given)}) {{\n  {body}\n"
        f"  return {', '.join(results)} : tensor<f32>, {types}\n}}\n")
    # Integers: sums are the same in any order.
    rng = np.random.default_rng(1)
    inputs = {"x": rng.integers(-2, 3, (batch, SIZES[0])), "y": rng.integers(-2, 3, (batch, SIZES[3]))}
    inputs |= {f"w{k}": rng.integers(-1, 2, SIZES[k:k + 2]) for k in range(3)}
    np.savez(folder / "inputs.npz", **{name: array.astype(np.float32) for name, array in inputs.items()})


main()
