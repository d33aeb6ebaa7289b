"""Functions over sizes: one program for all of them, state in place, what is refused."""
import unittest

import numpy as np
import tiny
from tiny import Tensor


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


class SizesTest(unittest.TestCase):
    def test_all_sizes_of_one_function(self):
        traces = []

        @tiny.jit(sizes={"n": (1, 64)}, shapes={"x": ("n", None)})
        def function(x, scale=2.0):
            n = x.shape[0]
            traces.append(n)
            place = tiny.arange(n).unsqueeze(1)
            return {"mean": x.mean(0), "soft": x.softmax(0) * scale, "place": x + place * n, "product": x @ x.transpose(0, 1)}

        counts = []
        for n in (64, 1, 2, 3, 17, 48, 63):
            x = rows(n, 3, seed=n)
            result = function(Tensor(x))
            counts.append(len(traces))
            e = np.exp(x - x.max(0))
            place = np.arange(n, dtype=np.float32)[:, None]
            for name, expected in {"mean": x.mean(0), "soft": 2 * e / e.sum(0), "place": x + place * n, "product": x @ x.T}.items():
                self.assertEqual(result[name].shape, expected.shape)
                np.testing.assert_allclose(result[name].numpy(), expected, rtol=2e-5, atol=2e-5)
        self.assertEqual(counts, counts[:1] * 7)
        self.assertGreaterEqual(min(traces), 1)
        self.assertLessEqual(max(traces), 64)
        # What is no size is part of the program.
        np.testing.assert_allclose(function(Tensor(x), scale=4.0)["soft"].numpy(), 2 * result["soft"].numpy(), rtol=1e-5)
        self.assertGreater(len(traces), counts[0])

    def test_a_cache_is_updated_in_place(self):
        heads, bound, size = 2, 40, 8
        weights = [Tensor(rows(16, 16, seed=k) / 4) for k in range(4)]

        def attend(x, keys, values, mask):
            y = tiny.scaled_dot_product_attention(x.unsqueeze(0), keys.unsqueeze(0), values.unsqueeze(0), attn_mask=mask)
            return y[0].transpose(0, 1).flatten(1) @ weights[3]

        def project(x):
            return [(x @ weight).reshape(x.shape[0], heads, size).transpose(0, 1) for weight in weights[:3]]

        @tiny.jit(sizes={"position": (0, bound - 8), "n": (1, 8)}, shapes={"x": ("n", None)}, donate="caches")
        def step(x, caches, position):
            query, key, value = project(x)
            n = x.shape[0]
            for cache, part in zip(caches, (key, value)):
                cache[:, position:position + n] = part
            seen = tiny.arange(position + n).unsqueeze(0) <= tiny.arange(n).unsqueeze(1) + position
            return attend(query, *[cache[:, :position + n] for cache in caches], seen), caches

        x = rows(bound, 16, seed=9)
        query, key, value = project(Tensor(x))
        whole = attend(query, key, value, tiny.arange(bound).unsqueeze(0) <= tiny.arange(bound).unsqueeze(1)).numpy()
        for parts in ([1] * bound, [8, 8, 8, 8, 8], [5, 1, 1, 7, 3, 8, 2, 8, 5]):
            caches, position = [tiny.zeros(heads, bound, size).realize() for _ in range(2)], 0
            for n in parts:
                if position > bound - 8:
                    break
                given = caches
                result, caches = step(Tensor(x[position:position + n]), caches, position)
                np.testing.assert_allclose(result.numpy(), whole[position:position + n], rtol=1e-4, atol=1e-5)
                position += n
            np.testing.assert_allclose(caches[0].numpy()[:, :position], key.numpy()[:, :position], rtol=1e-4, atol=1e-5)
            self.assertFalse(caches[0].numpy()[:, position:].any())
        with self.assertRaisesRegex(tiny.Error, "donated to a function, as its argument 'caches.0.'"):
            given[0].numpy()

    def test_what_is_given_is_put_in_its_place(self):
        @tiny.jit(sizes={"position": (0, 120), "n": (1, 8)}, shapes={"x": ("n", None)}, donate="cache")
        def append(x, cache, position):
            end = position + x.shape[0]
            cache[position:end] = x
            return cache[:end].mean(0), cache

        expected, position = rows(128, 4, seed=3), 0
        cache = Tensor(expected.copy())
        for n in (5, 1, 2, 8):
            x = rows(n, 4, seed=n)
            mean, cache = append(Tensor(x), cache, position)
            expected[position:position + n] = x
            position += n
            np.testing.assert_allclose(mean.numpy(), expected[:position].mean(0), rtol=1e-4, atol=1e-6)
            same = cache.numpy().copy()
            np.testing.assert_array_equal(same, expected)

    def test_state_that_someone_sees_is_copied(self):
        @tiny.jit(sizes={"k": (0, 30)}, donate="state")
        def put(state, x, k):
            state[k:k + 1] = x
            return state

        state = tiny.zeros(32).realize()
        seen = state.numpy()
        for k in range(4):
            state = put(state, Tensor([1.0 + k]), k)
        self.assertEqual(state.numpy()[:6].tolist(), [1, 2, 3, 4, 0, 0])
        self.assertFalse(seen.any())

    def test_another_handle_keeps_its_value(self):
        put = tiny.jit(lambda state, k: state + k, sizes={"k": (0, 30)}, donate="state")
        state, other = tiny.ones(4).realize(), tiny.zeros(4).realize()
        other.assign(state)
        later = other * 3
        self.assertEqual(put(state, 2).numpy().tolist(), [3] * 4)
        self.assertEqual(other.numpy().tolist(), [1] * 4)
        self.assertEqual(later.numpy().tolist(), [3] * 4)

    def test_weights_may_be_replaced(self):
        box = [tiny.ones(3).realize()]
        function = tiny.jit(lambda x: x + box[0] * 2, sizes={"n": (1, 32)}, shapes={"x": ("n", None)})
        self.assertEqual(function(tiny.zeros(5, 3)).numpy().tolist(), [[2] * 3] * 5)
        box[0] = tiny.full((3,), 4.0)
        self.assertEqual(function(tiny.zeros(2, 3)).numpy().tolist(), [[8] * 3] * 2)

    def test_inside_of_other_functions(self):
        inner = tiny.jit(lambda x, k: x * k, sizes={"k": (1, 50)})
        outer = tiny.jit(lambda x: inner(x, 3) + 1)
        sized = tiny.jit(lambda x, j: inner(x, j) + 1, sizes={"j": (1, 40)})
        for number in range(4):
            self.assertEqual(outer(Tensor([float(number)])).item(), 3 * number + 1)
            self.assertEqual(sized(Tensor([2.0]), number + 1).item(), 2 * number + 3)

    def test_a_fixed_size(self):
        function = tiny.jit(lambda x, k: x * k, sizes={"k": 3})
        self.assertEqual(function(Tensor([2.0]), 3).item(), 6)
        with self.assertRaisesRegex(tiny.Error, "the size 'k' is 4, expected 3 to 3"):
            function(Tensor([2.0]), 4)


