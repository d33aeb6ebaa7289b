"""Draws of the operators of sets 19 to 28, whose second peer is the reference evaluator, and of fused ones of com.microsoft."""
import numpy

NAMES = """BitCast CausalConvWithState CumProd DeformConv LinearAttention Attention RMSNormalization RotaryEmbedding Swish SwiGLU
    TensorScatter""".split()
NAMES_OF_MICROSOFT = "FusedConv FusedGemm QAttention QLinearAveragePool QLinearConcat QLinearSoftmax QLinearWhere".split()

WIDTHS = [["float32", "int32", "uint32"], ["float64", "int64", "uint64"], ["float16", "int16", "uint16"], ["int8", "uint8", "bool"]]
NUMBERS = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
           "uint32": 12, "uint64": 13}


class Newer:
    """What `onnxfamilies.Families` inherits."""

    def draw_BitCast(self, case):
        # A NaN's bits may change on the way, and only 0 and 1 are truth values.
        kind, to = self.random.sample(self.random.choice(WIDTHS), 2)
        array = self.numpy.integers(0, 2, self.shape()).astype(kind) if "bool" in (kind, to) else self.numpy.integers(0, 99, self.shape()).astype(kind)
        case.inputs, case.opset, case.attributes = [array], 26, {"to": NUMBERS[to]}

    def draw_CumProd(self, case):
        size = self.shape(1, 3)
        axis = self.axis(len(size))
        if self.chance(0.3):
            size[axis] = self.random.choice([33, 64, 65, 100])
        kind = self.random.choice(["float32", "float64", "int32", "int64"])
        values = self.random.choice([[1, -1, 2], [1, 0.5, -2]]) if kind.startswith("float") else [1, -1, 2, 3]
        case.inputs = [self.numpy.choice(values, size).astype(kind), numpy.array(axis, "int64")]
        case.opset, case.constants = 26, {1}
        case.attributes = {"exclusive": self.random.randint(0, 1), "reverse": self.random.randint(0, 1)}

    def draw_TensorScatter(self, case):
        shape = [self.size(1, 3) for _ in range(self.size(2, 4))]
        axis = self.random.randrange(1, len(shape))
        shape[axis] = self.size(2, 9)
        part = list(shape)
        part[axis] = self.size(1, shape[axis])
        mode = self.random.choice(["linear", "circular"])
        most = shape[axis] - part[axis] if mode == "linear" else shape[axis] - 1
        case.inputs = [self.array(shape, "float32"), self.array(part, "float32")]
        if self.chance(0.8):
            case.inputs.append(self.numpy.integers(0, most + 1, shape[:1]))
        case.opset, case.attributes = 24, {"mode": mode, "axis": axis - len(shape) if self.chance(0.5) else axis}

    def draw_CausalConvWithState(self, case):
        batch, channels, length, reach = self.size(1, 3), self.size(), self.size(1, 9), self.size(1, 5)
        case.inputs = [self.f32(batch, channels, length), self.f32(channels, 1, reach), self.f32(channels) if self.chance(0.5) else None]
        case.inputs.append(self.f32(batch, channels, reach - 1) if reach > 1 and self.chance(0.6) else None)
        case.opset, case.outputs = 27, 2
        case.attributes = {"activation": self.random.choice(["none", "silu", "swish"])}

    def draw_LinearAttention(self, case):
        batch, tokens, heads, keys, values = self.size(1, 2), self.size(1, 5), self.size(1, 3), self.size(), self.size()
        readers, rule = heads * self.size(1, 3), self.random.choice(["linear", "gated", "delta", "gated_delta"])
        case.inputs = [self.f32(batch, tokens, readers * keys), self.f32(batch, tokens, heads * keys, scale=0.3),
                       self.f32(batch, tokens, heads * values), self.f32(batch, heads, keys, values) if self.chance(0.5) else None]
        case.inputs.append(-abs(self.f32(batch, tokens, self.random.choice([heads, heads * keys]))) if rule.startswith("gated") else None)
        case.inputs.append(abs(self.f32(batch, tokens, self.random.choice([heads, 1]))) if rule.endswith("delta") else None)
        case.opset, case.outputs = 27, 2
        case.attributes = {"update_rule": rule, "q_num_heads": readers, "kv_num_heads": heads}
        if self.chance(0.3):
            case.attributes["scale"] = 0.7

    def draw_DeformConv(self, case):
        groups, sets, kernel = self.size(1, 2), self.size(1, 2), [self.size(1, 3), self.size(1, 3)]
        channels, outputs, image = 2 * groups * sets, groups * self.size(1, 2), [self.size(4, 8), self.size(4, 8)]
        strides, dilations = [self.size(1, 2), self.size(1, 2)], [1, self.size(1, 2)]
        pads = [self.random.randint(0, 1) for _ in range(4)]
        result = [(image[k] + pads[k] + pads[k + 2] - (kernel[k] - 1) * dilations[k] - 1) // strides[k] + 1 for k in range(2)]
        taps = sets * kernel[0] * kernel[1]
        case.inputs = [self.f32(2, channels, *image), self.f32(outputs, channels // groups, *kernel),
                       self.f32(2, 2 * taps, *result, scale=self.random.choice([0.3, 2.0])), self.f32(outputs) if self.chance(0.5) else None,
                       abs(self.f32(2, taps, *result)) if self.chance(0.5) else None]
        case.opset = 19
        case.attributes = {"group": groups, "offset_group": sets, "pads": pads, "strides": strides, "dilations": dilations}

    def draw_Attention(self, case):
        batch, heads, rows, keys, size = self.size(1, 2), self.size(1, 2), self.size(1, 5), self.size(1, 6), self.size(2, 5)
        past = self.size(1, 4) if self.chance(0.3) else 0
        case.inputs = [self.f32(batch, heads * self.size(1, 2), rows, size), self.f32(batch, heads, keys, size), self.f32(batch, heads, keys, self.size(1, 5))]
        case.opset, case.attributes = self.random.choice([23, 24, 25]), {"is_causal": self.random.randint(0, 1)}
        mask = self.random.choice([None, self.f32(rows, keys + past), numpy.ones([rows, keys + past], bool)])
        if mask is not None and mask.dtype == bool:
            mask &= self.numpy.random(mask.shape) < 0.8
        case.inputs.append(mask)
        if past:
            case.inputs += [self.f32(batch, heads, past, size), self.f32(batch, heads, past, case.inputs[2].shape[3])]
            case.outputs = 3
        if self.chance(0.3):
            case.attributes["softcap"] = 2.0
        if case.opset == 25 and self.chance(0.6):
            case.attributes |= {"left_window_size": self.random.randint(-1, 3), "right_window_size": self.random.randint(-1, 3)}

    def draw_RMSNormalization(self, case):
        shape = [self.size(), self.size(), self.size(2, 8)]
        case.inputs, case.opset, case.attributes = [self.f32(*shape), self.f32(shape[2])], 23, {"axis": self.random.choice([-1, 2])}

    def draw_RotaryEmbedding(self, case):
        pairs, rows, most = self.size(1, 4), self.size(), 9
        case.inputs = [self.f32(2, 3, rows, 2 * pairs), self.f32(most, pairs), self.f32(most, pairs), self.numpy.integers(0, most, [2, rows])]
        case.opset, case.attributes = 23, {"interleaved": self.random.randint(0, 1)}

    def draw_Swish(self, case):
        case.inputs, case.opset, case.attributes = [self.f32(*self.shape(1, 3))], 24, {"alpha": self.random.choice([1.0, 1.5, -0.5])}

    def draw_SwiGLU(self, case):
        shape = self.shape(1, 3)
        case.inputs, case.opset, case.attributes = [self.f32(*shape), self.f32(*shape)], 28, {"alpha": self.random.choice([1.0, 1.5])}

    # com.microsoft's.

    def draw_FusedConv(self, case):
        case.inputs = [self.f32(1, 2, 5, self.size(3, 6)), self.f32(3, 2, 3, 2), self.f32(3)]
        case.attributes = {"activation": self.random.choice(["Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid"])}
        given = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.7], "HardSigmoid": [0.3, 0.4]}.get(case.attributes["activation"])
        if given:
            case.attributes["activation_params"] = given

    def draw_FusedGemm(self, case):
        n, k, m, swap = self.size(), self.size(), self.size(), self.random.randint(0, 1)
        case.inputs = [self.f32(n, k), self.f32(*([m, k] if swap else [k, m])), self.f32(m)]
        case.attributes = {"activation": self.random.choice(["Relu", "Tanh", "Sigmoid", "LeakyRelu"]), "transB": swap, "alpha": 0.5}
        if case.attributes["activation"] == "LeakyRelu":
            case.attributes["activation_alpha"] = 0.3

    def draw_QAttention(self, case):
        rows, width = self.size(), self.size()
        case.inputs = [self.small(2, rows, width), self.small(width, 24, kind="int8"), self.f32(24), self.number(0.02, "float32"),
                       self.number(0.03, "float32"), None, self.small(), self.number(0, "int8")]
        case.attributes, case.constants = {"num_heads": 2, "unidirectional": self.random.randint(0, 1)}, {1}

    def draw_QLinearAveragePool(self, case):
        last = self.random.randint(0, 1)
        image = [self.size(4, 7), self.size(4, 7)]
        case.inputs = [self.small(*([1, *image, 2] if last else [1, 2, *image]))] + self.scale_and_zero("uint8") + self.scale_and_zero("uint8")
        case.attributes = {"kernel_shape": [2, 3], "pads": [self.random.randint(0, 1) for _ in range(4)], "strides": [1, self.size(1, 2)],
                           "channels_last": last, "count_include_pad": self.random.randint(0, 1)}

    def draw_QLinearConcat(self, case):
        parts = [[self.small(2, self.size())] + self.scale_and_zero("uint8") for _ in range(self.size(1, 4))]
        case.inputs = self.scale_and_zero("uint8") + [value for part in parts for value in part]
        case.attributes = {"axis": 1}

    def draw_QLinearSoftmax(self, case):
        shape = self.shape(2, 3)
        case.inputs = [self.small(*[max(size, 1) for size in shape])] + self.scale_and_zero("uint8")
        case.inputs += [self.number(1 / 256, "float32"), self.number(0, "uint8")]
        case.attributes = {"axis": self.random.randrange(-len(shape), len(shape)), "opset": self.random.choice([11, 13])}

    def draw_QLinearWhere(self, case):
        shape = [self.size(), self.size()]
        case.inputs = [self.numpy.integers(0, 2, shape).astype(bool), self.small(*shape)] + self.scale_and_zero("uint8")
        case.inputs += [self.small(shape[1])] + self.scale_and_zero("uint8") + self.scale_and_zero("uint8")
        case.constants = {2, 3, 5, 6, 7, 8}
