"""Layers, optimisers, random numbers, files and captured functions; against PyTorch too where it is installed."""
import collections
import copy
import os
import tempfile
import types
import unittest

import numpy as np
import tiny
from tiny import Tensor, nn, optim

try:
    import torch
except ImportError:
    torch = None

RANDOM = np.random.default_rng(3)


def draw(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def same(tensor, expected, tolerance=2e-5):
    expected = np.asarray(expected)
    assert tuple(tensor.shape) == expected.shape, (tensor.shape, expected.shape)
    np.testing.assert_allclose(np.asarray(tensor), expected, rtol=tolerance, atol=tolerance)


class Net(nn.Module):
    def __init__(self):
        self.layers = nn.Sequential(nn.Linear(4, 16), tiny.relu, nn.BatchNorm(16), nn.Dropout(0.1))
        self.heads = [nn.Linear(16, 3)]

    def forward(self, x):
        return self.heads[0](self.layers(x))


def make_data():
    x = draw(64, 4)
    return x, (x[:, 0] > 0) + (x[:, 1] > 0).astype(np.int64)


class RandomTest(unittest.TestCase):
    def test_the_same_seed_draws_the_same(self):
        tiny.manual_seed(5)
        first = tiny.rand(1000).numpy()
        second = tiny.rand(1000).numpy()
        tiny.manual_seed(5)
        np.testing.assert_array_equal(tiny.rand(1000).numpy(), first)
        self.assertFalse((first == second).any())
        compiled = tiny.count_compiled()
        for _ in range(4):
            tiny.rand(1000).realize()
        self.assertLessEqual(tiny.count_compiled(), compiled + 1)

    def test_known_bits(self):
        # Threefry-2x32 of counter 0 and key 0 is 6b200159 99ba4efe.
        tiny.manual_seed(0)
        self.assertEqual(tiny.rand(1).item(), (0x6B200159 >> 8) / 2**24)

    def test_distributions(self):
        tiny.manual_seed(1)
        normal, whole, unit = tiny.randn(100000).numpy(), tiny.randint(2, 7, (10000,)).numpy(), tiny.uniform((100000,), -1, 3).numpy()
        self.assertAlmostEqual(normal.mean(), 0, delta=0.02)
        self.assertAlmostEqual(normal.std(), 1, delta=0.02)
        self.assertEqual(set(whole), {2, 3, 4, 5, 6})
        self.assertAlmostEqual(unit.mean(), 1, delta=0.02)
        dropped = tiny.ones(10000).dropout(0.25).numpy()
        self.assertAlmostEqual((dropped == 0).mean(), 0.25, delta=0.02)
        self.assertEqual(set(np.unique(dropped)), {0, np.float32(1 / 0.75)})
        with self.assertRaisesRegex(tiny.Error, "a probability of at least 0 and below 1"):
            tiny.ones(3).dropout(1)
        with self.assertRaisesRegex(tiny.Error, "expects an interval of 1 to 2\\^24 numbers, got 3 to 3"):
            tiny.randint(3, 3, (1,))


class ModuleTest(unittest.TestCase):
    def test_names_are_pytorch_s(self):
        net = Net()
        self.assertEqual(list(net.state_dict()), ["layers.0.weight", "layers.0.bias", "layers.2.weight", "layers.2.bias", "layers.2.running_mean",
                                                  "layers.2.running_var", "heads.0.weight", "heads.0.bias"])
        self.assertEqual(len(net.parameters()), 6)
        self.assertIs(net.parameters()[0], net.layers._layers[0].weight)
        attention = nn.MultiHeadAttention(8, 2)
        self.assertEqual([name for name, _ in attention.named_parameters()], ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"])
        with self.assertRaisesRegex(tiny.Error, "expects a width that 3 heads divide, got 8"):
            nn.MultiHeadAttention(8, 3)
        with self.assertRaisesRegex(tiny.Error, "expects channels that 0 groups divide, got 4"):
            nn.Conv2d(4, 4, 3, groups=0)
        with self.assertRaisesRegex(tiny.Error, "channels that 2 groups divide, got 3"):
            nn.Conv2d(4, 3, 3, groups=2)
        with self.assertRaisesRegex(NotImplementedError, "Module has no forward"):
            nn.Module()(1)

    def test_files(self):
        net, other = Net(), Net()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.safetensors")
            tiny.save(net, path)
            other.load_state_dict(tiny.load(path))
            for name, tensor in other.state_dict().items():
                np.testing.assert_array_equal(tensor.numpy(), net.state_dict()[name].numpy())
            with self.assertRaisesRegex(tiny.Error, "absent"):
                tiny.load(os.path.join(folder, "absent.npz"))
            with self.assertRaises(tiny.Error):
                tiny.save(net, os.path.join(folder, "none", "net.safetensors"))
        state = dict(net.state_dict())
        with self.assertRaisesRegex(tiny.Error, "nothing is called 'more'"):
            net.load_state_dict({**state, "more": tiny.ones(1)})
        with self.assertRaisesRegex(tiny.Error, r"expects 'heads.0.bias' to be tensor<3xf32>, got tensor<4xf32>"):
            net.load_state_dict({**state, "heads.0.bias": tiny.ones(4)})
        del state["heads.0.bias"]
        with self.assertRaisesRegex(tiny.Error, "expects a tensor 'heads.0.bias', got none"):
            net.load_state_dict(state)

    def test_batch_norms_learn_while_they_train(self):
        norm, array = nn.BatchNorm(3), 2 + 3 * draw(50, 3, 2)
        normal = norm(Tensor(array))
        mean, variance = array.mean((0, 2)), array.var((0, 2))
        same(normal, (array - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5))
        same(norm.running_mean, 0.1 * mean)
        self.assertTrue(norm.running_var.is_realized)
        same(norm.running_var, 0.9 + 0.1 * array.var((0, 2), ddof=1))
        norm.eval()
        same(norm(Tensor(array)), (array - 0.1 * mean[:, None]) / np.sqrt(norm.running_var.numpy()[:, None] + 1e-5))

    def test_dropout_drops_while_it_trains(self):
        layer = nn.Dropout(0.5)
        self.assertIn(0, layer(tiny.ones(100)).numpy())
        layer.eval()
        same(layer(tiny.ones(100)), np.ones(100))


class OptimizerTest(unittest.TestCase):
    def descend(self, make, steps, **options):
        """Parameters after steps on a quadratic, and those that a formula gives."""
        start, scale = np.array([1.0, -2, 0.5], np.float32), np.array([1, 0.1, 3], np.float32)
        weight = Tensor(start).realize()
        optimizer = make([weight], **options)
        for _ in range(steps):
            optimizer.step((weight.square() * Tensor(scale)).sum() * 0.5)
        return weight.numpy(), start, scale

    def test_sgd(self):
        got, weight, scale = self.descend(optim.SGD, 5, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)
        velocity = 0
        for _ in range(5):
            gradient = weight * scale + 0.01 * weight
            velocity = 0.9 * velocity + gradient
            weight = weight - 0.1 * (gradient + 0.9 * velocity)
        np.testing.assert_allclose(got, weight, rtol=1e-5)

    def test_adam(self):
        for make, decoupled in ((optim.Adam, False), (optim.AdamW, True)):
            got, weight, scale = self.descend(make, 5, lr=0.1, weight_decay=0.1)
            first = second = 0
            for step in range(1, 6):
                gradient = weight * scale + (0 if decoupled else 0.1 * weight)
                first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
                change = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                weight = weight - 0.1 * (change + (0.1 * weight if decoupled else 0))
            np.testing.assert_allclose(got, weight, rtol=1e-4)

    def test_lamb_and_clipping(self):
        got, weight, scale = self.descend(optim.LAMB, 1, lr=0.1)
        change = np.sign(weight)
        np.testing.assert_allclose(got, weight - 0.1 * change * np.linalg.norm(weight) / np.linalg.norm(change), rtol=1e-4)
        tensor = Tensor([3.0, 4.0]).realize()
        optimizer = optim.SGD([tensor], lr=1)
        optimizer.clip_grad_norm(0.5)
        optimizer.step((tensor * Tensor([3.0, 4.0])).sum())
        same(tensor, [2.7, 3.6])

    def test_rates(self):
        rates = [optim.cosine_rate(1.0, step, 10, warmup=2) for step in range(11)]
        np.testing.assert_allclose(rates[:3] + [rates[6], rates[10]], [0.5, 1, 1, 0.5, 0], atol=1e-12)
        self.assertAlmostEqual(optim.step_rate(1.0, 7, 3), 0.01)

    def test_a_step_is_one_program_that_updates_in_place(self):
        x, y = make_data()
        net = Net()
        optimizer = optim.AdamW(net.parameters(), lr=1e-2)

        def step(images, labels):
            loss = net(images).cross_entropy(labels)
            optimizer.step(loss)
            return loss.item()

        losses = [step(Tensor(x), Tensor(y))]
        compiled, places = tiny.count_compiled(), [tensor.numpy().ctypes.data for tensor in net.parameters()]
        for k in range(20):
            optimizer.lr = 1e-2 / (k + 1)
            losses.append(step(Tensor(x), Tensor(y)))
        self.assertEqual(tiny.count_compiled(), compiled)
        self.assertEqual(places, [tensor.numpy().ctypes.data for tensor in net.parameters()])
        self.assertLess(losses[-1], losses[0])
        self.assertEqual(list(optimizer.state_dict())[-1], "step.0")

    def test_training_goes_on_from_a_file_bit_for_bit(self):
        x, y = make_data()

        def train(net, optimizer, steps):
            for _ in range(steps):
                loss = net(Tensor(x)).cross_entropy(Tensor(y))
                optimizer.step(loss)
            return loss.item()

        net = nn.Sequential(nn.Linear(4, 8), tiny.tanh, nn.Linear(8, 3))
        optimizer = optim.Adam(net.parameters())
        train(net, optimizer, 3)
        with tempfile.TemporaryDirectory() as folder:
            tiny.save(net, folder + "/net.safetensors")
            tiny.save(optimizer, folder + "/optimizer.safetensors")
            expected = train(net, optimizer, 3)
            again = nn.Sequential(nn.Linear(4, 8), tiny.tanh, nn.Linear(8, 3))
            other = optim.Adam(again.parameters())
            again.load_state_dict(tiny.load(folder + "/net.safetensors"))
            other.load_state_dict(tiny.load(folder + "/optimizer.safetensors"))
        self.assertEqual(train(again, other, 3), expected)


class JitTest(unittest.TestCase):
    def test_other_arguments(self):
        @tiny.jit
        def function(x, options):
            return {"sum": (x * options["scale"]).sum(), "all": [x + 1]}

        for k in range(4):
            result = function(Tensor([1.0, k]), {"scale": Tensor([2.0])})
            self.assertEqual(result["sum"].item(), 2 + 2 * k)
            same(result["all"][0], [2, k + 1])
        self.assertEqual(function.replays, 2)
        # Another shape, and a number, are another capture.
        self.assertEqual(function(Tensor([1.0, 2, 3]), {"scale": Tensor([2.0])})["sum"].item(), 12)
        self.assertEqual(function(Tensor([1.0, 2]), {"scale": 3})["sum"].item(), 9)
        self.assertEqual(function(Tensor([4.0, 5]), {"scale": Tensor([1.0])})["sum"].item(), 9)
        self.assertEqual(function.replays, 3)

    def test_jit_gives_one_result_twice(self):
        @tiny.jit
        def function(x):
            y = x * 2 + 1
            return y, y

        for number in range(4):
            first, second = function(tiny.Tensor(np.full(3, number, np.float32)))
            np.testing.assert_array_equal(first.numpy(), np.full(3, 2 * number + 1, np.float32))
            np.testing.assert_array_equal(second.numpy(), first.numpy())

    def test_results_are_their_own(self):
        function = tiny.jit(lambda x: x * 2)
        kept = [function(Tensor([float(k)])) for k in range(5)]
        self.assertEqual([tensor.item() for tensor in kept], [0, 2, 4, 6, 8])

    def test_training_is_that_without_it(self):
        x, y = make_data()
        losses = []
        for captured in (False, True):
            tiny.manual_seed(9)
            net = Net()
            optimizer = optim.SGD(net.parameters(), momentum=0.9)

            def step(images, labels):
                loss = net(images).cross_entropy(labels)
                optimizer.step(loss)
                return loss

            function = tiny.jit(step) if captured else step
            rows = []
            for k in range(12):
                optimizer.lr = optim.cosine_rate(0.1, k, 12)
                rows.append(function(Tensor(x), Tensor(y)).item())
            losses.append(rows)
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(function.replays, 10)

    def test_state_that_someone_holds_stays(self):
        state = tiny.zeros(3).realize()

        @tiny.jit
        def count():
            state.assign(state + 1).realize()
            return state.sum()

        for _ in range(4):
            count()
        replays = count.replays
        later = state * 10
        self.assertEqual(count().item(), 15)
        self.assertEqual(count.replays, replays)
        same(later, [40, 40, 40])
        kept = state.numpy()
        count()
        same(kept, [5, 5, 5])
        same(state, [6, 6, 6])

    def test_random_numbers_go_on(self):
        tiny.manual_seed(2)
        expected = [tiny.rand(4).numpy().tolist() for _ in range(5)]
        tiny.manual_seed(2)
        function = tiny.jit(lambda: tiny.rand(4))
        self.assertEqual([function().numpy().tolist() for _ in range(5)], expected)
        self.assertGreater(function.replays, 0)

    def test_arguments_that_are_changed(self):
        def change(x, y):
            x += 1
            y[0] = 5
            return x * y

        function, x, y = tiny.jit(change), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
        for k in range(5):
            self.assertEqual(function(x, y).tolist(), [5 * (2 + k), 4 * (3 + k)])
            self.assertEqual((x.tolist(), y.tolist()), ([2 + k, 3 + k], [5, 4]))
        self.assertEqual(function.replays, 3)
        # One tensor given twice is one.
        both, x = tiny.jit(lambda a, b: (a.assign(a + 1), a * b)[1]), Tensor([1.0])
        self.assertEqual([both(x, x).item() for _ in range(4)], [4, 9, 16, 25])
        for change in (lambda given: given.append(given[0]), lambda given: given.__setitem__(0, given[0] * 2)):
            with self.assertRaisesRegex(TypeError, "changes a list or a dictionary that it was given"):
                tiny.jit(change)([x])

    def test_state_that_is_returned_or_whose_past_is_kept(self):
        state = tiny.zeros(2).realize()

        @tiny.jit
        def count(x):
            state.assign(state + x)
            return state

        kept = []
        for k in range(1, 7):
            kept.append(count(Tensor([1.0, 2.0])))
            self.assertEqual(state.tolist(), [k, 2 * k])
        self.assertEqual([tensor[0].item() for tensor in kept], [1, 2, 3, 4, 5, 6])
        past, other = [], tiny.zeros(1).realize()
        step = tiny.jit(lambda x: (other.assign(other + x), x * 2)[1])
        for _ in range(6):
            past.append(copy.copy(other))
            step(Tensor([1.0]))
        self.assertEqual([tensor.item() for tensor in past], [0, 1, 2, 3, 4, 5])

        @tiny.jit
        def put(x):
            other[0] = other[0] * 2 + x[0]
            return x.sum()

        self.assertEqual([(put(Tensor([1.0, 2.0])).item(), other.item())[1] for _ in range(5)], [13, 27, 55, 111, 223])
        self.assertEqual(put.replays, 3)

    def test_what_is_around_a_call_is_part_of_its_capture(self):
        class Block(nn.Module):
            def __init__(self):
                self.linear, self.dropout = nn.Linear(2, 2), nn.Dropout(0.9)

            def forward(self, x):
                return self.dropout(self.linear(x)) if self.training else self.linear(x) * 2

        block, x = Block(), tiny.ones(64, 2)
        function = tiny.jit(block)
        for _ in range(3):
            self.assertGreater((function(x) == 0).to("int32").sum().item(), 20)
        replays = function.replays
        block.eval()
        for _ in range(3):
            same(function(x), block(x).numpy())
        block.train()
        self.assertGreater((function(x) == 0).to("int32").sum().item(), 20)
        self.assertEqual(function.replays, replays + 2)
        block.training = False
        self.assertTrue(function(x).isfinite().all().item())
        alone, layer = tiny.jit(lambda x: layer(x)), nn.Dropout(0.5)
        for _ in range(3):
            alone(x)
        layer.eval()
        self.assertEqual(alone(x).tolist(), x.tolist())
        product = tiny.jit(lambda x: x @ x)
        for _ in range(3):
            product(tiny.ones(2, 2))
        with tiny.autocast("bfloat16"):
            self.assertEqual(product(tiny.ones(2, 2)).dtype, tiny.bfloat16)

    def test_arguments_that_are_no_tensors(self):
        # Arrays are tensors; objects are told apart also when one lies where another one was.
        double, array = tiny.jit(lambda x: x * 2), np.zeros(1, np.float32)
        for k in range(5):
            array[0] = k
            self.assertEqual((double(array).item(), double(np.float32([k + 1])).item()), (2 * k, 2 * k + 2))
        self.assertEqual(double.replays, 8)
        Scale = type("Scale", (), {})

        def make(k):
            scale = Scale()
            scale.by = k
            return scale

        scaled = tiny.jit(lambda x, scale: x * scale.by)
        self.assertEqual([scaled(Tensor([1.0]), make(k)).item() for k in range(6)], [0, 1, 2, 3, 4, 5])
        Pair = collections.namedtuple("Pair", "a b")
        function = tiny.jit(lambda pair: Pair(pair.b, pair.a + 1))
        for k in range(4):
            pair = function(Pair(Tensor([float(k)]), 3))
            self.assertEqual((pair.a, pair.b.item()), (3, k + 1))

    def test_results_that_are_refused(self):
        for kind, call in (("SimpleNamespace", lambda x: types.SimpleNamespace(x=x)), ("generator", lambda x: (y for y in [x])), ("set", lambda x: {x}), ("Linear", lambda x: nn.Linear(1, 1))):
            with self.assertRaisesRegex(TypeError, f"the function gives a {kind}, which would be the same in every call: .* tensors, in lists, tuples"):
                tiny.jit(call)(tiny.ones(1))
        self.assertEqual(tiny.jit(lambda x: (None, 2, "a", [x]))(tiny.ones(1))[:3], (None, 2, "a"))

    def test_what_is_replaced_is_captured_anew(self):
        box = [Tensor([1.0]).realize()]
        function = tiny.jit(lambda x: x + box[0])
        for k in range(6):
            if k % 2 == 0:
                box[0] = Tensor([float(k)]).realize()
            self.assertEqual(function(Tensor([1.0])).item(), 1 + k // 2 * 2)

    def test_a_value_that_is_read_is_refused(self):
        function = tiny.jit(lambda x: x * x.sum().item())
        function(Tensor([2.0]))
        with self.assertRaisesRegex(tiny.Error, "a value cannot be read while jit captures the function"):
            function(Tensor([2.0]))
        # And another capture is possible after that.
        again = tiny.jit(lambda x: x * 2)
        self.assertEqual([again(Tensor([2.0])).item() for _ in range(3)], [4, 4, 4])


class PrecisionTest(unittest.TestCase):
    def test_a_step_that_overflows_changes_only_the_scale(self):
        weight = Tensor([1.0, 2]).realize()
        optimizer = optim.Adam([weight], lr=0.1)
        optimizer.scale_loss(4.0, period=2)
        scale = lambda: optimizer.state_dict()["loss_scale"].item()
        optimizer.step((weight * float("inf")).sum())
        same(weight, [1, 2])
        self.assertEqual((scale(), optimizer.state_dict()["step.0"].item()), (2, 0))
        for expected in (2, 4):
            optimizer.step(weight.square().sum())
            self.assertEqual(scale(), expected)
        same(weight, [0.8, 1.8], 1e-3)
        with self.assertRaisesRegex(tiny.Error, "expects a scale above 0 and a period of at least 1"):
            optimizer.scale_loss(0)

    def test_products_in_bfloat16(self):
        x, y = make_data()
        losses = []
        for dtype in ("float32", "bfloat16"):
            tiny.manual_seed(8)
            net = nn.Sequential(nn.Linear(4, 16), tiny.relu, nn.Linear(16, 3))
            optimizer = optim.AdamW(net.parameters(), lr=0.02)
            optimizer.scale_loss(1024.0)
            rows = []
            for _ in range(30):
                with tiny.autocast(dtype):
                    scores = net(Tensor(x))
                    self.assertEqual(scores.dtype.name, dtype)
                    loss = scores.cross_entropy(Tensor(y))
                del scores
                optimizer.step(loss)
                rows.append(loss.item())
            self.assertEqual((net.parameters()[0].dtype, loss.dtype), (tiny.float32, tiny.float32))
            losses.append(rows)
        self.assertNotEqual(losses[0], losses[1])
        np.testing.assert_allclose(losses[0], losses[1], atol=0.02)
        with self.assertRaisesRegex(tiny.Error, "expects a type of floats, got i64"):
            with tiny.autocast("int64"):
                pass


class RecurrentTest(unittest.TestCase):
    def test_lstm(self):
        layer, x = nn.LSTM(3, 4), draw(5, 2, 3)
        output, (hidden, cell) = layer(Tensor(x))
        weights = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
        sigmoid = lambda value: 1 / (1 + np.exp(-value))
        h = c = np.zeros((2, 4), np.float32)
        for step in range(5):
            gates = x[step] @ weights["weight_ih_l0"].T + weights["bias_ih_l0"] + h @ weights["weight_hh_l0"].T + weights["bias_hh_l0"]
            i, f, g, o = np.split(gates, 4, 1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            same(output[step], h)
        same(hidden, h[None])
        same(cell, c[None])
        first = nn.LSTM(3, 4, num_layers=2, batch_first=True)
        self.assertEqual(first(Tensor(x))[0].shape, (5, 2, 4))
        with self.assertRaisesRegex(tiny.Error, "expects an input of rank 2 or 3 with 3 features, got tensor<5x2x4xf32>"):
            layer(output)
        with self.assertRaisesRegex(tiny.Error, "expects sizes and a number of layers of at least 1"):
            nn.LSTM(0, 4)
        with self.assertRaisesRegex(tiny.Error, "expects at least one step"):
            layer(tiny.zeros(0, 2, 3))

    def test_gru_and_rnn(self):
        sigmoid = lambda value: 1 / (1 + np.exp(-value))
        # Many steps are a loop, few are copies of the cell.
        for steps in (2, 9):
            x, first = draw(steps, 2, 3), draw(1, 2, 4)
            for layer in (nn.GRU(3, 4), nn.RNN(3, 4), nn.RNN(3, 4, nonlinearity="relu")):
                output, hidden = layer(Tensor(x), Tensor(first))
                weights = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
                h = first[0]
                for step in range(steps):
                    given = x[step] @ weights["weight_ih_l0"].T + weights["bias_ih_l0"]
                    past = h @ weights["weight_hh_l0"].T + weights["bias_hh_l0"]
                    if isinstance(layer, nn.GRU):
                        (r, z, n), (hr, hz, hn) = np.split(given, 3, 1), np.split(past, 3, 1)
                        new = np.tanh(n + sigmoid(r + hr) * hn)
                        h = new + sigmoid(z + hz) * (h - new)
                    else:
                        h = np.tanh(given + past) if layer.nonlinearity == "tanh" else np.maximum(given + past, 0)
                    same(output[step], h)
                same(hidden, h[None])

    def test_two_directions(self):
        x = draw(6, 2, 3)
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            both = kind(3, 4, 2, bidirectional=True, bias=False)
            ends = [f"_l{layer}{end}" for layer in range(2) for end in ("", "_reverse")]
            self.assertEqual(list(both.state_dict()), [f"weight_{part}{end}" for end in ends for part in ("ih", "hh")])
            # The first layer, and what goes the other way, by hand.
            there, back = kind(3, 4, bias=False), kind(3, 4, bias=False)
            for part in ("ih", "hh"):
                there.load_state_dict({**there.state_dict(), f"weight_{part}_l0": both.state_dict()[f"weight_{part}_l0"]})
                back.load_state_dict({**back.state_dict(), f"weight_{part}_l0": both.state_dict()[f"weight_{part}_l0_reverse"]})
            one = kind(3, 4, bidirectional=True, bias=False)
            one.load_state_dict({name: both.state_dict()[name] for name in one.state_dict()})
            output, states = one(Tensor(x))
            expected = tiny.cat([there(Tensor(x))[0], back(Tensor(x).flip(0))[0].flip(0)], 2)
            same(output, expected.numpy())
            last = states[0] if kind is nn.LSTM else states
            same(last, np.stack([expected.numpy()[-1, :, :4], expected.numpy()[0, :, 4:]]))
            output, states = both(Tensor(x))
            self.assertEqual((output.shape, (states[0] if kind is nn.LSTM else states).shape), ((6, 2, 8), (4, 2, 4)))

    def test_a_gradient_goes_back_through_all_steps(self):
        # Central differences in one direction of all weights.
        for kind in (nn.LSTM, nn.GRU):
            layer, x = kind(2, 3, bidirectional=True), Tensor(draw(5, 2, 2))
            loss = lambda: layer(x)[0].sin().sum()
            gradients = [gradient.numpy() for gradient in tiny.grad(loss(), layer.parameters())]
            start, ways = [weight.numpy().copy() for weight in layer.parameters()], [draw(*weight.shape) for weight in layer.parameters()]
            values = []
            for step in (1e-2, -1e-2):
                for weight, old, way in zip(layer.parameters(), start, ways):
                    weight.assign(Tensor(old + step * way))
                values.append(loss().item())
            expected = (values[0] - values[1]) / 2e-2
            self.assertAlmostEqual(sum((gradient * way).sum() for gradient, way in zip(gradients, ways)), expected, delta=0.02 * (1 + abs(expected)))

    def test_one_sequence_and_dropout_between_layers(self):
        layer = nn.GRU(3, 4, 2, dropout=0.5, batch_first=True)
        x = draw(5, 3)
        layer.eval()
        output, hidden = layer(Tensor(x))
        again, states = layer(Tensor(x[None]))
        self.assertEqual((output.shape, hidden.shape), ((5, 4), (2, 4)))
        same(again[0], output.numpy())
        same(states[:, 0], hidden.numpy())
        layer.train()
        self.assertFalse(np.array_equal(layer(Tensor(x))[0].numpy(), output.numpy()))
        self.assertEqual(repr(nn.RNN(3, 4, nonlinearity="relu")), "RNN(nonlinearity=relu, input_size=3, hidden_size=4, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False)")

    def test_mistakes_with_states(self):
        x = tiny.ones(5, 2, 3)
        for kind, why, call in (
                (ValueError, r"expects a state of \(2, 4\), got \(4,\)", lambda: nn.GRUCell(3, 4)(tiny.ones(2, 3), tiny.ones(4))),
                (tiny.Error, "a mask that is bool, or floats that are added to the scores, got i32",
                 lambda: tiny.scaled_dot_product_attention(*[tiny.ones(1, 1, 5, 4)] * 3, attn_mask=tiny.ones(5, 5, dtype="int32"))),
                (TypeError, r"expects a state of \(2, 4\), got a tuple", lambda: nn.GRUCell(3, 4)(tiny.ones(2, 3), (tiny.ones(2, 4),) * 2)),
                (ValueError, "expects an input of rank 1 or 2 with 3 features", lambda: nn.RNNCell(3, 4)(tiny.ones(2, 4))),
                (TypeError, r"as a pair: cell\(x, \(h, c\)\)", lambda: nn.LSTMCell(3, 4)(tiny.ones(2, 3), tiny.ones(2, 4))),
                (ValueError, "the nonlinearity 'tanh' or 'relu', got 'sin'", lambda: nn.RNNCell(3, 4, nonlinearity="sin")),
                (ValueError, "sizes of at least 1, got 0 and 4", lambda: nn.GRUCell(0, 4)),
                (tiny.Error, r"expects states of tensor<2x2x4xf32>, got tensor<2x4xf32>", lambda: nn.GRU(3, 4, bidirectional=True)(x, tiny.ones(2, 4))),
                (TypeError, r"as a pair: lstm\(x, \(h, c\)\)", lambda: nn.LSTM(3, 4)(x, tiny.ones(1, 2, 4))),
                (tiny.Error, r"expects an input of the weights' type, f32, got tensor<5x2x3xf64>: `to\(\)`", lambda: nn.RNN(3, 4)(x.to("float64"))),
                (ValueError, "expects the nonlinearity tanh or relu, got 'gelu'", lambda: nn.RNN(3, 4, nonlinearity="gelu")),
                (TypeError, "proj_size=2 is not possible: nn.Linear behind it", lambda: nn.LSTM(3, 4, proj_size=2)),
                (tiny.Error, "a probability of at least 0 and below 1", lambda: nn.LSTM(3, 4, dropout=1.5))):
            with self.assertRaisesRegex(kind, why):
                call()

    def test_a_captured_step(self):
        layer, head, x = nn.GRU(3, 8), nn.Linear(8, 1), draw(12, 4, 3)
        y = x.cumsum(0).sum(2, keepdims=True)
        sgd = optim.Adam([*layer.parameters(), *head.parameters()], lr=0.02)

        @tiny.jit
        def step(x, y):
            loss = head(layer(x)[0]).mse_loss(y)
            sgd.step(loss)
            return loss

        losses = [step(Tensor(x), Tensor(y)).item() for _ in range(60)]
        self.assertEqual(step.replays, 58)
        self.assertLess(losses[-1], losses[0] / 2)


class PlacesTest(unittest.TestCase):
    def test_a_row_of_padding_stays(self):
        layer = nn.Embedding(5, 2, padding_idx=-1)
        self.assertEqual((layer.padding_idx, layer.weight[4].tolist()), (4, [0, 0]))
        places = Tensor([[4, 0], [1, 4]])
        layer.weight[4] = 7
        loss = layer(places).square().sum()
        gradient, = tiny.grad(loss, [layer.weight])
        same(gradient[4], [0, 0])
        same(gradient[:2], 2 * layer.weight.numpy()[:2])
        # What is there is read all the same.
        same(layer(places)[0, 0], [7, 7])
        same(nn.functional.embedding(places, layer.weight, padding_idx=4), layer(places).numpy())
        self.assertEqual(repr(layer), "Embedding(num_embeddings=5, embedding_dim=2, padding_idx=4)")

    def test_indices_out_of_range(self):
        layer, x = nn.Embedding(5, 2), tiny.ones(4, 3)
        scores = tiny.ones(2, 3)
        for why, call in (
                ("index 5 is out of range for axis 0 of size 5", lambda: layer(Tensor([1, 5]))), ("index 9 is out of range for axis 0 of size 4", lambda: x[[0, 9]]),
                ("index -5 is out of range for axis 0 of size 4", lambda: x[Tensor([-5])]), ("index 3 is out of range for axis 1 of size 3", lambda: x[[0, 1], [2, 3]]),
                ("index 4 is out of range for axis 0 of size 4", lambda: x.gather(0, Tensor([[4, 0, 0]]))), ("index 7 is out of range for axis 0 of size 4", lambda: x.index_select(0, Tensor([7]))),
                ("class 3 is out of range: there are scores for the classes 0 to 2, and ignore_index, which does not count, is -100", lambda: scores.cross_entropy(Tensor([0, 3]))),
                ("class -1 is out of range", lambda: scores.cross_entropy(Tensor([0, -1]), label_smoothing=0.1)), ("class -1 is out of range", lambda: nn.functional.nll_loss(scores, Tensor([-1, 0]))),
                ("a weight for each of the 3 classes, got tensor<2xf32>", lambda: scores.cross_entropy(Tensor([0, 1]), weight=tiny.ones(2))),
                ("a class for each place of the scores without their axis 1, tensor<2xi64>, got tensor<3xi64>", lambda: scores.cross_entropy(Tensor([0, 1, 1]))),
                ("a padding of -5 to 4, got 5", lambda: nn.Embedding(5, 2, padding_idx=5))):
            with self.assertRaisesRegex(tiny.Error, why):
                call()
        self.assertEqual(scores.cross_entropy(Tensor([-1, -1]), ignore_index=-1, reduction="sum").item(), 0)
        # Indices that choose nothing may be anything.
        self.assertEqual(x[0:0, [7]].shape, (0, 1))
        # Those that are computed are not known when the operation is written.
        self.assertEqual(x[Tensor([3, 8]) + 1].tolist(), [[0, 0, 0]] * 2)

        @tiny.jit
        def step(scores, classes):
            return scores.cross_entropy(classes)

        with self.assertRaisesRegex(tiny.Error, "class 3 is out of range"):
            step(scores, Tensor([3, 0]))


@unittest.skipUnless(torch, "PyTorch is not installed")
class AgainstTorch(unittest.TestCase):
    def compare(self, layer, other, *arrays):
        with torch.no_grad():
            for name, tensor in other.named_parameters():
                tensor.copy_(torch.from_numpy(layer.state_dict()[name].numpy().copy()))
        x = Tensor(arrays[0])
        y = layer(x)
        ours = tiny.grad((y * y).sum(), [x] + layer.parameters())
        input = torch.from_numpy(arrays[0].copy()).requires_grad_()
        output = other(input) if not isinstance(other, torch.nn.MultiheadAttention) else other(input, input, input)[0]
        (output * output).sum().backward()
        same(y, output.detach().numpy(), 1e-4)
        same(ours[0], input.grad.numpy(), 1e-3)
        gradients = dict(zip([name for name, _ in layer.named_parameters()], ours[1:]))
        for name, tensor in other.named_parameters():
            np.testing.assert_allclose(gradients[name].numpy(), tensor.grad.numpy(), rtol=1e-3, atol=1e-3)

    def test_layers(self):
        self.compare(nn.Linear(5, 3), torch.nn.Linear(5, 3), draw(4, 5))
        self.compare(nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), torch.nn.Conv2d(4, 6, 3, 2, 1, groups=2), draw(2, 4, 7, 7))
        self.compare(nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2), torch.nn.ConvTranspose2d(4, 6, 3, 2, 1, groups=2), draw(2, 4, 5, 5))
        self.compare(nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3), draw(4, 3, 5, 5))
        self.compare(nn.LayerNorm(6), torch.nn.LayerNorm(6), draw(4, 6))
        self.compare(nn.LayerNorm((3, 2)), torch.nn.LayerNorm((3, 2)), draw(4, 3, 2))
        self.compare(nn.GroupNorm(2, 4), torch.nn.GroupNorm(2, 4), draw(3, 4, 5))
        self.compare(nn.RMSNorm((3, 2)), torch.nn.RMSNorm((3, 2)), 1e-3 * draw(4, 3, 2))
        self.compare(nn.MultiHeadAttention(8, 2), torch.nn.MultiheadAttention(8, 2, batch_first=True), draw(2, 5, 8))

    def test_lstm(self):
        layer, other, x = nn.LSTM(3, 4, 2, batch_first=True), torch.nn.LSTM(3, 4, 2, batch_first=True), draw(2, 6, 3)
        self.assertEqual(list(layer.state_dict()), list(other.state_dict()))
        other.load_state_dict({name: torch.from_numpy(tensor.numpy().copy()) for name, tensor in layer.state_dict().items()})
        states = draw(2, 2, 4), draw(2, 2, 4)
        output, (hidden, cell) = layer(Tensor(x), tuple(map(Tensor, states)))
        expected, (others, cells) = other(torch.from_numpy(x), tuple(map(torch.from_numpy, states)))
        for ours, theirs in ((output, expected), (hidden, others), (cell, cells)):
            same(ours, theirs.detach().numpy())
        expected.square().sum().backward()
        output, _ = layer(Tensor(x), tuple(map(Tensor, states)))
        for ours, theirs in zip(tiny.grad(output.square().sum(), layer.parameters()), other.parameters()):
            same(ours, theirs.grad.numpy(), 1e-4)

    def test_recurrent_layers(self):
        for kind, peer, more in ((nn.LSTM, torch.nn.LSTM, {}), (nn.GRU, torch.nn.GRU, {}), (nn.RNN, torch.nn.RNN, {}), (nn.RNN, torch.nn.RNN, {"nonlinearity": "relu"})):
            for layers, steps, both, batch_first in ((2, 5, True, False), (1, 3, False, True)):
                options = dict(num_layers=layers, bidirectional=both, batch_first=batch_first, **more)
                layer, other = kind(3, 4, **options), peer(3, 4, **options)
                self.assertEqual(list(layer.state_dict()), list(other.state_dict()))
                other.load_state_dict({name: torch.from_numpy(tensor.numpy().copy()) for name, tensor in layer.state_dict().items()})
                arrays = [draw(*((2, steps, 3) if batch_first else (steps, 2, 3)))] + [draw(layers * (1 + both), 2, 4) for _ in range(1 + (kind is nn.LSTM))]
                ours, theirs = [Tensor(array) for array in arrays], [torch.from_numpy(array).requires_grad_() for array in arrays]
                pack = lambda tensors: tuple(tensors) if kind is nn.LSTM else tensors[0]
                flat = lambda output, states: [output, *states] if kind is nn.LSTM else [output, states]
                results, expected = flat(*layer(ours[0], pack(ours[1:]))), flat(*other(theirs[0], pack(theirs[1:])))
                gradients = tiny.grad(sum(result.sin().sum() for result in results), ours + layer.parameters())
                tiny.realize([*results, *gradients])
                sum(result.sin().sum() for result in expected).backward()
                for one, two in [*zip(results, expected), *zip(gradients, [tensor.grad for tensor in theirs + list(other.parameters())])]:
                    same(one, two.detach().numpy(), 1e-4)

    def test_cells(self):
        for kind, peer, more in ((nn.LSTMCell, torch.nn.LSTMCell, {}), (nn.GRUCell, torch.nn.GRUCell, {}), (nn.RNNCell, torch.nn.RNNCell, {}), (nn.RNNCell, torch.nn.RNNCell, {"nonlinearity": "relu"}),
                                 (nn.GRUCell, torch.nn.GRUCell, {"bias": False})):
            cell, other = kind(3, 4, **more), peer(3, 4, **more)
            self.assertEqual(list(cell.state_dict()), list(other.state_dict()))
            other.load_state_dict({name: torch.from_numpy(tensor.numpy().copy()) for name, tensor in cell.state_dict().items()})
            for lead in ((2,), ()):
                x, states = draw(5, *lead, 3), [draw(*lead, 4) for _ in range(1 + (kind is nn.LSTMCell))]
                pack = lambda tensors: tuple(tensors) if kind is nn.LSTMCell else tensors[0]
                flat = lambda state: list(state) if kind is nn.LSTMCell else [state]
                for start in (True, False):
                    state, expected = (pack(list(map(make, states))) if start else None for make in (Tensor, torch.from_numpy))
                    for step in range(5):
                        state, expected = cell(Tensor(x[step]), state), other(torch.from_numpy(x[step]), expected)
                    other.zero_grad()
                    sum(part.sin().sum() for part in flat(expected)).backward()
                    gradients = tiny.grad(sum(part.sin().sum() for part in flat(state)), cell.parameters())
                    tiny.realize([*flat(state), *gradients])
                    for one, two in [*zip(flat(state), flat(expected)), *zip(gradients, [tensor.grad for tensor in other.parameters()])]:
                        same(one, two.detach().numpy(), 1e-4)

    def test_classes(self):
        x = draw(6, 5)
        for options in ({}, {"weight": [0.5, 1, 2, 0, 1]}, {"label_smoothing": 0.2}, {"ignore_index": 2}, {"weight": [0.5, 1, 2, 3, 1], "label_smoothing": 0.1, "ignore_index": 4}):
            for reduction in ("mean", "sum", "none"):
                ours, theirs = Tensor(x), torch.from_numpy(x).requires_grad_()
                given = {**options, "reduction": reduction}
                loss = ours.cross_entropy(Tensor([0, 2, 4, 2, 1, 1]), **{**given, **({"weight": Tensor(np.float32(given["weight"]))} if "weight" in given else {})})
                expected = torch.nn.functional.cross_entropy(theirs, torch.tensor([0, 2, 4, 2, 1, 1]), **{**given, **({"weight": torch.tensor(np.float32(given["weight"]))} if "weight" in given else {})})
                gradient, = tiny.grad(loss.sum(), [ours])
                expected.sum().backward()
                same(loss, expected.detach().numpy(), 1e-5)
                same(gradient, theirs.grad.numpy(), 1e-5)

    def test_padding(self):
        layer, other = nn.Embedding(5, 3, padding_idx=1), torch.nn.Embedding(5, 3, padding_idx=1)
        other.load_state_dict({"weight": torch.from_numpy(layer.weight.numpy().copy())})
        places = [[1, 0, 4], [4, 1, 1]]
        loss = other(torch.tensor(places)).exp().sum()
        loss.backward()
        same(layer(Tensor(places)).exp().sum(), loss.item())
        same(tiny.grad(layer(Tensor(places)).exp().sum(), [layer.weight])[0], other.weight.grad.numpy())

    def test_optimizers(self):
        x, y = make_data()
        for make, other in ((lambda p: optim.SGD(p, 0.1, 0.9, 0.01), lambda p: torch.optim.SGD(p, 0.1, 0.9, weight_decay=0.01)),
                            (lambda p: optim.Adam(p, 0.01), lambda p: torch.optim.Adam(p, 0.01)),
                            (lambda p: optim.AdamW(p, 0.01), lambda p: torch.optim.AdamW(p, 0.01))):
            net = nn.Sequential(nn.Linear(4, 16), tiny.gelu, nn.Linear(16, 3))
            peer = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.GELU(), torch.nn.Linear(16, 3))
            peer.load_state_dict({name: torch.from_numpy(tensor.numpy().copy()) for name, tensor in net.state_dict().items()})
            ours, theirs = make(net.parameters()), other(peer.parameters())
            for _ in range(50):
                loss = net(Tensor(x)).cross_entropy(Tensor(y))
                ours.step(loss)
                theirs.zero_grad()
                expected = torch.nn.functional.cross_entropy(peer(torch.from_numpy(x)), torch.from_numpy(y))
                expected.backward()
                theirs.step()
                self.assertAlmostEqual(loss.item(), expected.item(), delta=1e-3)

    def test_memory_is_shared(self):
        ours = Tensor([1.0, 2])
        self.assertEqual(torch.from_dlpack(ours).data_ptr(), ours.numpy().ctypes.data)
        theirs = torch.tensor([1.0, 2], dtype=torch.bfloat16)
        self.assertEqual(tiny.from_dlpack(theirs).dtype, tiny.bfloat16)


if __name__ == "__main__":
    unittest.main()
