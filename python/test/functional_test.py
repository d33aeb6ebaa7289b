"""Functions that the methods of Tensor make up, against NumPy, and against PyTorch where it is installed."""
import itertools
import math
import unittest

import numpy as np
import tiny
from tiny import Tensor

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    torch = F = None

RANDOM = np.random.default_rng(1)


def draw(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def same(tensor, expected, tolerance=2e-5):
    expected = np.asarray(expected)
    assert tuple(tensor.shape) == expected.shape, (tensor.shape, expected.shape)
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=tolerance, atol=tolerance)


class NumpyTest(unittest.TestCase):
    def test_creation(self):
        same(tiny.linspace(-1, 2.5, 13), np.linspace(-1, 2.5, 13))
        same(tiny.linspace(3, 4, 1), [3])
        for indexing in ("ij", "xy"):
            rows, columns = draw(3), draw(4)
            for ours, expected in zip(tiny.meshgrid(Tensor(rows), Tensor(columns), indexing=indexing), np.meshgrid(rows, columns, indexing=indexing)):
                same(ours, expected)
        tiny.manual_seed(4)
        self.assertEqual(sorted(tiny.randperm(20).tolist()), list(range(20)))
        counts = np.bincount(tiny.multinomial(Tensor([0.1, 0.6, 0.0, 0.3]), 10000, True).numpy(), minlength=4)
        np.testing.assert_allclose(counts / 10000, [0.1, 0.6, 0, 0.3], atol=0.03)
        self.assertEqual(sorted(tiny.multinomial(Tensor([0.0, 0.5, 0.5, 0]), 2).tolist()), [1, 2])
        self.assertEqual(tiny.ones_like(Tensor([1, 2])).tolist(), [1, 1])
        self.assertLess(abs(tiny.glorot_uniform((30, 20)).numpy()).max(), math.sqrt(6 / 50))
        self.assertAlmostEqual(tiny.kaiming_normal((300, 200)).numpy().std(), math.sqrt(2 / 200), delta=0.005)
        with self.assertRaisesRegex(tiny.Error, "expects at least 0 steps, got -1"):
            tiny.linspace(0, 1, -1)
        with self.assertRaisesRegex(tiny.Error, "expects a count from 1 to the number of places, got 5"):
            tiny.multinomial(tiny.ones(4), 5)
        with self.assertRaisesRegex(ValueError, "expects the indexing ij or xy, got 'ji'"):
            tiny.meshgrid(tiny.ones(2), indexing="ji")

    def test_padding(self):
        array = draw(2, 3, 6, 7)
        for mode, name in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap"), ("constant", "constant")):
            same(tiny.pad(Tensor(array), (2, 3, 1, 2), mode), np.pad(array, ((0, 0), (0, 0), (1, 2), (2, 3)), name))
        expected = np.pad(array[:, :, :4, 2:], ((0, 0), (0, 0), (1, 0), (0, 3)), constant_values=5)
        same(tiny.pad(Tensor(array), (-2, 3, 1, -2), value=5), expected)
        with self.assertRaisesRegex(tiny.Error, "expects paddings of at most 6 along axis 3 for mode 'reflect', got 7"):
            tiny.pad(Tensor(array), (7, 0), "reflect")
        with self.assertRaisesRegex(tiny.Error, "expects the mode constant, reflect, replicate or circular, got 'other'"):
            tiny.pad(Tensor(array), (1, 0), "other")
        with self.assertRaisesRegex(ValueError, "expects two paddings for each axis, the last one first"):
            tiny.pad(Tensor(array), (1, 0, 1))

    def test_diagonals(self):
        cube, matrix, row = draw(4, 3, 5), draw(4, 5), draw(4)
        for offset in (-4, -2, 0, 1, 9):
            same(Tensor(cube).diagonal(offset, 0, 2), np.diagonal(cube, offset, 0, 2))
            same(Tensor(matrix).diag(offset), np.diag(matrix, offset))
            same(Tensor(row).diag(offset), np.diag(row, offset))
        same(Tensor(matrix).trace(), np.trace(matrix))
        with self.assertRaisesRegex(tiny.Error, "expects a row or a matrix, got tensor<4x3x5xf32>"):
            Tensor(cube).diag()
        with self.assertRaisesRegex(tiny.Error, "expects two axes, got 1 twice"):
            Tensor(cube).diagonal(0, 1, 1)

    def test_movement(self):
        array = draw(2, 12, 3)
        windows = np.lib.stride_tricks.sliding_window_view(array, 3, 1)[:, ::2]
        same(Tensor(array).unfold(1, 3, 2), windows)
        same(Tensor(array).repeat_interleave(3, 1), np.repeat(array, 3, 1))
        same(Tensor(array).movedim(0, 2), np.moveaxis(array, 0, 2))
        same(Tensor(array).unflatten(1, (4, -1)), array.reshape(2, 4, 3, 3))
        same(Tensor(array).narrow(1, -2, 2), array[:, -2:])
        same(Tensor(array).unbind(2)[1], array[:, :, 1])
        same(Tensor(array).rearrange("b (h w) c -> b c h w", h=3), array.reshape(2, 3, 4, 3).transpose(0, 3, 1, 2))
        same(Tensor(array).rearrange("... c -> c ..."), array.transpose(2, 0, 1))
        with self.assertRaisesRegex(ValueError, "expects 3 axes in 'a b', got 2"):
            Tensor(array).rearrange("a b -> b a")
        with self.assertRaisesRegex(tiny.Error, "expects a window of 1 to 3 elements and a step of at least 1, got 4 and 1"):
            Tensor(array).unfold(2, 4, 1)
        with self.assertRaisesRegex(tiny.Error, "expects a count of at least 0, got -1"):
            Tensor(array).repeat_interleave(-1, 0)
        flat = np.array([[0, 3, 0], [4, 0, 5]])
        same(Tensor(flat).nonzero(), np.argwhere(flat))
        same(Tensor(flat).masked_select(Tensor(flat > 3)), flat[flat > 3])

    def test_elementwise(self):
        a, b = draw(3, 4), draw(3, 4)
        same(Tensor(a).celu(1.5), np.maximum(a, 0) + np.minimum(1.5 * np.expm1(a / 1.5), 0))
        same(Tensor(a).prelu(Tensor([0.1, 0.2, 0.3, 0.4])), np.where(a < 0, a * [0.1, 0.2, 0.3, 0.4], a))
        same(Tensor(a).hardtanh(-0.5, 0.3), a.clip(-0.5, 0.3))
        same(Tensor(a).threshold(0.1, 20), np.where(a > 0.1, a, 20))
        same(Tensor(a).glu(), a[:, :2] / (1 + np.exp(-a[:, 2:])))
        same(Tensor(a).atan2(Tensor(b)), np.arctan2(a, b))
        ends = np.array([0, -0.0, 1, -1, 2, -3], np.float32)
        signs = np.array([-1, 1, -0.0, 0, -2, 2], np.float32)
        with np.errstate(divide="ignore"):
            same(1 / Tensor(ends).copysign(Tensor(signs)), 1 / np.copysign(ends, signs))
        odd = np.array([np.nan, np.inf, -np.inf, 4], np.float32)
        same(Tensor(odd).nan_to_num(1, 2, 3), [1, 2, 3, 4])
        same(Tensor(odd).nan_to_num(), np.nan_to_num(odd))
        self.assertEqual(Tensor(odd).isclose(Tensor(odd)).tolist(), [False, True, True, True])
        self.assertTrue(Tensor(a).allclose(Tensor(a + 1e-9)))
        for call, message in ((lambda x: x.celu(0), "expects an alpha above 0, got 0"), (lambda x: x[:, :3].glu(), "expects an even size along the axis, got 3"),
                              (lambda x: x.prelu(tiny.ones(3)), "expects one weight or one for each channel, got 3"),
                              (lambda x: x.norm(-1), "expects a power above 0, got -1")):
            with self.assertRaisesRegex(tiny.Error, message):
                call(Tensor(a))

    def test_reductions(self):
        a = draw(3, 4)
        same(Tensor(a).norm(3, 0), (np.abs(a) ** 3).sum(0) ** (1 / 3))
        same(Tensor(a).norm(math.inf), np.abs(a).max())
        same(Tensor(a).normalize(), a / np.linalg.norm(a, axis=1, keepdims=True))
        same(Tensor(a).cumprod(1), np.cumprod(a, 1))
        same(Tensor(a).cummax(0), np.maximum.accumulate(a, 0))
        same(Tensor(a).cummin(1), np.minimum.accumulate(a, 1))
        same(Tensor(a).logcumsumexp(1), np.log(np.cumsum(np.exp(a), 1)))
        whole = np.array([3, -5, 4, 9], np.int32)
        same(Tensor(whole).cummax(0), np.maximum.accumulate(whole))
        same(Tensor(whole).cummin(0), np.minimum.accumulate(whole))
        matrix = Tensor(draw(4, 4)).newton_schulz(25, [1.5, -0.5])
        same(matrix @ matrix.t(), np.eye(4), 1e-4)
        with self.assertRaisesRegex(tiny.Error, "expects matrices and at least one coefficient"):
            Tensor([1.0]).newton_schulz(1, [1.5])

    def test_windows(self):
        image = draw(1, 2, 4, 6)
        same(tiny.interpolate(Tensor(image), scale_factor=2), image.repeat(2, 2).repeat(2, 3))
        same(tiny.interpolate(Tensor(image), (2, 3), mode="area"), image.reshape(1, 2, 2, 2, 3, 2).mean((3, 5)))
        same(tiny.interpolate(Tensor([[[1.0, 3]]]), 3, mode="linear", align_corners=True), [[[1, 2, 3]]])
        best, place = Tensor(image).max_pool2d_with_indices(2)
        same(best.max_unpool2d(place, (4, 6)).sum(), image.reshape(1, 2, 2, 2, 3, 2).max((3, 5)).sum())
        for call, message in ((lambda x: tiny.interpolate(x, (2, 3, 4)), "expects a size for each axis behind batch and channels of tensor<1x2x4x6xf32>, got 3"),
                              (lambda x: tiny.interpolate(x, 3, mode="cubist"), "expects nearest, nearest-exact, linear, .*, got 'cubist'"),
                              (lambda x: tiny.interpolate(x, 3, align_corners=True), "expects a linear or cubic mode to align corners, got 'nearest'"),
                              (lambda x: x.adaptive_avg_pool2d(0), "expects sizes of at least 1, got 0")):
            with self.assertRaisesRegex(tiny.Error, message):
                call(Tensor(image))
        with self.assertRaisesRegex(ValueError, "expects a size or a scale_factor"):
            tiny.interpolate(Tensor(image))

    def test_losses(self):
        scores, target = draw(5, 3), np.array([0, 2, 1, -100, 0])
        logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        counts = target >= 0
        each = np.where(counts, -logs[np.arange(5), target.clip(0)], 0)
        same(Tensor(scores).cross_entropy(Tensor(target), reduction="none"), each)
        same(Tensor(scores).cross_entropy(Tensor(target)), each.sum() / 4)
        weight = np.array([0.5, 2, 1], np.float32)
        heavy = np.where(counts, weight[target.clip(0)], 0)
        same(Tensor(scores).cross_entropy(Tensor(target), Tensor(weight)), (each * heavy).sum() / heavy.sum())
        smooth = np.where(counts, 0.8 * each + 0.2 * -logs.mean(1), 0)
        same(Tensor(scores).cross_entropy(Tensor(target), label_smoothing=0.2), smooth.sum() / 4)
        chances = np.exp(draw(5, 3))
        chances /= chances.sum(1, keepdims=True)
        same(Tensor(scores).cross_entropy(Tensor(chances)), -(chances * logs).sum(1).mean())
        other = draw(5, 3)
        apart = np.abs(scores - other)
        same(Tensor(scores).l1_loss(Tensor(other), "sum"), apart.sum(), 1e-4)
        same(Tensor(scores).huber_loss(Tensor(other), "none", 0.5), np.where(apart < 0.5, apart**2 / 2, 0.5 * (apart - 0.25)))
        same(Tensor(scores).smooth_l1_loss(Tensor(other), "none", 0.5), np.where(apart < 0.5, apart**2, apart - 0.25))
        same(Tensor(logs).kl_div(Tensor(chances), "sum"), (chances * (np.log(chances) - logs)).sum(), 1e-4)
        with self.assertRaisesRegex(tiny.Error, "expects label smoothing from 0 to 1, got 2"):
            Tensor(scores).cross_entropy(Tensor(target), label_smoothing=2)
        with self.assertRaisesRegex(tiny.Error, r"expects scores \[batch, classes, ...\], got tensor<3xf32>"):
            Tensor(scores)[0].cross_entropy(Tensor(target))
        with self.assertRaisesRegex(tiny.Error, "or chances of the shape of the scores, got tensor<5xf32>"):
            Tensor(scores).cross_entropy(tiny.ones(5))
        with self.assertRaisesRegex(tiny.Error, "expects a distance above 0 where squares become lines, got 0"):
            Tensor(scores).huber_loss(Tensor(other), delta=0)
        with self.assertRaisesRegex(ValueError, "expects a reduction, none, sum or mean, got 'most'"):
            Tensor(scores).l1_loss(Tensor(other), "most")
        with self.assertRaisesRegex(tiny.Error, "expects sum, prod, mean, amax or amin, got 'most'"):
            Tensor(scores).scatter_reduce(0, Tensor([[0]]), tiny.ones(1, 1), "most")


