"""Tensors cut among ranks, which are threads here: values, training, what is exchanged, what is refused."""
import re
import unittest

import numpy as np
import tiny
from tiny import Tensor, optim


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def collectives(tensor):
    """What a tensor's program exchanges: kinds and elements."""
    return re.findall(r'kernel.collective "(\w+)".*, memref<(\d+)x', tensor.schedule())


class RanksTest(unittest.TestCase):
    def test_parts_come_together(self):
        x = rows(10, 6)
        for ranks in (1, 2, 3, 4):
            for axis in (0, 1, -1):
                np.testing.assert_array_equal((Tensor(x).shard(ranks, axis) * 2).numpy(), x * 2)
        np.testing.assert_array_equal((Tensor(x).shard(4) + 1).numpy(), x + 1)
        # More ranks than rows: some have none.
        np.testing.assert_array_equal(Tensor(x[:3]).shard(8, 0).abs().numpy(), np.abs(x[:3]))

    def test_grids(self):
        x = np.arange(48).reshape(6, 8).astype(np.int32)
        y = (np.arange(40).reshape(8, 5) % 7 - 3).astype(np.int32)
        for axes in ((0, 1), (1, 0), (0, None), (None, 1), (0, 0), (None, None)):
            product = Tensor(x).shard((2, 2), axes) @ Tensor(y)
            np.testing.assert_array_equal(product.numpy(), x @ y)
        self.assertEqual(collectives(Tensor(x).shard((2, 2), (0, 1)) @ Tensor(y)), [("all_reduce", "15")])

    def test_gradients(self):
        x, w, v = rows(12, 16), rows(16, 32, seed=1), rows(32, 8, seed=2)

        def gradients(cut):
            wt, vt = Tensor(w), Tensor(v)
            hidden = (cut(Tensor(x), 0) @ cut(wt, 1)).relu()
            return tiny.grad((hidden @ vt).square().mean(), [wt, vt])

        expected = gradients(lambda tensor, axis: tensor)
        by_data = gradients(lambda tensor, axis: tensor.shard(4, 0) if axis == 0 else tensor)
        by_tensor = gradients(lambda tensor, axis: tensor.shard(2, 1) if axis == 1 else tensor)
        for found in (by_data, by_tensor):
            for gradient, other in zip(found, expected):
                np.testing.assert_allclose(gradient.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)

    def test_a_captured_step(self):
        data, truth = rows(8, 12), rows(8, 3, seed=1)
        losses = {}
        for ranks in (1, 2, 4):
            w, v = Tensor(rows(12, 16, seed=2) / 3), Tensor(rows(16, 3, seed=3) / 4)
            adam = optim.Adam([w, v], lr=1e-2)

            @tiny.jit
            def step(x, y):
                # A name for the annotated weight would hold what the step updates.
                loss = ((x @ (w.shard(ranks, 1) if ranks > 1 else w)).tanh() @ v - y).square().mean()
                adam.step(loss)
                return loss

            losses[ranks] = [step(Tensor(data), Tensor(truth)).item() for _ in range(8)]
            self.assertEqual(step.replays, 6)
        np.testing.assert_allclose(losses[2], losses[1], atol=1e-5)
        np.testing.assert_allclose(losses[4], losses[1], atol=1e-5)
        self.assertLess(losses[4][-1], losses[4][0])

    def test_a_pipeline(self):
        x, y = rows(8, 6), rows(8, 3, seed=1)
        losses = {}
        for stages, data in ((1, 1), (2, 1), (2, 2)):
            pipeline = tiny.Pipeline(stages=stages, microbatches=4 if stages > 1 else 1, data=data)
            w, v = Tensor(rows(6, 16, seed=2) / 3), Tensor(rows(16, 3, seed=3) / 4)
            sgd = optim.SGD([w, v], lr=0.1)

            @tiny.jit
            def step(batch, truth):
                hidden = (pipeline.split(batch) @ w).tanh()
                if stages > 1:
                    hidden = pipeline.stage(hidden, 1)
                loss = (hidden @ v - pipeline.split(truth)).square().mean()
                sgd.step(loss)
                return loss

            losses[stages, data] = [step(Tensor(x), Tensor(y)).item() for _ in range(6)]
        np.testing.assert_allclose(losses[2, 1], losses[1, 1], atol=1e-5)
        np.testing.assert_allclose(losses[2, 2], losses[1, 1], atol=1e-5)
        self.assertLess(losses[2, 1][-1], losses[2, 1][0])
        hidden = tiny.Pipeline(2).stage(Tensor(x).exp(), 1) + 1
        self.assertEqual(collectives(hidden), [("send", "48")])
        np.testing.assert_allclose(hidden.numpy(), np.exp(x) + 1, rtol=1e-6)

    def test_pipelines_that_are_refused(self):
        x = Tensor(rows(4, 4))
        for arguments, message in [((2, 1, 1), "two stages, got 1 twice"), ((2, 2), "one of 2 stages, counted from 0, got 2"),
                                   ((2, 7), "counted from 0, got 7"), ((2, 1, -1), "counted from 0, got -1"), ((2, 1, 0, 1), "one of the grid's 1 axes of ranks, got 1")]:
            with self.assertRaisesRegex(tiny.Error, message):
                x.stage(*arguments)
        with self.assertRaisesRegex(tiny.Error, "reads values of stages"):
            (x.exp().stage(3, 1) + x.sin().stage(3, 2, 0)).numpy()

    def test_mistakes(self):
        x, pipeline = Tensor(rows(4, 4)), tiny.Pipeline(2)
        ranks, stages = "a whole number of ranks, or a grid of them, .2, 4.", "a whole number of stages"
        for kind, message, call in [
                (TypeError, f"expects {ranks}, got 1.5", lambda: x.shard(1.5, 0)), (TypeError, f"{ranks}, got 'a'", lambda: x.shard("a", 0)), (TypeError, f"{ranks}, got None", lambda: x.shard(None, 0)),
                (ValueError, "of 64 bits, got 10{30}", lambda: x.shard(10**30, 0)), (ValueError, "of 64 bits, got 10{30}", lambda: x.shard(2, 10**30)), (TypeError, r"whole numbers, got \(2, None\)", lambda: x.shard((2, None), (0, 1))),
                (TypeError, "a whole number as axis, got 1.5", lambda: x.shard(2, 1.5)), (TypeError, "a whole number as axis, got 'a'", lambda: x.shard(2, "a")),
                (TypeError, "an axis, or None, for each of the grid's 2, got 0", lambda: x.shard((2, 2), 0)), (TypeError, "whole numbers or None as axes, got 'a'", lambda: x.shard((2, 2), (0, "a"))),
                (TypeError, f"{ranks}, got 'a'", lambda: x.stage("a", 1)), (TypeError, "a whole number as the stage, got 1.5", lambda: x.stage(2, 1.5)), (TypeError, "the stage before, got 'b'", lambda: x.stage(2, 1, "b")),
                (ValueError, "stage 0 has none before it: give `from_`", lambda: x.stage(2, 0)), (ValueError, "at least 1 as the number of stages, got 0", lambda: tiny.Pipeline(stages=0)),
                (TypeError, f"{stages}, got 2.5", lambda: tiny.Pipeline(2.5)), (ValueError, "number of microbatches, got 0", lambda: tiny.Pipeline(2, microbatches=0)), (ValueError, "number of data, got -1", lambda: tiny.Pipeline(2, data=-1)),
                (tiny.Error, "one of 2 stages, counted from 0, got 7", lambda: pipeline.stage(x, 7)), (ValueError, "stage 0 has none before it", lambda: pipeline.stage(x, 0)), (tiny.Error, "got -1", lambda: pipeline.stage(x, -1)),
                (TypeError, "expects a tensor, got 3", lambda: pipeline.stage(3, 1)), (TypeError, "a whole number as axis|whole numbers or None as axes, got 'a'", lambda: pipeline.split(x, "a")), (tiny.Error, "an axis in", lambda: pipeline.split(x, 7))]:
            with self.assertRaisesRegex(kind, message):
                call()

    def test_what_is_refused(self):
        x = Tensor(rows(4, 4))
        for arguments, message in [((2, 2), "axis"), ((0, 0), "a grid of 1 to 2\\^20 ranks, got a size of 0"),
                                   (((2, 2), (0,)), "for each of the grid's 2, got 1"), (((), ()), "for each of the grid's 0"),
                                   ((1 << 21, 0), "a grid of 1 to 2\\^20")]:
            with self.assertRaisesRegex((tiny.Error, IndexError), message):
                x.shard(*arguments)
        with self.assertRaisesRegex(tiny.Error, "one grid, 'grid_2', got 'grid_4'|one grid, 'grid_4', got 'grid_2'"):
            (x.shard(2, 0) + x.shard(4, 0)).numpy()
        with self.assertRaisesRegex(tiny.Error, "2048 ranks are more than the 1024 that may be threads"):
            (x.shard(2048, 0) + 1).numpy()

        @tiny.jit(sizes={"n": (1, 8)}, shapes={"y": ("n",)})
        def sized(y):
            return y.shard(2, 0)

        with self.assertRaisesRegex(tiny.Error, "programs over sizes run on one rank"):
            sized(Tensor(rows(4)))

    def test_one_process(self):
        self.assertEqual(tiny.process_rank(), (0, 1))


unittest.main()
