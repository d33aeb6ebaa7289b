"""Copies and pickles of layers and networks, and classes that are made of layers: python copies_test.py."""
import copy
import io
import pickle
import unittest

import numpy as np
import tiny
from tiny import Tensor, nn, optim

LAYERS = [
    (nn.Linear(3, 4), (2, 3)), (nn.Linear(3, 4, bias=False), (2, 3)), (nn.Conv1d(2, 4, 3, stride=2, groups=2), (1, 2, 9)),
    (nn.Conv2d(2, 3, (3, 1), padding=(1, 0), bias=False), (1, 2, 5, 5)), (nn.Conv3d(1, 2, 2, padding="same", dilation=3), (1, 1, 4, 4, 4)),
    (nn.ConvTranspose2d(4, 2, 3, stride=2, groups=2), (1, 4, 3, 3)), (nn.BatchNorm2d(3, eps=1e-3, momentum=0.5), (2, 3, 2, 2)),
    (nn.LayerNorm((2, 3), eps=1e-3), (4, 2, 3)), (nn.RMSNorm(3), (2, 3)), (nn.GroupNorm(2, 4), (2, 4, 3)), (nn.Dropout(0.25), (3,)),
]


def both_ways(value):
    """What a copy and a pickle make of it."""
    return copy.deepcopy(value), pickle.loads(pickle.dumps(value))


class Scaled(nn.Linear):
    """A layer that is made of another."""

    def __init__(self, size):
        super().__init__(size, size)
        self.scale, self.drop = Tensor([2.0]), nn.Dropout(0.5)

    def forward(self, x):
        return super().forward(x) * self.scale


class Network(nn.Module):
    def __init__(self):
        self.first = nn.Sequential(nn.Linear(4, 8), nn.GELU(), tiny.relu, tiny.softmax, Tensor.square, nn.functional.tanh)
        self.heads = {"a": [nn.Linear(8, 2)], "b": Scaled(2)}
        self.tied = self.again = tiny.ones(2)

    def forward(self, x):
        return self.heads["b"](self.heads["a"][0](self.first(x))) * self.tied * self.again


@tiny.jit
def double(x):
    return x * 2


class OnlyData(pickle.Unpickler):
    """Refuses what is not a class of tensors, layers or arrays."""

    def find_class(self, module, name):
        allowed = name in ("Tensor", "Linear", "BatchNorm", "Sequential", "dtype", "ReLU") if module.startswith("tiny") else module.split(".")[0] == "numpy" or name == "__newobj__"
        if not allowed:
            raise pickle.UnpicklingError(f"loads {module}.{name}")
        return super().find_class(module, name)


