"""Functions of tensors that others make up, against NumPy."""
import unittest

import numpy as np
import tiny
from tiny import Tensor

RANDOM = np.random.default_rng(7)


def draw(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


class FunctionsTest(unittest.TestCase):
    def same(self, tensor, expected, tolerance=1e-5):
        expected = np.asarray(expected)
        self.assertEqual(tuple(tensor.shape), expected.shape)
        np.testing.assert_allclose(tensor.numpy(), expected, rtol=tolerance, atol=tolerance)

    def test_elementwise(self):
        a = draw(3, 5)
        unit, more = np.tanh(a), 1 + np.abs(a)
        for name, array, expected in (
            ("asinh", a, np.arcsinh(a)), ("acosh", more, np.arccosh(more)), ("atanh", unit, np.arctanh(unit)), ("asin", unit, np.arcsin(unit)),
            ("acos", unit, np.arccos(unit)), ("atan", a, np.arctan(a)), ("sinh", a, np.sinh(a)), ("cosh", a, np.cosh(a)), ("log10", more, np.log10(more)),
            ("relu6", 9 * a, np.clip(9 * a, 0, 6)), ("logsigmoid", a, -np.log1p(np.exp(-a))), ("softsign", a, a / (1 + np.abs(a))),
            ("selu", a, 1.0507009873554805 * np.where(a > 0, a, 1.6732632423543772 * np.expm1(a))),
            ("mish", a, a * np.tanh(np.log1p(np.exp(a)))), ("hardswish", a, a * np.clip(a / 6 + 0.5, 0, 1)), ("hardsigmoid", a, np.clip(a / 6 + 0.5, 0, 1)),
        ):
            with self.subTest(name):
                self.same(getattr(Tensor(array), name)(), expected, 2e-5)
        special = np.array([np.inf, -np.inf, np.nan, 0], np.float32)
        self.same(Tensor(special).isfinite(), np.isfinite(special))
        b = np.array([-np.inf, -np.inf, 2, 1e4], np.float32)
        self.same(Tensor(special).logaddexp(Tensor(b)), np.logaddexp(special, b))
        self.same(Tensor(a).lerp(Tensor(unit), 0.25), a + (unit - a) * 0.25)
        self.same(Tensor(a).masked_fill(Tensor(a > 0), 2), np.where(a > 0, 2, a))

    def test_order(self):
        a = draw(4, 7)
        self.same(Tensor(a).cumsum(1), np.cumsum(a, 1))
        self.same(Tensor(a).cumsum(0), np.cumsum(a, 0))
        values, indices = Tensor(a).sort(1)
        self.same(values, np.sort(a, 1))
        self.same(indices, np.argsort(a, 1))
        self.same(Tensor(a).argsort(0, descending=True), np.argsort(-a, 0))
        self.same(Tensor(a).topk(3)[0], -np.sort(-a, 1)[:, :3])
        with self.assertRaisesRegex(tiny.Error, "cannot take 8 of 7 elements"):
            Tensor(a).topk(8)
        with self.assertRaisesRegex(tiny.Error, r"expects an axis in \[-2, 2\), got 2"):
            Tensor(a).sort(2)

    def test_places(self):
        a = draw(4, 6)
        self.same(Tensor(a).triu(1), np.triu(a, 1))
        self.same(Tensor(a).tril(-1), np.tril(a, -1))
        self.same(Tensor([2, 0]).one_hot(3), [[0, 0, 1], [1, 0, 0]])
        self.same(Tensor(a).repeat(2, 1, 3), np.tile(a, (2, 1, 3)))
        self.same(Tensor(a).roll(-2, 1), np.roll(a, -2, 1))
        self.same(Tensor(a).roll(9, 0), np.roll(a, 9, 0))
        for part, expected in zip(Tensor(a).split(4, 1), np.split(a, [4], 1)):
            self.same(part, expected)
        self.assertEqual([part.shape for part in Tensor(a).chunk(3, 0)], [(2, 6), (2, 6)])
        index = np.array([[0, 1, 2, 2, 1, 0]])
        expected, added = a.copy(), a.copy()
        np.put_along_axis(expected, index, 5, 0)
        np.add.at(added, (index[0], np.arange(6)), 5)
        self.same(Tensor(a).scatter(0, Tensor(index), tiny.full((1, 6), 5)), expected)
        self.same(Tensor(a).scatter_add(0, Tensor(index), tiny.full((1, 6), 5)), added)
        with self.assertRaisesRegex(tiny.Error, "expects a count for each of 2 axes, got 1"):
            Tensor(a).repeat(2)
        with self.assertRaisesRegex(tiny.Error, "expects parts of at least 1, got 0"):
            Tensor(a).split(0)
        with self.assertRaisesRegex(tiny.Error, "expects at least 1 part, got 0"):
            Tensor(a).chunk(0)

    def test_products(self):
        a, b = draw(2, 3, 4), draw(2, 4, 5)
        self.same(tiny.einsum("bij,bjk->bik", Tensor(a), Tensor(b)), a @ b)
        query, key, value = draw(1, 2, 5, 8), draw(1, 2, 6, 8), draw(1, 2, 6, 8)
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(8)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        self.same(tiny.scaled_dot_product_attention(Tensor(query), Tensor(key), Tensor(value)), weights @ value)
        image, weight = draw(1, 2, 3, 3), draw(2, 1, 2, 2)
        expected = np.zeros((1, 1, 6, 6), np.float32)
        for row in range(3):
            for column in range(3):
                expected[0, 0, 2 * row:2 * row + 2, 2 * column:2 * column + 2] = np.tensordot(image[0, :, row, column], weight[:, 0], 1)
        self.same(Tensor(image).conv_transpose2d(Tensor(weight), stride=2), expected)
        with self.assertRaises(tiny.Error):
            tiny.einsum("ij,jk->ik", Tensor(a), Tensor(b))

    def test_norms(self):
        a, scale, bias = draw(3, 4, 2, 2), draw(4), draw(4)
        grouped = a.reshape(3, 2, -1)
        normal = ((grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)).reshape(a.shape)
        wide = (4, 1, 1)
        self.same(Tensor(a).group_norm(2, Tensor(scale), Tensor(bias)), normal * scale.reshape(wide) + bias.reshape(wide))
        rows = a.reshape(12, 4)
        expected = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + 1e-5) * scale + bias
        self.same(Tensor(rows).layer_norm(Tensor(scale), Tensor(bias)), expected)
        self.same(Tensor(rows).rms_norm(Tensor(scale)), rows / np.sqrt((rows**2).mean(1, keepdims=True) + 2**-23) * scale)
        mean, variance = draw(4), np.abs(draw(4)) + 0.5
        expected = (a - mean.reshape(wide)) / np.sqrt(variance.reshape(wide) + 1e-5) * scale.reshape(wide) + bias.reshape(wide)
        self.same(Tensor(a).batch_norm(Tensor(mean), Tensor(variance), Tensor(scale), Tensor(bias)), expected)
        self.same(Tensor(rows).std(1), rows.std(1, ddof=1))

    def test_shapes_as_pytorch_has_them(self):
        a = draw(1, 3, 1)
        x = Tensor(a)
        self.same(x[None], a[None])
        self.same(x.expand(2, -1, -1), np.broadcast_to(a, (2, 3, 1)))
        self.same(x.expand(5, 1, -1, 4), np.broadcast_to(a, (5, 1, 3, 4)))
        self.same(x.squeeze(), a[0, :, 0])
        self.same(x.squeeze(1), a)
        self.same(x.squeeze((0, -1)), a[0, :, 0])
        self.same(Tensor(2.5).flatten(), [2.5])
        with self.assertRaisesRegex(tiny.Error, "expects an axis of a tensor of rank 3, got 3"):
            x.squeeze(3)
        changed = Tensor(a)
        changed[None] = 0
        self.same(changed, 0 * a)
        whole = np.array([[3, 1, 2], [-4, 5, -9]])
        self.same(Tensor(whole).cummin(1), np.minimum.accumulate(whole, 1))
        self.same(Tensor(whole).cummax(0), np.maximum.accumulate(whole, 0))
        self.same(tiny.nn.functional.embedding(Tensor([[1, 0]]), Tensor(whole)), whole[[[1, 0]]])

    def test_small_integers_add_up_in_more_bits(self):
        x = np.array([200, 100, 7], np.uint8)
        self.assertEqual((Tensor(x).cumsum(0).tolist(), Tensor(x).cumsum(0).dtype), ([200, 300, 307], Tensor(x).sum().dtype))
        half = Tensor(np.array([2.125], np.float32)).bfloat16()
        self.same(Tensor([1.0]).hypot(half), np.hypot([1], [2.125]))
        self.assertEqual(half.copysign(Tensor([-1.0])).dtype, tiny.float32)

    def test_few_bits_beside_more_are_computed_in_more(self):
        # 1.0078125 squared is 1.01568603515625, of which bfloat16 keeps 1.015625.
        half, one = Tensor(np.array([1.0078125], np.float32)).bfloat16(), Tensor([1.0])
        self.assertEqual(one.addcmul(half, half).item(), 1 + 1.0078125**2)
        self.assertEqual(one.addcdiv(one, half).item(), 1 + np.float32(1) / np.float32(1.0078125))
        # The exponent's gradient is 3^y log(3).
        exponent = Tensor([2.0])
        gradient, = tiny.grad(Tensor([3.0]).bfloat16().pow(exponent), [exponent])
        self.same(gradient, [9 * np.log(3)])
        # The square of 300 is no number of float16.
        self.assertEqual(Tensor(np.array([300, 400], np.float16)).norm().item(), 500)

    def test_a_mask_realises_no_state(self):
        x = Tensor([1.0, 2.0])
        y = x.clone()
        y *= 2
        loss = (y * y + x)[x > 1].sum()
        self.assertEqual(tiny.grad(loss, [x])[0].tolist(), [0, 17])

    def test_gradients_at_corners(self):
        x = Tensor([0.0])
        for function, expected in ((lambda x: x.celu(1.5), 1), (lambda x: x.prelu(Tensor([0.25])), 0.25), (lambda x: x.relu(), 0), (lambda x: x.elu(), 1)):
            self.assertEqual(tiny.grad(function(x).sum(), [x])[0].item(), expected)
        x = Tensor([-2.0, -1.0, 0.0, 1.0, np.nan])
        self.assertEqual(tiny.grad(x.hardtanh().sum(), [x])[0].tolist()[:4], [0, 0, 1, 0])
        self.assertTrue(np.isnan(x.hardtanh().numpy()[4]))

    def test_values_that_are_printed_lose_no_gradient(self):
        x = Tensor([1.0, 2.0])
        hidden = x * x
        repr(hidden)
        with self.assertRaisesRegex(tiny.Error, r"target 0 through a value that was realised, by a print.*detach\(\)"):
            tiny.grad((hidden + x).sum(), [x])
        self.assertEqual(tiny.grad((hidden.detach() + x).sum(), [x])[0].tolist(), [1, 1])

    def test_gradients_at_corners(self):
        x = tiny.ones(2, 4).realize()
        self.same(tiny.grad(x.std(1).sum(), [x])[0], np.zeros((2, 4)))
        x = Tensor(np.array([0, -0.0, 1], np.float32)).realize()
        self.same(tiny.grad(x.asinh().sum(), [x])[0], np.array([1, 1, 0.5**0.5]))
        x = Tensor(np.array([-3, 3, 0], np.float32)).realize()
        self.same(tiny.grad(x.hardswish().sum(), [x])[0], np.array([0, 1, 0.5]))

    def test_checkpoints(self):
        tiny.manual_seed(3)
        weight, x = (tiny.randn(16, 16) * 0.3).realize(), tiny.ones(4, 16)
        plain = (((x @ weight).tanh() @ weight).tanh() ** 2).sum()

        def block(x, scale):
            return {"y": (x @ weight).tanh() * scale["by"]}

        y = tiny.checkpoint(block, tiny.checkpoint(block, x, {"by": 1.0})["y"], {"by": Tensor(1.0)})["y"]
        loss = (y**2).sum()
        self.assertIn("tiny.checkpoint", loss.graph())
        # What is read is a constant.
        again, kept = tiny.grad(loss, [weight])[0], tiny.grad(plain, [weight])[0]
        self.same(loss, plain.numpy())
        self.same(again, kept.numpy(), 1e-4)
        with self.assertRaisesRegex(TypeError, "expects tensors among the arguments"):
            tiny.checkpoint(block, 1, 2)

    def test_losses(self):
        scores, target = draw(5, 3), np.array([0, 2, 1, 1, 0])
        logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        expected = -logs[np.arange(5), target].mean()
        self.same(tiny.cross_entropy(Tensor(scores), Tensor(target)), expected)
        self.same(tiny.nll_loss(Tensor(logs), Tensor(target)), expected)
        x = Tensor(scores)
        (gradient,) = tiny.grad(x.cross_entropy(Tensor(target)), [x])
        self.same(gradient, (np.exp(logs) - np.eye(3)[target]) / 5)
        wanted, chance = np.eye(3, dtype=np.float32)[target], 1 / (1 + np.exp(-scores))
        binary = -(wanted * np.log(chance) + (1 - wanted) * np.log1p(-chance)).mean()
        self.same(tiny.binary_cross_entropy(Tensor(chance), Tensor(wanted)), binary)
        self.same(tiny.binary_cross_entropy_with_logits(x, Tensor(wanted)), binary)
        self.same(tiny.mse_loss(x, Tensor(wanted)), ((scores - wanted) ** 2).mean())

    def test_sums_along_two_axes_at_once(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        x = Tensor(array)
        rows, columns = x.cumsum(0), x.cumsum(1)
        tiny.realize([rows, columns])
        self.same(rows, array.cumsum(0))
        self.same(columns, array.cumsum(1))


if __name__ == "__main__":
    unittest.main()