@unittest.skipUnless(torch, "PyTorch is not installed")
class TorchTest(unittest.TestCase):
    def compare(self, name, ours, theirs, *arrays, tolerance=2e-5):
        with self.subTest(name):
            tensors, others = [Tensor(array) for array in arrays], [torch.from_numpy(array.copy()) for array in arrays]
            for other in others:
                other.requires_grad_(other.is_floating_point())
            got, expected = ours(*tensors), theirs(*others)
            same(got, expected.detach().numpy(), tolerance)
            if not expected.requires_grad:
                return
            weights = draw(*expected.shape)
            (expected * torch.from_numpy(weights)).sum().backward()
            wanted = [(tensor, other.grad) for tensor, other in zip(tensors, others) if other.grad is not None]
            got = ours(*tensors)
            for gradient, (_, other) in zip(tiny.grad((got * Tensor(weights)).sum(), [tensor for tensor, _ in wanted]), wanted):
                same(gradient, other.numpy(), 1e-4)

    def test_movement(self):
        image = draw(2, 3, 6, 7)
        for mode in ("reflect", "replicate", "circular", "constant"):
            self.compare(mode, lambda x: tiny.pad(x, (2, 3, 1, 2), mode), lambda x: F.pad(x, (2, 3, 1, 2), mode), image)
        for size, mode in itertools.product(((3, 5), (12, 14), (1, 1)), ("nearest", "nearest-exact", "bilinear", "bicubic", "area")):
            self.compare(f"{mode} {size}", lambda x: tiny.interpolate(x, size, mode=mode), lambda x: F.interpolate(x, size, mode=mode), image, tolerance=1e-4)
        for mode in ("bilinear", "bicubic"):
            self.compare(f"{mode} corners", lambda x: tiny.interpolate(x, (9, 4), mode=mode, align_corners=True),
                         lambda x: F.interpolate(x, (9, 4), mode=mode, align_corners=True), image, tolerance=1e-4)
        for name, args in (("diagonal", (1, 2, 3)), ("unfold", (2, 3, 2)), ("repeat_interleave", (2, 1)), ("unflatten", (2, (2, 3))), ("narrow", (3, 1, 4))):
            self.compare(name, lambda x: getattr(x, name)(*args), lambda x: getattr(x, name)(*args), image)

    def test_functions(self):
        a, image = draw(3, 4), draw(2, 3, 6, 7)
        for name, args in (("celu", (1.5,)), ("hardtanh", (-0.5, 0.3)), ("threshold", (0.1, 20.0)), ("glu", ()), ("normalize", ()), ("softmin", (1,))):
            self.compare(name, lambda x: getattr(x, name)(*args), lambda x: getattr(F, name)(x, *args), a)
        for name, args in (("norm", (3, 0)), ("cumprod", (1,)), ("logcumsumexp", (1,)), ("erfc", ()), ("frac", ()), ("count_nonzero", (1,))):
            self.compare(name, lambda x: getattr(x, name)(*args), lambda x: getattr(x, name)(*args), a)
        self.compare("prelu", lambda x, w: x.prelu(w), F.prelu, image, draw(3))
        self.compare("pool", lambda x: x.adaptive_avg_pool2d((4, 3)), lambda x: F.adaptive_avg_pool2d(x, (4, 3)), image)
        index = RANDOM.integers(0, 3, (5, 4))
        for reduce in ("sum", "mean", "amax", "amin"):
            self.compare(reduce, lambda x, i, y: x.scatter_reduce(0, i, y, reduce), lambda x, i, y: x.scatter_reduce(0, i, y, reduce), a, index, draw(5, 4))

    def both(self, call, *arrays, tolerance=2e-5):
        """The same program with both packages' functions."""
        self.compare(call.__doc__ or "call", lambda *tensors: call(tiny.nn.functional, *tensors), lambda *tensors: call(F, *tensors), *arrays, tolerance=tolerance)

    def test_arguments_of_windows(self):
        image, weight = draw(2, 4, 6, 7), draw(4, 3, 3, 2)
        for size, stride, padding in ((3, 2, 1), (2, 3, 0), ((3, 2), (2, 2), (1, 0)), (4, 3, 2)):
            for ceil in (False, True):
                for counts in (False, True):
                    self.both(lambda f, x: f.avg_pool2d(x, size, stride, padding, ceil_mode=ceil, count_include_pad=counts), image)
                self.both(lambda f, x: f.max_pool2d(x, size, stride, padding, ceil_mode=ceil), image)
        self.both(lambda f, x: f.max_pool2d(x, 2, 1, 0, 2), image)
        values, places = tiny.nn.functional.max_pool2d(Tensor(image), 3, 2, 1, ceil_mode=True, return_indices=True)
        expected = F.max_pool2d(torch.from_numpy(image), 3, 2, 1, ceil_mode=True, return_indices=True)
        same(values, expected[0].numpy())
        same(places, expected[1].numpy())
        self.both(lambda f, x, w: f.conv2d(x, w.transpose(0, 1), padding="same", dilation=2), image, weight)
        self.both(lambda f, x, w: f.conv_transpose2d(x, w, stride=(2, 3), padding=1, output_padding=(1, 2), dilation=2), image, weight, tolerance=1e-4)
        self.both(lambda f, x, w: f.conv_transpose2d(x, w, None, 2, 1, 1, 2), image, weight, tolerance=1e-4)
        layer, other = tiny.nn.ConvTranspose2d(4, 3, 3, 2, 1, 1), torch.nn.ConvTranspose2d(4, 3, 3, 2, 1, 1)
        other.load_state_dict({name: torch.from_numpy(tensor.numpy().copy()) for name, tensor in layer.state_dict().items()})
        same(layer(Tensor(image)), other(torch.from_numpy(image)).detach().numpy(), 1e-4)

    def test_arguments_of_norms(self):
        image, rows, scale, shift = draw(3, 4, 5), draw(3, 4), draw(4), draw(4)
        self.both(lambda f, x, w, b: f.layer_norm(x, (4,), w, b), rows, scale, shift)
        self.both(lambda f, x: f.layer_norm(x, [3, 4], eps=0.1), rows)
        self.both(lambda f, x, w: f.rms_norm(x, (4,), w), 1e-3 * rows, scale)
        self.both(lambda f, x: f.group_norm(x, 2), image)
        self.both(lambda f, x, w, b: f.group_norm(x, 2, w, b, 0.1), image, scale, shift)
        self.both(lambda f, x, w, b: f.batch_norm(x, b.detach(), (w * w).detach(), w, b), image, scale, shift)
        self.both(lambda f, x, w, b: f.batch_norm(x, None, None, w, b, training=True), image, scale, shift)
        for training in (True, False):
            mean, var = tiny.zeros(4), tiny.ones(4)
            means, vars = torch.zeros(4), torch.ones(4)
            same(tiny.nn.functional.batch_norm(Tensor(image), mean, var, training=training), F.batch_norm(torch.from_numpy(image), means, vars, training=training).numpy())
            same(mean, means.numpy())
            same(var, vars.numpy())
        with self.assertRaisesRegex(ValueError, r"the last axes of \(3, 4\) as normalized_shape, got \(3,\)"):
            tiny.nn.functional.layer_norm(Tensor(rows), (3,))

    def test_arguments_of_functions(self):
        a, b = draw(3, 4), np.sort(draw(2, 3, 4), 0)
        self.both(lambda f, x: f.gelu(x, approximate="tanh"), a)
        self.both(lambda f, x: f.softplus(x, beta=2.5), a)
        query = draw(2, 2, 3, 4)
        self.both(lambda f, x: f.scaled_dot_product_attention(x, x, x, None, 0.0, True, scale=0.3), query)
        for call in (lambda x: x.split([1, 3], 1)[1], lambda x: x.roll((1, -2), (0, 1)), lambda x: x.roll(2), lambda x: x.var(0, unbiased=False),
                     lambda x: x.std(1, unbiased=True, keepdim=True), lambda x: x.topk(2, 1).values, lambda x: x.sort(0, descending=True).values, lambda x: x.mT):
            self.compare("method", call, call, a)
        self.compare("clamp", lambda x, y, z: x.clamp(min=y, max=z), lambda x, y, z: x.clamp(min=y, max=z), a, b[0], b[1])
        self.compare("scatter", lambda x, i: x.scatter(1, i, 5.0), lambda x, i: x.scatter(1, i, 5.0), a, RANDOM.integers(0, 4, (3, 2)))
        same(Tensor([[2**24, 1]]).sum(1, dtype="int64"), np.array([2**24 + 1]))
        same(F.one_hot(torch.tensor([0, 2])), tiny.nn.functional.one_hot(Tensor([0, 2])).numpy())
        same(tiny.einsum("ij,jk", [Tensor(a), Tensor(a.T.copy())]), a @ a.T, 1e-4)
        same(tiny.eye(2, 3), np.eye(2, 3, dtype=np.float32))

    def test_losses(self):
        a, image = draw(3, 4), draw(2, 4, 6)
        chance, signs, places = 1 / (1 + np.exp(-draw(3, 4))), np.sign(draw(3, 4)), RANDOM.integers(0, 4, (2, 6))
        for over in ("none", "sum", "mean"):
            for smooth in (0.0, 0.3):
                options = {"reduction": over, "label_smoothing": smooth}
                self.compare(f"cross_entropy {options}", lambda x, y: x.cross_entropy(y, **options), lambda x, y: F.cross_entropy(x, y, **options), image, places)
            for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
                self.compare(name, lambda x, y: getattr(x, name)(y, reduction=over), lambda x, y: getattr(F, name)(x, y, reduction=over), a, draw(3, 4))
            for name, target in (("binary_cross_entropy_with_logits", chance), ("hinge_embedding_loss", signs), ("soft_margin_loss", signs), ("poisson_nll_loss", chance)):
                self.compare(name, lambda x, y: getattr(x, name)(y.detach(), reduction=over), lambda x, y: getattr(F, name)(x, y.detach(), reduction=over), a, target)
            for name in ("margin_ranking_loss", "triplet_margin_loss", "gaussian_nll_loss"):
                self.compare(name, lambda x, y, z: getattr(x, name)(y, z, reduction=over), lambda x, y, z: getattr(F, name)(x, y, z, reduction=over),
                             a, draw(3, 4), chance)
            self.compare("cosine", lambda x, y, z: x.cosine_embedding_loss(y, z, 0.1, over), lambda x, y, z: F.cosine_embedding_loss(x, y, z.detach(), 0.1, reduction=over),
                         a, draw(3, 4), signs[:, 0].copy())


if __name__ == "__main__":
    unittest.main()