class CopiesTest(unittest.TestCase):
    def same(self, tensor, expected):
        np.testing.assert_array_equal(tensor.numpy(), expected.numpy())

    def test_every_layer(self):
        for layer, shape in LAYERS:
            x = tiny.randn(*shape)
            layer.eval()
            for other in both_ways(layer):
                with self.subTest(layer=repr(layer)):
                    self.assertIs(type(other), type(layer))
                    self.assertFalse(other.training)
                    self.same(other(x), layer(x))
                    self.assertEqual(list(other.state_dict()), list(layer.state_dict()))
        for layer in (nn.LSTM(3, 4, 2, bias=False, batch_first=True), nn.LSTM(3, 2), nn.GRU(3, 2, 2, dropout=0.5).eval(), nn.RNN(3, 2, nonlinearity="relu", bidirectional=True)):
            for other in both_ways(layer):
                self.same(other(tiny.ones(2, 5, 3))[0], layer(tiny.ones(2, 5, 3))[0])
                self.assertEqual((other.num_layers, other.bias, other.batch_first), (layer.num_layers, layer.bias, layer.batch_first))
        attention = nn.MultiHeadAttention(8, 2, bias=False)
        for other in both_ways(attention):
            self.same(other(tiny.ones(1, 3, 8)), attention(tiny.ones(1, 3, 8)))
            self.assertIsNone(other.out_proj.bias)

    def test_a_copy_is_another_network(self):
        network = Network()
        before = {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}
        for other in both_ways(network):
            optimizer = optim.SGD(other.parameters(), lr=0.1)
            optimizer.step(other(tiny.ones(3, 4)).square().sum())
            self.assertFalse((other.heads["a"][0].weight.numpy() == before["heads.a.0.weight"]).all())
            for name, tensor in network.state_dict().items():
                np.testing.assert_array_equal(tensor.numpy(), before[name])
            self.assertIs(other.tied, other.again)

    def test_a_shallow_copy_of_a_layer_has_its_values(self):
        layer = nn.Linear(2, 2)
        other = copy.copy(layer)
        self.same(other.weight, layer.weight)
        other.weight[0] = 0
        self.assertNotEqual(layer.weight[0, 0].item(), 0)

    def test_a_copy_draws_no_random_numbers(self):
        tiny.manual_seed(3)
        layer, expected = nn.Linear(2, 2), tiny.rand(3).numpy()
        tiny.manual_seed(3)
        layer = nn.Linear(2, 2)
        both_ways([layer, nn.Embedding])
        np.testing.assert_array_equal(tiny.rand(3).numpy(), expected)

    def test_other_types_and_shapes_stay(self):
        layer = nn.Linear(2, 3)
        layer.weight, layer.bias = tiny.ones(5, 4, dtype="bfloat16"), tiny.ones(5)
        for other in both_ways(layer):
            self.assertEqual((other.weight.dtype, other.weight.shape, other.in_features), (tiny.bfloat16, (5, 4), 4))
        with self.assertRaisesRegex(ValueError, "made without a bias"):
            nn.Linear(2, 3, bias=False).bias = tiny.ones(3)

    def test_every_element_type_of_tensors(self):
        for name in ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int8", "uint64", "bool"):
            tensor = Tensor([[0, 1, 2]]).to(name)
            for other in both_ways(tensor):
                self.assertEqual(other.dtype, tensor.dtype)
                self.same(other.float(), tensor.float())

    def test_loading_runs_nothing_but_what_makes_layers(self):
        network = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.BatchNorm(3))
        x = tiny.ones(4, 2)
        self.same(OnlyData(io.BytesIO(pickle.dumps(network.eval()))).load()(x), network(x))

    def test_functions_are_known_by_name(self):
        for function in (tiny.relu, tiny.softmax, Tensor.square, double, nn.functional.tanh):
            for other in both_ways(function):
                self.assertIs(other, function)

    def test_optimisers_say_what_to_copy(self):
        optimizer = optim.Adam([tiny.ones(2)])
        for call in (copy.deepcopy, copy.copy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, r"optimizer\.state_dict\(\)"):
                call(optimizer)


class SubclassTest(unittest.TestCase):
    def test_what_it_adds_trains(self):
        layer = Scaled(2)
        self.assertEqual([name for name, _ in layer.named_parameters()], ["weight", "bias", "scale"])
        x = tiny.ones(1, 2)
        np.testing.assert_allclose(layer(x).numpy(), 2 * (x @ layer.weight.T + layer.bias).numpy(), rtol=1e-6)
        self.assertIs(layer.eval(), layer)
        self.assertFalse(layer.drop.training)
        self.assertIs(layer.train(), layer)
        self.assertTrue(layer.drop.training and layer.training)
        for other in both_ways(layer):
            self.assertEqual(other(x).tolist(), layer(x).tolist())

    def test_a_parameter_of_two_names_trains_once(self):
        network = Network()
        names = [name for name, _ in network.named_parameters()]
        self.assertEqual(("tied" in names, "again" in names, "again" in network.state_dict()), (True, False, True))
        weight = tiny.ones(1)
        module = nn.Module()
        module.a = module.b = weight
        optim.SGD(module.parameters(), lr=0.5).step((weight * 1).sum())
        self.assertEqual(weight.item(), 0.5)

    def test_arguments_are_attributes(self):
        conv = nn.Conv2d(4, 6, 3, padding=1, groups=2)
        self.assertEqual((conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding, conv.dilation, conv.groups),
                         (4, 6, (3, 3), (1, 1), (1, 1), (1, 1), 2))
        up = nn.ConvTranspose2d(4, 6, 3, groups=2)
        self.assertEqual((up.in_channels, up.out_channels), (4, 6))
        norm = nn.GroupNorm(2, 4)
        self.assertEqual((norm.num_groups, norm.num_channels, nn.LayerNorm((2, 3)).normalized_shape, nn.BatchNorm(3).num_features), (2, 4, (2, 3), 3))
        self.assertEqual((nn.Embedding(5, 3).num_embeddings, nn.Embedding(5, 3).embedding_dim, nn.Dropout(0.5).p), (5, 3, 0.5))


if __name__ == "__main__":
    unittest.main()