class RefusalTest(unittest.TestCase):
    def refuse(self, why, function, *arguments, kind=tiny.Error):
        with self.assertRaisesRegex(kind, why):
            function(*arguments)

    def test_sizes_out_of_bounds(self):
        function = tiny.jit(lambda x, k: x * k, sizes={"n": (2, 20), "k": (0, 30)}, shapes={"x": "n"})
        self.refuse("the size 'k' is 31, expected 0 to 30", function, tiny.ones(4), 31)
        self.refuse("the size 'n' is 21, expected 2 to 20", function, tiny.ones(21), 3)
        self.refuse("the size 'n' is 1, expected 2 to 20", function, tiny.ones(1), 3)
        self.refuse("expects a whole number for the size 'k'", function, tiny.ones(4), 2.5, kind=TypeError)
        self.refuse("gives 'x' 1 axes", function, tiny.ones(4, 4), 2, kind=TypeError)
        twice = tiny.jit(lambda x, y: x + y, sizes={"n": (2, 20)}, shapes={"x": "n", "y": "n"})
        self.refuse("argument 'y': axis 0 has the size 'n', which is 4 elsewhere, and 5 here", twice, tiny.ones(4), tiny.ones(5))

    def test_other_programs_at_other_sizes(self):
        def branch(x, k):
            return x.sin() if k > 4 else x.cos()

        self.refuse("computes 'tiny.* where it computes 'tiny.sin' at the greatest sizes", tiny.jit(branch, sizes={"k": (0, 60)}), tiny.ones(3), 9)
        steps = tiny.jit(lambda x: x[::3].exp(), sizes={"n": (1, 60)}, shapes={"x": "n"})
        self.refuse("is no polynomial of the sizes", steps, tiny.ones(9))
        loop = tiny.jit(lambda x, k: sum((x + j for j in range(k)), x), sizes={"k": (1, 40)})
        self.refuse("operations, and [0-9]+ at the greatest sizes", loop, tiny.ones(3), 9)
        weights = [tiny.ones(3).realize(), tiny.zeros(3).realize()]
        other = tiny.jit(lambda x, k: x * k + weights[k > 20], sizes={"k": (0, 60)})
        self.refuse("reads or updates other tensors than at the greatest sizes", other, tiny.ones(3), 9)
        self.refuse("bounds that are too narrow", tiny.jit(lambda x, k: x * k, sizes={"k": (1, 3)}), tiny.ones(3), 2)

    def test_what_has_no_value(self):
        kept = []
        leak = tiny.jit(lambda x, k: kept.append(x * 2) or x + k, sizes={"k": (1, 30)})
        leak(tiny.ones(2), 3)
        self.refuse("only its results have values", kept[0].numpy)
        self.refuse("a value cannot be read in a function over sizes", tiny.jit(lambda x, k: x * x.sum().item(), sizes={"k": (1, 30)}), tiny.ones(2), 3)
        self.refuse("random numbers, running statistics", tiny.jit(lambda x, k: x + tiny.rand(2), sizes={"k": (1, 30)}), tiny.ones(2), 3)
        outside = tiny.ones(2).realize()
        self.refuse("no value that it computes", tiny.jit(lambda x, k: outside, sizes={"k": (1, 30)}), tiny.ones(2), 3)
        self.refuse("by zero", tiny.jit(lambda x, k: x / (1 // 0), sizes={"k": (1, 30)}), tiny.ones(2), 3, kind=ZeroDivisionError)
        both = tiny.jit(lambda x, y, k: x + y * k, sizes={"k": (1, 30)}, donate=("x", "y"))
        x = tiny.ones(2).realize()
        self.refuse("argument 'x' is donated and given twice", both, x, x, 3)

    def test_signatures(self):
        def function(x, k):
            return x

        make = lambda **options: tiny.jit(function, **options)
        for why, options in {
            "has no parameter 'z'; it has x, k": {"sizes": {"k": (1, 9)}, "donate": "z"},
            "expects 'm' to be a parameter, or in `shapes`": {"sizes": {"m": (1, 9)}},
            "expects 'k' to be a parameter or in `shapes`, not both": {"sizes": {"k": (1, 9)}, "shapes": {"x": "k"}},
            "has the size 'n', which `sizes` has no bounds for": {"sizes": {"k": (1, 9)}, "shapes": {"x": "n"}},
            "belong to functions over `sizes`": {"donate": "x"},
        }.items():
            with self.assertRaisesRegex(TypeError, why):
                make(**options)
        with self.assertRaisesRegex(ValueError, "expects the bounds of 'k' as .least, most., got .9, 1."):
            make(sizes={"k": (9, 1)})


if __name__ == "__main__":
    unittest.main()
