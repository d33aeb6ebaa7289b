"""A framework of the Python registry as a contestant. See Contestant.h for the protocol.

usage: framework.py onnxruntime|torch|tinygrad PROBLEM; OMP_NUM_THREADS says on how many threads. PROBLEM is one of
  model PATH                     an ONNX model
  exported PATH                  the model of utils/onnx/export-models that is called as the file
  matmul M N K                   MxK times KxN
  softmax ROWS COLUMNS           of each row
  layer_norm ROWS COLUMNS        of each row, with a scale and a bias
  conv IN SIZE OUT KERNEL STRIDE PADDING

Preparing is what follows the imports: from the problem to its first result.
"""
import os
import pathlib
import resource
import sys
import time

import numpy


def shapes_of(problem, numbers):
    """Shapes of the inputs of a problem that is not a model."""
    if problem == "matmul":
        m, n, k = numbers
        return [(m, k), (k, n)]
    if problem == "conv":
        channels, size, out, kernel = numbers[:4]
        return [(1, channels, size, size), (out, channels, kernel, kernel)]
    return [tuple(numbers)] + [(numbers[1],)] * (2 if problem == "layer_norm" else 0)


def inputs_of(problem, arguments):
    """Random numbers for each input, by name."""
    random = numpy.random.default_rng(0)
    if problem in ("model", "exported"):
        import onnx
        graph = onnx.load(arguments[0], load_external_data=False).graph
        weights = {weight.name for weight in graph.initializer}
        tensors = {value.name: value.type.tensor_type for value in graph.input if value.name not in weights}
        shapes = {name: [dim.dim_value for dim in tensor.shape.dim] for name, tensor in tensors.items()}
        types = {name: onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type) for name, tensor in tensors.items()}
        # Integers are zeros, which any model takes, as bench-tiny has them.
        return {name: random.uniform(-1, 1, shape).astype(types[name]) if types[name].kind == "f"
                else numpy.zeros(shape, types[name]) for name, shape in shapes.items()}
    shapes = {f"x{i}": shape for i, shape in enumerate(shapes_of(problem, [int(text) for text in arguments]))}
    return {name: random.uniform(-1, 1, shape).astype(numpy.float32) for name, shape in shapes.items()}


def onnxruntime(problem, arguments, inputs, threads):
    import onnxruntime
    if problem != "model":
        sys.exit("onnxruntime runs models only")

    def prepare():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(arguments[0], options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, inputs)
    return prepare


def torch(problem, arguments, inputs, threads):
    import torch
    from torch.nn import functional
    if problem == "model":
        from onnx2torch import convert
    if problem == "exported":
        return exported(pathlib.Path(arguments[0]).stem, inputs, threads)
    torch.set_num_threads(threads)
    numbers = [] if problem == "model" else [int(text) for text in arguments]
    functions = {"matmul": torch.matmul, "softmax": lambda x: torch.softmax(x, -1),
                 "layer_norm": lambda x, scale, bias: functional.layer_norm(x, scale.shape, scale, bias, 1e-5),
                 "conv": lambda x, w: functional.conv2d(x, w, stride=numbers[4], padding=numbers[5])}
    tensors = [torch.from_numpy(value) for value in inputs.values()]

    def prepare():
        compiled = torch.compile(convert(arguments[0]).eval() if problem == "model" else functions[problem])

        def run():
            with torch.no_grad():
                return compiled(*tensors)
        return run
    return prepare


def exported(name, inputs, threads):
    """A model of PyTorch's as it is, without a compiler."""
    import importlib.machinery
    import importlib.util
    import torch
    torch.set_num_threads(threads)
    path = pathlib.Path(__file__).resolve().parents[2] / "utils" / "onnx" / "export-models"
    loader = importlib.machinery.SourceFileLoader("export_models", str(path))
    exporter = importlib.util.module_from_spec(importlib.util.spec_from_loader("export_models", loader))
    loader.exec_module(exporter)
    tensors = [torch.from_numpy(value) for value in inputs.values()]

    def prepare():
        model = exporter.MODELS[name][0]().eval()

        def run():
            with torch.no_grad():
                return model(*tensors)
        return run
    return prepare


def tinygrad(problem, arguments, inputs, threads):
    os.environ.update(DEV="CPU", NUM_CPU_THREADS=str(threads), PARALLEL="0", CACHELEVEL="0", CCACHE="0")
    from tinygrad import Tensor, TinyJit
    from tinygrad.nn.onnx import OnnxRunner
    numbers = [] if problem == "model" else [int(text) for text in arguments]
    functions = {"matmul": lambda x0, x1: x0 @ x1, "softmax": lambda x0: x0.softmax(-1),
                 "layer_norm": lambda x0, x1, x2: x0.layernorm(-1, eps=1e-5) * x1 + x2,
                 "conv": lambda x0, x1: x0.conv2d(x1, stride=numbers[4], padding=numbers[5])}
    tensors = {name: Tensor(value).realize() for name, value in inputs.items()}

    def prepare():
        if problem == "model":
            runner = OnnxRunner(arguments[0])
            compute = lambda **values: next(iter(runner(values).values()))
        else:
            compute = functions[problem]
        run = TinyJit(lambda **values: compute(**values).realize())
        return lambda: run(**tensors).numpy()
    return prepare


def processor_seconds():
    """Of this process with its threads, and of the compilers that it ran."""
    return sum(use.ru_utime + use.ru_stime
               for use in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def main():
    name, problem, *arguments = sys.argv[1:]
    inputs = inputs_of(problem, arguments)
    prepare = {"onnxruntime": onnxruntime, "torch": torch, "tinygrad": tinygrad}[name](
        problem, arguments, inputs, int(os.environ.get("OMP_NUM_THREADS", "1")))
    processor, wall = processor_seconds(), time.perf_counter()
    run = prepare()
    run()
    print(f"ready {time.perf_counter() - wall:.9f} {processor_seconds() - processor:.9f}", flush=True)
    # What records the second run and replays it from the third on (tinygrad) is warm after three more.
    warm = 3
    for line in sys.stdin:
        for _ in range(warm):
            run()
        warm = 0
        best = [float("inf")] * 2
        for _ in range(int(line)):
            processor, wall = time.process_time(), time.perf_counter()
            run()
            took = time.perf_counter() - wall, time.process_time() - processor
            best = [min(a, b) for a, b in zip(best, took)]
        print(f"{best[0]:.9f} {best[1]:.9f}", flush=True)


if __name__ == "__main__":
    main()
