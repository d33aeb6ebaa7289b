"""What people who know PyTorch write at first: it works, or the message says what to write: python newcomer_test.py."""
import ast
import pathlib
import unittest

import numpy as np
import tiny
import tiny.nn.functional as F
from tiny import Tensor, nn, optim


class MessagesTest(unittest.TestCase):
    def refuse(self, kind, why, call):
        with self.assertRaisesRegex(kind, why):
            call()

    def test_names_that_are_not_there(self):
        x, layer, optimizer = Tensor([1.0]), nn.Linear(2, 3), optim.SGD([tiny.ones(2)])
        net = nn.Sequential(layer)
        for why, call in ((r"Tensor has no 'backward': .*tiny\.grad", lambda: x.backward()), (r"Tensor has no 'cuda': leave it out", lambda: x.cuda()),
                          (r"Tensor has no 'add_': .*x = x\.add", lambda: x.add_(1)), (r"Tensor has no 'no_such'$", lambda: x.no_such),
                          (r"tiny has no 'no_grad': leave it out", lambda: tiny.no_grad()), (r"tiny\.nn has no 'Parameter': a tensor that is", lambda: nn.Parameter(x)),
                          (r"Linear has no 'to': leave it out", lambda: layer.to("cpu")), (r"Sequential has no 'cuda': leave it out", lambda: net.cuda()),
                          (r"SGD has no 'zero_grad': leave it out", lambda: optimizer.zero_grad()), (r"tiny\.optim has no 'lr_scheduler': .*cosine_rate", lambda: optim.lr_scheduler),
                          (r"tiny\.nn\.functional has no 'no_such'", lambda: F.no_such)):
            self.refuse(AttributeError, why, call)
        self.assertFalse(hasattr(x, "__cuda_array_interface__"))

    def test_a_step_without_its_loss(self):
        self.refuse(TypeError, r"expects the loss: optimizer\.step\(loss\)", lambda: optim.SGD([tiny.ones(2)]).step())

    def test_a_lost_assignment(self):
        x = tiny.zeros(2, 2)

        def lose():
            x[0][1] = 5
        self.refuse(tiny.Error, r"nothing keeps.*x\[0, 1\] = 5", lose)
        x[0, 1] = 5
        kept = [x]
        kept[0][1, 0] = 3
        layer = nn.Linear(2, 1)
        layer.weight[0] = 7
        self.assertEqual(x.tolist(), [[0, 5], [3, 0]])
        self.assertEqual(layer.weight.tolist(), [[7, 7]])

    def test_another_type_in_place(self):
        def add():
            x = Tensor([1, 2])
            x += 0.5
        self.refuse(TypeError, r"\+= would make int64 of float32: write `x = x \+ y`", add)


    def test_mistakes_with_layers_and_optimisers(self):
        net = nn.Linear(2, 3)
        loss = net(tiny.ones(1, 2)).sum()
        loss.item()
        for kind, why, call in (
                (TypeError, r"got a Linear: give network\.parameters\(\)", lambda: optim.Adam(net)), (TypeError, r"give \[weight\]", lambda: optim.SGD(net.weight)),
                (ValueError, "at least one parameter: are the layers attributes", lambda: optim.Adam([])), (TypeError, "groups with rates", lambda: optim.Adam([{"params": []}])),
                (tiny.Error, r"it is realised, by item\(\).*step, before its value is read", lambda: optim.SGD(net.parameters()).step(loss)),
                (TypeError, r"expects a list of tensors: tiny\.grad\(loss, \[x\]\)", lambda: tiny.grad(loss, net.weight)),
                (tiny.Error, r"expects 3 channels along axis 1, got tensor<2x4xf32>", lambda: nn.BatchNorm1d(3)(tiny.ones(2, 4))),
                (TypeError, r"kernel_size is a whole number, or 2 of them, got \(3,\)", lambda: nn.Conv2d(1, 2, (3,))),
                (ValueError, "'same' where the stride is 1", lambda: nn.Conv2d(1, 2, 3, stride=2, padding="same")),
                (tiny.Error, r"expects classes, which are integers \(\.to\('int64'\)\)", lambda: F.cross_entropy(tiny.ones(2, 3), tiny.ones(2))),
                (ValueError, r"ends in \.safetensors or \.npz, got 'net\.pt'", lambda: tiny.save(net, "net.pt")),
                (TypeError, "device='cuda' is not possible: tensors lie in the processor's memory, leave it out", lambda: tiny.zeros(2, device="cuda")),
                (TypeError, "device=0 is not possible: tensors lie in", lambda: Tensor([1.0], device=0)), (TypeError, "device=1 is not", lambda: nn.Linear(2, 3, device=1)),
                (TypeError, "expects the name of a device, such as \"cpu\", got 0", lambda: tiny.set_device(0)),
                (TypeError, r"requires_grad=True is not possible: a gradient is what `tiny.grad\(loss, \[x\]\)`", lambda: tiny.randn(2, requires_grad=True)),
                (TypeError, "dtype='float64' is not possible: parameters are float32", lambda: nn.LayerNorm(2, dtype="float64")),
                (TypeError, "there is no argument 'colour'", lambda: tiny.ones(2, colour=1)), (TypeError, "got 'text'", lambda: Tensor("text")),
                (tiny.Error, r"newcomer_test\.py:\d+: expects sizes of at least 1, got 3, 0", lambda: nn.Linear(0, 3)), (tiny.Error, "expects a rate of at least 0, got -1", lambda: optim.SGD([tiny.ones(2)], lr=-1.0)),
                (tiny.Error, "expects indices of integers, got f32", lambda: tiny.ones(2, 2).scatter(0, tiny.ones(2, 2), tiny.ones(2, 2))),
                (TypeError, r"expects a function: tiny\.jit\(f\)", lambda: tiny.jit(3)), (tiny.Error, "a probability of at least 0 and below 1", lambda: nn.Dropout(1.5)),
                (AttributeError, r"argmax\(dim\) says where", lambda: tiny.ones(2, 2).max(1).values),
                (TypeError, r"expects tensors behind the equation", lambda: tiny.einsum("ij,jk", 3)), (tiny.Error, "sizes that make up 4, got 3", lambda: tiny.ones(4).split([1, 2])),
                (TypeError, r"padding is a whole number, or 2 of them", lambda: F.conv2d(tiny.ones(1, 1, 4, 4), tiny.ones(1, 1, 3, 3), padding=(1, 1, 1))),
                (TypeError, "the processor alone: leave them out", lambda: tiny.ones(2).to("cuda")), (TypeError, r"expects whole numbers, got \(2\.5,\)", lambda: tiny.ones(2.5))):
            self.refuse(kind, why, call)


