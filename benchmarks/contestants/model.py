"""A framework of the Python registry as a contestant on an ONNX model. See Contestant.h for the protocol.

usage: model.py onnxruntime|torch|tinygrad MODEL; OMP_NUM_THREADS says on how many threads
"""
import os
import sys
import time

import numpy
import onnx

BATCH = 360


def inputs_of(model):
    """Random numbers for each input, an open dimension being the batch."""
    weights = {weight.name for weight in model.graph.initializer}
    random = numpy.random.default_rng(0)
    for value in model.graph.input:
        if value.name not in weights:
            dims = [dim.dim_value or BATCH for dim in value.type.tensor_type.shape.dim]
            yield value.name, random.uniform(-1, 1, dims).astype(numpy.float32)


def onnxruntime(path, inputs, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def torch(path, inputs, threads):
    import torch
    from onnx2torch import convert
    torch.set_num_threads(threads)
    compiled = torch.compile(convert(path).eval())
    tensors = [torch.from_numpy(value) for value in inputs.values()]

    def run():
        with torch.no_grad():
            return compiled(*tensors)
    return run


def tinygrad(path, inputs, threads):
    os.environ.setdefault("CPU", "1")
    from tinygrad import Tensor, TinyJit
    from tinygrad.nn.onnx import OnnxRunner
    runner = OnnxRunner(path)
    run = TinyJit(lambda **tensors: next(iter(runner(tensors).values())).realize())
    tensors = {name: Tensor(value).realize() for name, value in inputs.items()}
    for _ in range(3):  # the second run is recorded, the third replayed
        run(**tensors).numpy()
    return lambda: run(**tensors).numpy()


def main():
    name, path = sys.argv[1:]
    inputs = dict(inputs_of(onnx.load(path)))
    start = time.perf_counter()
    run = {"onnxruntime": onnxruntime, "torch": torch, "tinygrad": tinygrad}[name](
        path, inputs, int(os.environ.get("OMP_NUM_THREADS", "1")))
    run()
    print(f"ready {time.perf_counter() - start:.9f}", flush=True)
    for line in sys.stdin:
        best = [float("inf")] * 2
        for _ in range(int(line)):
            processor, wall = time.process_time(), time.perf_counter()
            run()
            took = time.perf_counter() - wall, time.process_time() - processor
            best = [min(a, b) for a, b in zip(best, took)]
        print(f"{best[0]:.9f} {best[1]:.9f}", flush=True)


if __name__ == "__main__":
    main()
