"""Draws of the operators that come in families: recurrent, quantised, signals, boxes, losses, and other domains."""
import numpy

from . import onnxnewer

MICROSOFT = "com.microsoft"

# Operators that have a draw of their own in `Families`.
NAMES = """CastLike ConstantOfShape ConvInteger DFT Det Dropout DynamicQuantizeLinear GRU Gelu GlobalLpPool GroupNormalization
    HammingWindow HannWindow BlackmanWindow LSTM RNN MatMulInteger MaxRoiPool MaxUnpool MeanVarianceNormalization MelWeightMatrix
    NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss NonMaxSuppression QLinearConv QLinearMatMul RoiAlign STFT Scatter Shape
    Size Upsample""".split() + onnxnewer.NAMES
NAMES_OF_MICROSOFT = """FusedMatMul BiasGelu FastGelu QuickGelu SkipLayerNormalization SkipSimplifiedLayerNormalization
    QLinearAdd QLinearMul QLinearSigmoid QLinearLeakyRelu QLinearGlobalAveragePool DynamicQuantizeMatMul MatMulIntegerToFloat
    MultiHeadAttention""".split() + onnxnewer.NAMES_OF_MICROSOFT


class Families(onnxnewer.Newer):
    """What `onnxdraw.Draw` inherits: one function for each operator, which fills the case."""

    def f32(self, *shape, scale=1.0):
        return (self.numpy.standard_normal(shape) * scale).astype("float32")

    def small(self, *shape, kind="uint8"):
        # Where a machine has no VNNI the peer adds pairs of products of bytes in 16 bits, saturated: 2 * 255 * 64 fits.
        low, high = (-64, 64) if kind == "int8" else (0, 100)
        return self.numpy.integers(low, high, shape).astype(kind)

    def size(self, low=1, high=6):
        return self.random.randint(low, high)

    def number(self, value, kind):
        return numpy.array(value, kind)

    def scale_and_zero(self, kind):
        return [self.number(self.random.choice([0.02, 0.1, 0.25, 1.0]), "float32"),
                self.number(self.random.choice([0, 3, 100] if kind == "uint8" else [0, -7, 20]), kind)]

    # Recurrent networks.

    def draw_recurrent(self, case, gates, states):
        steps, batch, width, hidden = self.size(1, 5), self.size(1, 3), self.size(), self.size()
        direction = self.random.choice(["forward", "reverse", "bidirectional"])
        directions = 2 if direction == "bidirectional" else 1
        case.attributes = {"hidden_size": hidden, "direction": direction}
        case.inputs = [self.f32(steps, batch, width), self.f32(directions, gates * hidden, width, scale=0.5),
                       self.f32(directions, gates * hidden, hidden, scale=0.5)]
        case.inputs.append(self.f32(directions, 2 * gates * hidden) if self.chance(0.7) else None)
        case.inputs.append(self.numpy.integers(1, steps + 1, [batch]).astype("int32") if self.chance(0.4) else None)
        for _ in range(states):
            case.inputs.append(self.f32(directions, batch, hidden) if self.chance(0.5) else None)
        if case.op == "LSTM":
            case.inputs.append(self.f32(directions, 3 * hidden) if self.chance(0.3) else None)
        if case.op == "GRU":
            case.attributes["linear_before_reset"] = self.random.randint(0, 1)
        if self.chance(0.2):
            case.attributes["clip"] = 0.5
        if self.chance(0.3):
            # The peer's Softplus overflows above 88.
            functions = [self.random.choice(["Tanh", "Relu", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid",
                                             "Elu", "Softsign"]) for _ in range(directions * {4: 3, 3: 2, 1: 1}[gates])]
            case.attributes["activations"] = functions
            # Without parameters of their own some of them are what each peer likes.
            alphas = [name for name in functions if name in ("Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu")]
            betas = [name for name in functions if name in ("Affine", "ScaledTanh", "HardSigmoid")]
            if alphas:
                case.attributes["activation_alpha"] = [self.random.choice([0.25, 0.5, 1.5]) for _ in alphas]
            if betas:
                case.attributes["activation_beta"] = [self.random.choice([0.25, 0.5]) for _ in betas]
        while case.inputs[-1] is None:
            case.inputs.pop()
        case.outputs = states + 1
        case.opset = self.random.choice([7, 13, 14])

    def draw_LSTM(self, case):
        self.draw_recurrent(case, 4, 2)

    def draw_GRU(self, case):
        self.draw_recurrent(case, 3, 1)

    def draw_RNN(self, case):
        self.draw_recurrent(case, 1, 1)

    # Quantised arithmetic.

    def draw_DynamicQuantizeLinear(self, case):
        case.inputs, case.outputs = [self.f32(*self.shape(1, 3), scale=self.random.choice([1, 20]))], 3

    def draw_MatMulInteger(self, case):
        n, k, m = self.size(), self.size(1, 20), self.size()
        kinds = self.random.choice([("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8")])
        case.inputs = [self.small(n, k, kind=kinds[0]), self.small(k, m, kind=kinds[1])]
        if self.chance(0.6):
            case.inputs += [self.small(kind=kinds[0]), self.small(kind=kinds[1])]

    def draw_windows(self, kinds):
        channels, group = self.random.choice([(2, 1), (4, 2), (3, 1), (4, 4)])
        kernel, out = [self.size(1, 3), self.size(1, 3)], group * self.size(1, 2)
        attributes = {"group": group, "strides": [self.size(1, 2), self.size(1, 2)], "pads": [self.random.randint(0, k - 1) for k in kernel * 2]}
        return self.small(self.size(1, 2), channels, self.size(3, 7), self.size(3, 7), kind=kinds[0]), \
            self.small(out, channels // group, *kernel, kind=kinds[1]), attributes

    def draw_ConvInteger(self, case):
        x, w, case.attributes = self.draw_windows(("uint8", "uint8"))
        case.inputs = [x, w] + ([self.small(kind="uint8")] if self.chance(0.5) else [])

    def draw_QLinearConv(self, case):
        kinds = self.random.choice([("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8")])
        x, w, case.attributes = self.draw_windows(kinds)
        case.inputs = [x] + self.scale_and_zero(kinds[0]) + [w] + self.scale_and_zero(kinds[1]) + self.scale_and_zero(kinds[0])
        if self.chance(0.5):
            case.inputs.append(self.numpy.integers(-500, 500, [w.shape[0]]).astype("int32"))
        case.constants = set(range(1, len(case.inputs)))

    def draw_QLinearMatMul(self, case):
        kinds = self.random.choice([("uint8", "uint8"), ("uint8", "int8"), ("int8", "int8")])
        n, k, m = self.size(), self.size(), self.size()
        case.inputs = [self.small(n, k, kind=kinds[0])] + self.scale_and_zero(kinds[0]) + \
            [self.small(k, m, kind=kinds[1])] + self.scale_and_zero(kinds[1]) + self.scale_and_zero(kinds[0])
        case.opset = 17

    # Signals.

    def draw_window(self, case):
        case.inputs, case.constants = [self.number(self.size(2, 12), "int64")], {0}
        case.attributes, case.opset = {"periodic": self.random.randint(0, 1)}, 17

    draw_HannWindow = draw_HammingWindow = draw_BlackmanWindow = draw_window

    def draw_DFT(self, case):
        case.opset = 17
        case.inputs = [self.f32(self.size(1, 3), self.size(1, 9), self.random.choice([1, 2]))]
        case.attributes = {"inverse": self.random.randint(0, 1), "axis": 1}
        if case.inputs[0].shape[2] == 1 and not case.attributes["inverse"]:
            case.attributes["onesided"] = self.random.randint(0, 1)

    def draw_STFT(self, case):
        length = self.random.choice([4, 8])
        case.opset = 17
        case.inputs = [self.f32(1, 24, 1), self.number(self.random.choice([2, 3, 4]), "int64"), self.f32(length), self.number(length, "int64")]
        case.constants, case.attributes = {1, 3}, {"onesided": 1}

    def draw_MelWeightMatrix(self, case):
        case.opset = 17
        case.inputs = [self.number(value, "int64") for value in (self.size(2, 8), self.random.choice([16, 32]), 8000)] + \
            [self.number(value, "float32") for value in (0, 4000)]
        case.constants = set(range(5))

    # Boxes and pools.

    def boxes(self, count):
        low = self.numpy.random((count, 2)) * 3
        return numpy.concatenate([low, low + 0.5 + self.numpy.random((count, 2)) * 3], 1).astype("float32")

    def draw_RoiAlign(self, case):
        count, batch = self.size(1, 3), self.size(1, 2)
        case.inputs = [self.f32(batch, 2, 7, 6), self.boxes(count), self.numpy.integers(0, batch, [count])]
        case.opset = 16
        case.attributes = {"output_height": self.size(1, 3), "output_width": self.size(1, 3), "sampling_ratio": self.random.choice([0, 1, 2]),
                           "mode": self.random.choice(["avg", "max"]),
                           "coordinate_transformation_mode": self.random.choice(["half_pixel", "output_half_pixel"])}

    def draw_MaxRoiPool(self, case):
        count = self.size(1, 3)
        case.inputs = [self.f32(1, 2, 7, 6), numpy.concatenate([numpy.zeros((count, 1), "float32"), self.boxes(count)], 1)]
        case.attributes = {"pooled_shape": [self.size(1, 3), self.size(1, 3)]}

    def draw_MaxUnpool(self, case):
        height, width = self.size(1, 3), self.size(1, 3)
        places = self.numpy.permutation(4 * height * width)[: height * width]
        case.inputs = [self.f32(1, 1, height, width), places.reshape(1, 1, height, width).astype("int64")]
        case.attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}

    def draw_NonMaxSuppression(self, case):
        count, classes = self.size(2, 6), self.size(1, 2)
        case.inputs = [self.boxes(count)[None], self.numpy.random((1, classes, count)).astype("float32"), self.number(self.size(1, 3), "int64"),
                       self.number(self.random.choice([0.3, 0.7]), "float32"), self.number(0.2, "float32")]
        case.constants = set(range(5))

    def draw_GlobalLpPool(self, case):
        case.inputs, case.attributes = [self.f32(*[self.size() for _ in range(4)])], {"p": self.size(1, 3)}

    # Normalisations, losses and the rest.

    def draw_MeanVarianceNormalization(self, case):
        case.inputs = [self.f32(*[self.size(2, 4) for _ in range(4)])]
        if self.chance(0.5):
            case.attributes["axes"] = sorted(self.random.sample(range(4), 2))

    def draw_GroupNormalization(self, case):
        case.opset = self.random.choice([18, 21])
        count = 2 if case.opset == 18 else 4
        case.inputs = [self.f32(2, 4, self.size(), self.size()), self.f32(count), self.f32(count)]
        case.attributes = {"num_groups": 2}

    def draw_Gelu(self, case):
        case.opset, case.inputs = 20, [self.f32(*self.shape())]
        case.attributes = {"approximate": self.random.choice(["none", "tanh"])}

    def draw_loss(self, case):
        n, classes, rest = self.size(), self.size(2, 5), self.shape(0, 1)
        case.inputs = [self.f32(n, classes, *rest), self.numpy.integers(0, classes, [n] + rest)]
        if self.chance(0.5):
            case.inputs.append(abs(self.f32(classes)) + numpy.float32(0.1))
        case.attributes = {"reduction": self.random.choice(["none", "sum", "mean"])}
        if self.chance(0.3):
            case.attributes["ignore_index"] = 1

    def draw_NegativeLogLikelihoodLoss(self, case):
        self.draw_loss(case)

    def draw_SoftmaxCrossEntropyLoss(self, case):
        self.draw_loss(case)
        case.outputs = self.random.choice([1, 2])

    def draw_Det(self, case):
        n = self.size(1, 4)
        case.inputs = [self.f32(*self.shape(0, 1), n, n)]

    def draw_Dropout(self, case):
        case.inputs, case.opset = [self.array(self.shape(), self.random.choice(["float32", "float64"]))], self.random.choice([7, 10, 13])
        case.outputs = self.random.choice([1, 2]) if case.opset > 7 else 1

    def draw_Shape(self, case):
        case.inputs = [self.array(self.shape(), self.kind(0.5))]
        if self.chance(0.5):
            case.opset = max(case.opset, 15)
            case.attributes = {"start": self.random.randint(-3, 3), "end": self.random.randint(-3, 3)}

    def draw_Size(self, case):
        case.inputs = [self.array(self.shape(), self.kind(0.5))]

    def draw_CastLike(self, case):
        case.opset = max(case.opset, 15)
        case.inputs = [self.array(self.shape(), self.random.choice(["float32", "int32", "bool"])).clip(0, 100), self.array([1], self.kind(0.5))]
        case.inputs[0] = numpy.nan_to_num(case.inputs[0])

    def draw_ConstantOfShape(self, case):
        case.inputs, case.constants = [numpy.array(self.shape(), "int64")], {0}

    def draw_Scatter(self, case):
        self.draw_ScatterElements(case)
        case.attributes.pop("reduction", None)
        places = numpy.argsort(self.numpy.random(case.inputs[1].shape), axis=case.attributes["axis"])
        case.inputs[1], case.opset = places.astype("int64"), 9

    def draw_Upsample(self, case):
        case.opset, case.constants = 9, {1}
        case.inputs = [self.f32(1, 2, self.size(), self.size()), numpy.array([1, 1] + [self.random.choice([1.0, 2.0, 3.0]) for _ in range(2)], "float32")]
        case.attributes = {"mode": self.random.choice(["nearest", "linear"])}

    # com.microsoft's.

    def draw_FusedMatMul(self, case):
        n, k, m, a, b = self.size(), self.size(), self.size(), self.random.randint(0, 1), self.random.randint(0, 1)
        case.inputs = [self.f32(2, *([k, n] if a else [n, k])), self.f32(2, *([m, k] if b else [k, m]))]
        case.attributes = {"transA": a, "transB": b, "alpha": self.random.choice([1.0, 0.5])}

    def draw_BiasGelu(self, case):
        width = self.size()
        case.inputs = [self.f32(self.size(), width), self.f32(width)]

    def draw_FastGelu(self, case):
        self.draw_BiasGelu(case)

    def draw_QuickGelu(self, case):
        case.inputs, case.attributes = [self.f32(*self.shape(1, 3))], {"alpha": self.random.choice([1.0, 1.7])}

    def draw_SkipLayerNormalization(self, case):
        shape = [2, self.size(), 8]
        case.inputs = [self.f32(*shape), self.f32(*shape), self.f32(8)]
        if case.op == "SkipLayerNormalization":
            case.inputs.append(self.f32(8))
        if self.chance(0.5):
            case.inputs.append(self.f32(8))
        case.attributes = {"epsilon": 1e-5}

    draw_SkipSimplifiedLayerNormalization = draw_SkipLayerNormalization

    def draw_QLinearAdd(self, case):
        kind, shape = self.random.choice(["uint8", "int8"]), [self.size(), self.size()]
        case.inputs = [self.small(*shape, kind=kind)] + self.scale_and_zero(kind) + [self.small(*shape[1:], kind=kind)] + \
            self.scale_and_zero(kind) + self.scale_and_zero(kind)

    draw_QLinearMul = draw_QLinearAdd

    def draw_QLinearSigmoid(self, case):
        kind = self.random.choice(["uint8", "int8"])
        case.inputs = [self.small(self.size(), self.size(), kind=kind)] + self.scale_and_zero(kind) + self.scale_and_zero(kind)
        case.constants = {1, 2, 3, 4}
        if case.op == "QLinearLeakyRelu":
            case.attributes = {"alpha": 0.25}

    draw_QLinearLeakyRelu = draw_QLinearSigmoid

    def draw_QLinearGlobalAveragePool(self, case):
        kind = self.random.choice(["uint8", "int8"])
        case.inputs = [self.small(1, 3, self.size(), self.size(), kind=kind)] + self.scale_and_zero(kind) + self.scale_and_zero(kind)

    def draw_DynamicQuantizeMatMul(self, case):
        k, m = self.size(), self.size()
        case.inputs = [self.f32(self.size(), k), self.small(k, m, kind="int8"), self.number(0.1, "float32"), self.small(kind="int8")]
        if self.chance(0.5):
            case.inputs.append(self.f32(m))
        case.constants = {1, 2, 3}

    def draw_MatMulIntegerToFloat(self, case):
        k, m = self.size(), self.size()
        case.inputs = [self.small(self.size(), k), self.small(k, m, kind="int8"), self.number(0.1, "float32"), self.number(0.2, "float32"),
                       self.small(), self.small(kind="int8")]

    def draw_MultiHeadAttention(self, case):
        heads, width, queries, keys = self.random.choice([1, 2]), 8, self.size(), self.size()
        case.inputs = [self.f32(2, queries, width), self.f32(2, keys, width), self.f32(2, keys, width)]
        case.attributes = {"num_heads": heads}