class WorksTest(unittest.TestCase):
    def test_what_a_captured_function_reads_may_change(self):
        weight = tiny.ones(3)
        double = tiny.jit(lambda x: x * weight)
        for _ in range(3):
            double(tiny.ones(3))
        weight[0] = 5
        self.assertEqual(double(tiny.ones(3)).tolist(), [5, 1, 1])

    def test_words_of_pytorch(self):
        x = Tensor([[1.0, 2.0], [3.0, 5.0]])
        self.assertEqual(tiny.sum(x, 1).tolist(), x.sum(axis=1).tolist())
        self.assertEqual(tiny.flatten(x).tolist(), [1, 2, 3, 5])
        self.assertEqual((tiny.argmax(x, dim=1).tolist(), x.max(axis=0, keepdims=True).tolist()), ([1, 1], [[3, 5]]))
        self.assertEqual((tiny.long, tiny.tensor([1], dtype=tiny.float).dtype), (tiny.int64, tiny.float32))
        self.assertEqual(f"{x.mean():.2f}", "2.75")
        self.assertEqual(x.to("cpu").tolist(), x.tolist())
        self.assertEqual(F.dropout(x, 0.5, training=False).tolist(), x.tolist())
        self.assertEqual((x.to(device="cpu").dtype, x.to("cpu", tiny.float64).dtype, x.to(Tensor([1])).dtype), (tiny.float32, tiny.float64, tiny.int64))
        self.assertEqual((tiny.full((2,), 3).dtype, tiny.full((2,), True).dtype, tiny.full((2,), 3.0).dtype), (tiny.int64, tiny.bool_, tiny.float32))
        self.assertEqual((x == None, x != None), (False, True))  # noqa: E711
        self.assertEqual((tiny.randint(3, (4,)).shape, tiny.randn(2, dtype="float64", device="cpu").dtype, tiny.zeros(2, requires_grad=False).shape), ((4,), tiny.float64, (2,)))
        self.assertEqual((tiny.normal(0.0, 1.0, (2, 3)).shape, tiny.normal(2, 3, mean=1.0).shape, tiny.kaiming_normal((2, 3)).shape), ((2, 3),) * 3)
        self.assertTrue(tiny.equal(x, x) and not tiny.equal(x, x + 1) and not tiny.equal(x, x[0]))
        self.assertEqual(set(tiny.bernoulli(tiny.full((100,), 0.5)).tolist()), {0.0, 1.0})
        self.assertEqual(repr(nn.Linear(2, 3)), "Linear(in_features=2, out_features=3, bias=True)")
        layer = nn.Linear(2, 3)
        self.assertEqual(layer(x.numpy()).tolist(), layer(x).tolist())
        self.assertEqual(F.cross_entropy(x, np.array([0, 1])).item(), F.cross_entropy(x, Tensor([0, 1])).item())

    def test_convolutions_of_any_rank(self):
        for rank, layer in enumerate((nn.Conv1d, nn.Conv2d, nn.Conv3d), 1):
            x = tiny.randn(2, 4, *[7, 6, 5][:rank])
            self.assertEqual(layer(4, 6, 3, padding="same", dilation=2)(x).shape, (2, 6, *x.shape[2:]))
            self.assertEqual(layer(4, 6, (2,) * rank, stride=2, groups=2)(x).shape, (2, 6, *[size // 2 for size in x.shape[2:]]))
            self.assertEqual(layer(4, 6, 2, groups=2).weight.shape, (6, 2, *[2] * rank))
        self.assertEqual(nn.ConvTranspose1d(4, 2, 3, stride=2)(tiny.ones(1, 4, 5)).shape, (1, 2, 11))

    def test_sequential_is_a_list(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).append(nn.Linear(3, 1))
        self.assertEqual((len(net), len(net[:2]), [type(layer).__name__ for layer in net]), (3, 2, ["Linear", "ReLU", "Linear"]))
        self.assertIs(net[0], list(net)[0])
        self.assertIn("(0): Linear(in_features=2, out_features=3, bias=True)", repr(net))

    def test_a_clone_is_another_tensor(self):
        x = tiny.zeros(3)
        y = x.clone()
        y[0] = 5
        self.assertEqual((x.tolist(), y.tolist()), ([0, 0, 0], [5, 0, 0]))

    def test_parameters_updated_by_hand(self):
        weight, x = tiny.zeros(3), Tensor([1.0, 2.0, 3.0])
        first = tiny.count_compiled()
        for step in range(20):
            loss = ((weight * x).sum() - 4).square()
            for parameter, gradient in zip([weight], tiny.grad(loss, [weight])):
                parameter -= 0.01 * gradient
            value = loss.item()
            if step == 3:
                compiled = tiny.count_compiled()
        self.assertLess(value, 1e-3)
        # What is updated is computed with the loss: no step is a longer program than the one before.
        self.assertEqual(tiny.count_compiled(), compiled)
        self.assertLessEqual(compiled - first, 3)

    def test_layers_without_parameters(self):
        net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 10))
        loss = nn.CrossEntropyLoss()(net(tiny.randn(2, 1, 8, 8)), Tensor([1, 2]))
        optim.Adam(net.parameters()).step(loss)
        self.assertEqual(list(net.state_dict()), ["0.weight", "0.bias", "4.weight", "4.bias"])
        x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
        np.testing.assert_allclose(nn.LeakyReLU(0.2)(Tensor(x)).numpy(), np.where(x > 0, x, 0.2 * x))
        np.testing.assert_allclose(nn.Softmax(dim=0)(Tensor(x)).numpy(), np.exp(x) / np.exp(x).sum(0), rtol=1e-6)
        self.assertEqual(F.relu(Tensor(x)).tolist(), np.maximum(x, 0).tolist())

    def test_modules_in_lists_and_dictionaries(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(2, 2)])
                self.heads = nn.ModuleDict({"a": nn.Linear(2, 1), "b": [tiny.ones(3)]})

        self.assertEqual(list(Net().state_dict()), ["layers.0.weight", "layers.0.bias", "heads.a.weight", "heads.a.bias", "heads.b.0"])

    def test_stubs_have_what_the_classes_have(self):
        path = pathlib.Path(tiny._tiny.__file__).parent / "_tiny.pyi"
        if not path.exists():
            self.skipTest("no stubs were made")
        classes = {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)}
        there = {getattr(node, "name", None) for node in classes["Tensor"].body}
        for name in ("matmul", "sum", "assign", "rearrange", "__getitem__"):
            self.assertIn(name, there)
        returned = {node.name: ast.unparse(node.returns) for node in classes["Tensor"].body if isinstance(node, ast.FunctionDef) and node.returns}
        for name in ("__add__", "__rtruediv__", "__and__", "__lt__", "sum", "__getitem__"):
            self.assertEqual(returned[name], "Tensor")


if __name__ == "__main__":
    unittest.main()
