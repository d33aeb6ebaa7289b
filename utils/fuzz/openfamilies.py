"""More families of operators for utils/fuzz-open: integers, indices, windows, norms, and counts that are data."""
import numpy
import onnx
from onnx import helper

FLOAT, INT = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64


class OpenFamilies:
    """Mixed into OpenDraw, whose `add`, `axis`, `whole` and `constant` they use."""

    def draw_integers(self, x):
        """There and back, with what only integers have."""
        if x.rounds or x.most > 2**20:
            return None
        kind, numpy_kind = self.rng.choice([(onnx.TensorProto.INT32, numpy.int32), (onnx.TensorProto.INT64, numpy.int64)])
        whole = self.add("Floor", [x], x.shape, x.most)
        number = whole and self.add("Cast", [whole[0]], x.shape, x.most, to=kind)
        if not number:
            return None
        op = self.rng.choice(["Mod", "Div", "Mul", "Add"])
        factor = self.constant(numpy_kind(self.rng.choice([2, 3, 5])))
        most = x.most * 5 if op == "Mul" else x.most + 8
        made = self.add(op, [number[0], factor], x.shape, most)
        return made and self.add("Cast", [made[0]], x.shape, most, to=FLOAT)

    def draw_logic(self, x):
        if x.rounds:
            return None
        low = self.add("Greater", [x, self.whole((), 2)], x.shape, 1)
        high = low and self.add("LessOrEqual", [x, self.whole((), 2)], x.shape, 1)
        op = self.rng.choice(["And", "Or", "Xor"])
        both = high and self.add(op, [low[0], high[0]], x.shape, 1)
        return both and self.add("Cast", [both[0]], x.shape, 1, to=FLOAT)

    def draw_resize(self, x):
        """The nearest elements, each twice, along the last axis."""
        if len(x.shape) != 3:
            return None
        scales = self.constant(numpy.array([1, 1, 2], numpy.float32))
        return self.add("Resize", [x, "", scales], (*x.shape[:2], x.shape[2] * 2), x.most, mode="nearest", nearest_mode="floor",
                        coordinate_transformation_mode="asymmetric")

    def draw_one_hot(self, x):
        if x.rounds or len(x.shape) > 3:
            return None
        depth = self.rng.choice([3, 5])
        near = self.add("Clip", [x, self.constant(numpy.float32(0)), self.constant(numpy.float32(depth - 1))], x.shape, depth)
        places = near and self.add("Floor", [near[0]], x.shape, depth)
        places = places and self.add("Cast", [places[0]], x.shape, depth, to=INT)
        values = self.constant(numpy.array([-1, 2], numpy.float32))
        axis = self.rng.choice([-1, 0])
        shape = (*x.shape, depth) if axis == -1 else (depth, *x.shape)
        return places and self.add("OneHot", [places[0], self.constant(numpy.int64(depth)), values], shape, 2, axis=axis)

    def draw_unique(self, x):
        """The sum of what is different."""
        if x.rounds or len(x.shape) != 1 or x.most * self.elements(x.shape) > 2**22:
            return None
        found = self.add("Unique", [x], x.shape, x.most, sorted=1)
        return found and self.add("ReduceSum", [found[0]], (1,), x.most * self.elements(x.shape), rounds=False, keepdims=1)

    def draw_nonzero(self, x):
        """The sum of the places, along each axis."""
        if x.rounds or not x.shape or len(x.shape) > 3:
            return None
        found = self.add("NonZero", [x], (len(x.shape), 1), 64)
        summed = found and self.add("ReduceSum", [found[0], self.ints(1)], (len(x.shape),), 2**12, keepdims=0)
        return summed and self.add("Cast", [summed[0]], (len(x.shape),), 2**18, to=FLOAT)

    def draw_counted(self, x):
        """Elements at fixed places, behind some whose number is data."""
        if x.rounds or len(x.shape) != 1:
            return None
        self.count += 1
        name, begin = f"v{self.count}", self.rng.choice([0, 1, 2, 4])
        self.nodes.append(helper.make_node("Greater", [x.name, self.constant(numpy.float32(0))], [name + "a"]))
        self.nodes.append(helper.make_node("Compress", [x.name, name + "a"], [name + "b"], axis=0))
        parts = [name + "b", self.whole((6,))]
        if self.rng.random() < 0.3:
            parts.reverse()
        self.nodes.append(helper.make_node("Concat", parts, [name + "c"], axis=0))
        self.read.add(x.name)
        return self.add("Slice", [name + "c", self.ints(begin), self.ints(begin + 2), self.ints(0)], (2,), x.most + 3, rounds=False)

    def draw_branch(self, x):
        """An If whose branches have results of other lengths: their sum, and their first element."""
        if x.rounds or len(x.shape) != 1 or x.most * 2 * self.elements(x.shape) > 2**22:
            return None
        info, self.count = helper.make_empty_tensor_value_info, self.count + 1
        name, other = f"v{self.count}", self.whole((self.rng.choice([1, 3, 70]),))
        twice = helper.make_graph([helper.make_node("Concat", [x.name, x.name], [name + "t"], axis=0)], "then_branch", [], [info(name + "t")])
        nodes = {"same": helper.make_node("Neg", [x.name], [name + "e"]), "fixed": helper.make_node("Neg", [other], [name + "e"])}
        once = helper.make_graph([nodes[self.rng.choice(["same", "fixed"])]], "else_branch", [], [info(name + "e")])
        total = self.add("ReduceSum", [x], (), x.most, keepdims=0)
        positive = total and self.add("Greater", [total[0], self.constant(numpy.float32(0))], (), 1)
        if not positive:
            return None
        self.read.add(x.name)
        self.nodes.append(helper.make_node("If", [positive[0].name], [name + "i"], then_branch=twice, else_branch=once))
        return self.add("ReduceSum", [name + "i"], (1,), x.most * 2 * self.elements(x.shape) + 210, rounds=False, keepdims=1)

    def draw_boxes(self, x):
        """How many boxes stay, of some that the value makes."""
        if x.rounds or len(x.shape) != 2 or x.shape[1] != 4:
            return None
        boxes = self.add("Unsqueeze", [x, self.ints(0)], (1, *x.shape), x.most)
        scores = self.add("ReduceSum", [x, self.ints(1)], (x.shape[0],), x.most * 4, keepdims=0)
        scores = boxes and scores and self.add("Unsqueeze", [scores[0], self.ints(0, 1)], (1, 1, x.shape[0]), x.most * 4)
        if not scores:
            return None
        limits = [self.constant(numpy.array([number], kind)) for number, kind in ((8, numpy.int64), (0.5, numpy.float32), (0, numpy.float32))]
        kept = self.add("NonMaxSuppression", [boxes[0], scores[0], *limits], (8, 3), 64, rounds=False)
        kept = kept and self.add("ReduceSum", [kept[0], self.ints(0)], (3,), 2**12, keepdims=0)
        return kept and self.add("Cast", [kept[0]], (3,), 2**12, to=FLOAT)

    def draw_strided(self, x):
        """A convolution in steps along a fixed axis, grouped or not."""
        if len(x.shape) != 3 or x.shape[2].is_open() or x.shape[1].is_open() or x.shape[2].at({}) < 3:
            return None
        channels, length = x.shape[1].at({}), x.shape[2].at({})
        group = channels if self.rng.random() < 0.5 else 1
        stride = self.rng.choice([2, 3])
        weight = self.whole((channels, channels // group, 3), 2)
        return self.add("Conv", [x, weight], (x.shape[0], channels, (length + 2 - 3) // stride + 1), x.most * 6 * channels,
                        kernel_shape=[3], strides=[stride], pads=[1, 1], group=group)

    def draw_dilated(self, x):
        """A convolution along an open axis whose window has gaps."""
        if len(x.shape) != 3 or x.shape[1].is_open():
            return None
        channels = x.shape[1].at({})
        return self.add("Conv", [x, self.whole((2, channels, 3), 2)], (x.shape[0], 2, x.shape[2]), x.most * 6 * channels, kernel_shape=[3],
                        dilations=[2], pads=[2, 2])

    def draw_transposed(self, x):
        if len(x.shape) != 3 or x.shape[1].is_open():
            return None
        channels = x.shape[1].at({})
        return self.add("ConvTranspose", [x, self.whole((channels, 2, 2), 2)], (x.shape[0], 2, x.shape[2] * 2), x.most * 4 * channels,
                        kernel_shape=[2], strides=[2])

    def draw_average(self, x):
        if len(x.shape) != 3 or x.most * 3 > 2**20:
            return None
        return self.add("AveragePool", [x], x.shape, x.most, rounds=True, kernel_shape=[3], pads=[1, 1], count_include_pad=self.rng.randint(0, 1))

    def draw_norm(self, x):
        if len(x.shape) < 2 or x.most > 100:
            return None
        if self.rng.random() < 0.5 and not x.shape[-1].is_open():
            width = x.shape[-1].at({})
            return self.add("LayerNormalization", [x, self.whole((width,)), self.whole((width,))], x.shape, 20, rounds=True, axis=-1) if width > 2 else None
        return self.add("LpNormalization", [x], x.shape, 1, rounds=True, axis=self.rng.randrange(len(x.shape)), p=1) if not x.rounds else None

    def draw_gather_elements(self, x):
        """By an order that is data."""
        axis = self.axis(x, lambda size: self.least(size) >= 2)
        if axis is None or x.rounds:
            return None
        shape = list(x.shape)
        shape[axis] = 2
        best = self.add("TopK", [x, self.ints(2)], shape, x.most, outputs=2, axis=axis)
        return best and self.add("GatherElements", [x, best[0].name + "_1"], shape, x.most, axis=axis)

    def draw_gather_nd(self, x):
        if len(x.shape) < 2:
            return None
        places = [[self.rng.randrange(max(1, self.least(size))) for size in x.shape[:2]] for _ in range(3)]
        if any(self.least(size) < 1 for size in x.shape[:2]):
            return None
        return self.add("GatherND", [x, self.constant(numpy.array(places, numpy.int64))], (3, *x.shape[2:]), x.most)

    def draw_scatter_nd(self, x):
        """Rows that are added to, one of them twice."""
        if len(x.shape) != 2 or x.shape[1].is_open() or self.least(x.shape[0]) < 2:
            return None
        places = self.constant(numpy.array([[0], [1], [0]], numpy.int64))
        return self.add("ScatterND", [x, places, self.whole((3, x.shape[1].at({})))], x.shape, x.most + 6, reduction="add")

    def draw_einsum(self, x):
        """A product over the axis that two values share."""
        if len(x.shape) != 2:
            return None
        others = [value for value in self.values if len(value.shape) == 2 and value.shape[0] == x.shape[0]]
        y = self.rng.choice(others)
        most = x.most * y.most * self.elements((x.shape[0],))
        return self.add("Einsum", [x, y], (x.shape[1], y.shape[1]), most, equation="ab,ac->bc") if most < 2**22 else None

    def draw_quantised(self, x):
        if x.most > 100 or x.rounds:
            return None
        scale, zero = self.constant(numpy.float32(0.5)), self.constant(numpy.int8(1))
        number = self.add("QuantizeLinear", [x, scale, zero], x.shape, x.most)
        return number and self.add("DequantizeLinear", [number[0], scale, zero], x.shape, x.most)

    def draw_reversed(self, x):
        """Columns turned round up to lengths of their own."""
        if len(x.shape) != 2 or x.shape[1].is_open() or self.least(x.shape[0]) < 2:
            return None
        lengths = self.ints(*[self.rng.randint(1, self.least(x.shape[0])) for _ in range(x.shape[1].at({}))])
        return self.add("ReverseSequence", [x, lengths], x.shape, x.most, time_axis=0, batch_axis=1)

    def draw_loop(self, x):
        """A running value over as many steps as an axis has, with the rows that it leaves."""
        if len(x.shape) != 2 or x.shape[1].is_open() or not x.shape[0].is_open() or x.rounds:
            return None
        width = x.shape[1].at({})
        info, self.count = helper.make_tensor_value_info, self.count + 1
        name = f"v{self.count}"
        nodes = [helper.make_node("Gather", [x.name, name + "k"], [name + "r"], axis=0), helper.make_node("Max", [name + "s", name + "r"], [name + "m"]),
                 helper.make_node("Sub", [name + "m", name + "r"], [name + "o"]), helper.make_node("Identity", [name + "c"], [name + "d"])]
        body = helper.make_graph(nodes, "body", [info(name + "k", INT, []), info(name + "c", onnx.TensorProto.BOOL, []), info(name + "s", FLOAT, [width])],
                                 [info(name + "d", onnx.TensorProto.BOOL, []), info(name + "m", FLOAT, [width]), info(name + "o", FLOAT, [width])])
        self.nodes.append(helper.make_node("Shape", [x.name], [name + "n"], start=0, end=1))
        self.nodes.append(helper.make_node("Squeeze", [name + "n"], [name + "t"]))
        self.nodes.append(helper.make_node("Loop", [name + "t", "", self.constant(numpy.zeros(width, numpy.float32))], [name + "a", name + "b"], body=body))
        self.read.add(x.name)
        value = type(x)
        return [value(name + "a", (type(x.shape[0]).of(width),), x.most), value(name + "b", x.shape, 2 * x.most + 3)]
