"""Tensors of the Python package against NumPy."""
import copy
import pickle
import threading
import unittest

import numpy as np
import tiny
from tiny import Tensor


class TensorTest(unittest.TestCase):
    def same(self, tensor, expected, tolerance=0):
        expected = np.asarray(expected)
        self.assertEqual(tuple(tensor.shape), expected.shape)
        np.testing.assert_allclose(tensor.numpy(), expected, rtol=tolerance, atol=tolerance)

    def test_nothing_is_computed_before_it_is_asked_for(self):
        y = (Tensor([1.0, 2, 3]) + 2).sum()
        self.assertFalse(y.is_realized)
        self.assertEqual(y.item(), 12)
        self.assertTrue(y.is_realized)

    def test_arrays_in_and_out(self):
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        shared, copied = tiny.from_numpy(array), Tensor(array)
        self.assertTrue(np.shares_memory(shared.numpy(), array))
        self.assertFalse(np.shares_memory(copied.numpy(), array))
        self.assertFalse(shared.numpy().flags.writeable)
        view = np.from_dlpack(copied)
        self.assertTrue(np.shares_memory(view, copied.numpy()))
        del copied
        np.testing.assert_array_equal(view, array)
        self.same(Tensor(array[:, ::2]), array[:, ::2])
        with self.assertRaisesRegex(ValueError, "row-major"):
            tiny.from_numpy(array[:, ::2])
        self.assertEqual(np.asarray(shared, dtype=np.float64).dtype, np.float64)

    def test_every_element_type(self):
        for name in ("float64 float32 float16 int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool").split():
            array = np.array([[0, 1, 1], [1, 0, 1]]).astype(name)
            tensor = Tensor(array)
            self.assertEqual(tensor.dtype, getattr(tiny, "bool_" if name == "bool" else name))
            self.assertEqual(tensor.numpy().dtype, array.dtype)
            self.same(tensor[1], array[1])
        self.same(Tensor([1.5, 2]).to("bfloat16").float(), [1.5, 2])
        with self.assertRaisesRegex(TypeError, "expects an element type such as tiny.float32, got 'float31'"):
            tiny.zeros(2, dtype="float31")
        with self.assertRaisesRegex(TypeError, r"convert with .to\('float32'\)"):
            Tensor([1.0]).to("float8_e5m2").numpy()

    def test_what_lists_become(self):
        self.assertEqual(Tensor([1.0]).dtype, tiny.float32)
        self.assertEqual(Tensor([1]).dtype, tiny.int64)
        self.assertEqual(Tensor([True]).dtype, tiny.bool_)
        self.assertEqual((Tensor([1]) * 0.5).dtype, tiny.float32)
        with self.assertRaises((TypeError, ValueError)):
            Tensor("text")

    def test_operators(self):
        a, b = np.array([[1.5, -2, 3]], np.float32), np.array([[2.0], [-1]], np.float32)
        x, y = Tensor(a), Tensor(b)
        self.same(x + y, a + b)
        self.same(2 - x, 2 - a)
        self.same(x - b, a - b)
        self.same(a * y, a * b)
        self.same(1 / x, 1 / a, 1e-6)
        self.same(x // y, a // b)
        self.same(x % y, a % b)
        self.same(2**x, 2**a, 1e-6)
        self.same(x**2, a**2)
        self.same(x > y, a > b)
        self.same((x == 3) | ~(y < 0), (a == 3) | ~(b < 0))
        whole = np.array([7, -7, 5])
        self.same(Tensor(whole) // 2, whole // 2)
        self.same(Tensor(whole) << 2, whole << 2)
        with self.assertRaises(TypeError):
            x + "text"

    def test_indices(self):
        array = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
        tensor = Tensor(array)
        rows, columns = np.array([2, 0, -1]), np.array([[1], [3]])
        for index in (1, -1, slice(1, None), slice(None, None, -2), (slice(None), 2), (..., 0), (None, 1, ..., None),
                      (slice(3, 0, -1), slice(-3, -1)), rows, (rows, rows), (slice(None), rows), (slice(None), rows, columns),
                      (rows, slice(None), columns), (1, rows), slice(5, 1), array > 30, array[:, :, 0] % 2 == 0):
            expected = array[index]
            wrapped = tuple(Tensor(part) if isinstance(part, np.ndarray) else part for part in index) if isinstance(index, tuple) else index
            with self.subTest(index=str(index)):
                self.same(tensor[wrapped], expected)
                changed, other = Tensor(array), array.copy()
                changed[wrapped] = 7
                other[index] = 7
                self.same(changed, other)
        self.same(tensor, array)
        with self.assertRaisesRegex(tiny.Error, "index 3 is out of range for axis 0 of size 3"):
            tensor[3]
        with self.assertRaisesRegex(tiny.Error, "indices for 4 axes of a tensor of rank 3"):
            tensor[0, 0, 0, 0]
        with self.assertRaisesRegex(tiny.Error, "at most one"):
            tensor[..., ...]
        with self.assertRaisesRegex(tiny.Error, "a step that is not 0"):
            tensor[::0]
        with self.assertRaisesRegex(tiny.Error, "integers or truth values, got f32"):
            tensor[Tensor([1.0])]
        with self.assertRaisesRegex(tiny.Error, "a mask of the shape"):
            tensor[Tensor([True, False])]
        with self.assertRaisesRegex(tiny.Error, "indices that broadcast, got 3 and 2"):
            tensor[Tensor([0, 1, 2]), Tensor([0, 1])]

    def test_errors_name_the_user_s_line(self):
        with self.assertRaisesRegex(tiny.Error, r"tensor_test.py:\d+: 'tiny.add' op expects operands that broadcast"):
            Tensor([1.0, 2]) + Tensor([1.0, 2, 3])
        with self.assertRaisesRegex(tiny.Error, r"expects a value of tensor<2xf32>, got tensor<3xf32>"):
            Tensor([1.0, 2]).assign(Tensor([1.0, 2, 3]))

    def test_gradients(self):
        x = Tensor([1.0, 2, 3])
        (first,) = tiny.grad((x**3).sum(), [x])
        (second,) = first.gradient(x)
        self.same(first, [3, 12, 27], 1e-6)
        self.same(second, [6, 12, 18], 1e-6)

    def test_state_is_updated_where_it_lies(self):
        state = tiny.zeros(100).realize()
        place = state.numpy().ctypes.data
        for _ in range(3):
            state.assign(state + 1).realize()
        self.assertEqual(state.numpy().ctypes.data, place)
        kept = state.numpy()
        state.assign(state + 1).realize()
        self.assertEqual((kept[0], state.numpy()[0]), (3, 4))

    def test_numbers_compile_nothing(self):
        x = Tensor([1.0, 2]).realize()
        (x * 0.5).realize()
        count = tiny.count_compiled()
        self.same(x * 0.25, [0.25, 0.5])
        self.assertEqual(tiny.count_compiled(), count)

    def test_every_level_can_be_read(self):
        y = (Tensor([1.0, 2, 3]) + 2).sum()
        self.assertIn("tiny.add", y.graph())
        self.assertIn("lazy.reduce", y.lowered("lazy"))
        self.assertIn("kernel.func", y.schedule())
        self.assertIn("uop.func", y.lowered("uop"))
        self.assertIn("12.", repr(y))

    def test_copies_are_data(self):
        x = Tensor([[1.0, 2], [3, 4]])
        self.same(pickle.loads(pickle.dumps(x)), x.numpy())
        self.same(copy.deepcopy(x), x.numpy())

    def test_threads(self):
        shared = tiny.from_numpy(np.arange(1000, dtype=np.float32))
        results = {}

        def work(factor):
            total = tiny.zeros(1000).realize()
            for _ in range(20):
                # Dropped where other threads run: its array is let go later.
                total.assign(total + tiny.from_numpy(np.full(1000, factor, np.float32)) * shared).realize()
            results[factor] = total.numpy()[999]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {k: 999 * 20 * k for k in range(1, 5)})


if __name__ == "__main__":
    unittest.main()
