"""The compiler's side of the package: programs that are read, lowered, printed and run."""
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

import numpy as np
import tiny
from tiny import Tensor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = """func.func @main(%x: tensor<3xf32> {tiny.name = "x"}) -> tensor<3xf32> {
  %0 = tiny.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = tiny.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = tiny.add %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


class ModelTest(unittest.TestCase):
    def test_a_program_walks_down_the_levels(self):
        model = tiny.parse(TEXT)
        self.assertEqual(str(model).count("tiny.exp"), 2)
        self.assertEqual(str(model.run_passes("cse")).count("tiny.exp"), 1)
        self.assertEqual(str(model).count("tiny.exp"), 2)
        lazy = model.run_passes("tiny-tensor-to-lazy-pipeline")
        self.assertIn("math.exp", str(lazy))
        self.assertIn("kernel.func", model.lowered("kernel"))
        self.assertIn("llvm.func", model.lowered("llvm"))
        self.assertIn(".text", model.lowered("assembly"))
        self.assertIn("void", model.lowered("", "c"))
        np.testing.assert_allclose(model(Tensor([0.0, 1, 2])).numpy(), 2 * np.exp([0, 1, 2]), rtol=1e-6)
        np.testing.assert_allclose(lazy(x=np.float32([0, 1, 2])).numpy(), 2 * np.exp([0, 1, 2]), rtol=1e-6)
        self.assertEqual(model.inputs, [("x", (3,), tiny.float32)])
        self.assertEqual(repr(model), "Model(x[3])")

    def test_the_program_of_tensors(self):
        x = Tensor([1.0, 2, 3])
        model = tiny.program([x + 2, (x * 3).sum()])
        self.assertEqual(len(model.results), 2)
        self.assertIn("llvm.func", (x + 2).lowered("llvm"))

    def test_onnx(self):
        folder = ROOT / "examples" / "digits"
        model = tiny.onnx.load(folder / "digits.onnx", dims={"batch": 360})
        (name, shape, _), = model.inputs
        images, labels = np.load(folder / "images.npy")[:shape[0]], np.load(folder / "labels.npy")[:shape[0]]
        result = model(images.reshape(shape))
        self.assertGreater((result.numpy().argmax(-1).ravel() == labels).mean(), 0.9)
        np.testing.assert_array_equal(model(**{name: images.reshape(shape)}).numpy(), result.numpy())
        with self.assertRaisesRegex(TypeError, f"no argument is called 'other'; there are {name}"):
            model(other=1)
        with self.assertRaisesRegex(TypeError, "expects 1 arguments .*, got 2"):
            model(images, images)
        with self.assertRaisesRegex(TypeError, f"argument '{name}' is given twice"):
            model(images, **{name: images})

    def test_errors(self):
        model = tiny.parse(TEXT)
        for call, message in ((lambda: tiny.parse("func.func @main("), "text:1"), (lambda: model.run_passes("no-such-pass"), "expects a pipeline of passes, got 'no-such-pass'"),
                              (lambda: model.lowered("lower"), "expects a level or a form, got 'lower': expected tensor, lazy, kernel"),
                              (lambda: model.lowered("lazy", "toaster"), "toaster"), (lambda: model(Tensor([1.0])), "tensor<3xf32>"),
                              (lambda: model._call([]), "expects 1 arguments, got 0"),
                              (lambda: tiny.onnx.load("absent.onnx"), "absent.onnx"), (lambda: tiny.program([]), "expects a tensor")):
            with self.assertRaisesRegex(tiny.Error, message):
                call()

    def test_memory_is_said_before_a_program_runs(self):
        program = "import tiny; tiny.report_programs(); (tiny.ones(1 << 18).realize().cumsum(0) * 3).sum().item()"
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertRegex(ran.stderr, r"compiled in \d+\.\d\d s: 2 inputs, 1 results; memory \d+\.\d\d MiB at most: inputs 1\.\d\d")

    def test_ctrl_c(self):
        # Whoever runs the tests may have it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        total = tiny.zeros(1000).realize()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1000000):
                total.assign(total + 1).realize()
        self.assertEqual((Tensor([1.0]) + 1).item(), 2)


if __name__ == "__main__":
    unittest.main()
