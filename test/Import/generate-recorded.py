#!/usr/bin/env python3
"""Writes nodes of com.microsoft, and of newer sets, with what onnxruntime computes, or the standard's reference evaluator
where onnxruntime lacks an operator: Inputs/recorded.json.

    python test/Import/generate-recorded.py > test/Import/Inputs/recorded.json

Needs onnx, onnxruntime and numpy; the tests read the file without them.
"""
import base64
import json

import numpy
import onnx
import onnx.reference
import onnxruntime

RANDOM = numpy.random.default_rng(1)
MICROSOFT = "com.microsoft"
NAMES = {"float32": "F32", "int32": "I32", "int64": "I64", "uint8": "U8", "int8": "I8", "bool": "BOOL", "float16": "F16"}


def f32(*shape):
    return RANDOM.standard_normal(shape).astype("float32")


def ints(kind, low, high, *shape):
    return RANDOM.integers(low, high, shape).astype(kind)


def i32(*numbers):
    return numpy.array(numbers, "int32")


def positive(*shape):
    return abs(f32(*shape)) / 50 + numpy.float32(0.01)


def angles(rows, pairs):
    table = numpy.arange(rows)[:, None] / 10.0 ** numpy.arange(pairs)
    return numpy.cos(table).astype("float32"), numpy.sin(table).astype("float32")


def four(kind, *shape):
    """A constant of 4 bits."""
    low = -8 if kind == "INT4" else 0
    return onnx.helper.make_tensor("four", getattr(onnx.TensorProto, kind), shape, ints("int64", low, low + 16, *shape).flatten())


def grouped(past, lengths, total, rows=1, size=16, packed=False, rotary=False, **attributes):
    """Inputs and attributes of GroupQueryAttention with 4 heads of queries and 2 of keys."""
    new = [f32(2, rows, 8 * size), None, None] if packed else [f32(2, rows, 4 * size), f32(2, rows, 2 * size), f32(2, rows, 2 * size)]
    old = [f32(2, 2, past, size), f32(2, 2, past, size)]
    tables = list(angles(16, size // 2)) if rotary else []
    attributes |= {"num_heads": 4, "kv_num_heads": 2} | ({"do_rotary": 1} if rotary else {})
    return new + old + [i32(*lengths), numpy.array(total, "int32")] + tables, attributes


def cases():
    """Operator, inputs (None for one that is left out), attributes, outputs (None for one that is not asked for), set, and
    the outputs that are compared: onnxruntime leaves some rows open."""
    yield "FusedMatMul", [f32(2, 3, 4), f32(2, 5, 4)], {"transB": 1, "alpha": 0.5}
    yield "FusedMatMul", [f32(4, 2, 3), f32(2, 3, 5)], {"transBatchA": 1}
    yield "BiasGelu", [f32(2, 5), f32(5)], {}
    yield "FastGelu", [f32(2, 5), f32(5)], {}
    yield "FastGelu", [f32(7)], {}
    yield "QuickGelu", [f32(2, 5)], {"alpha": 1.5}
    for skip in ((2, 3, 8), (3, 8)):
        yield "SkipLayerNormalization", [f32(2, 3, 8), f32(*skip), f32(8), f32(8), f32(8)], {"epsilon": 1e-5}, [0, 3]
    yield "SkipSimplifiedLayerNormalization", [f32(2, 3, 8), f32(2, 3, 8), f32(8)], {"epsilon": 1e-5}, [0, 3]
    yield "EmbedLayerNormalization", [ints("int32", 0, 9, 2, 4), ints("int32", 0, 2, 2, 4), f32(9, 8), f32(6, 8), f32(2, 8), f32(8),
                                      f32(8), i32(1, 1, 1, 0, 1, 1, 0, 0).reshape(2, 4)], {"epsilon": 1e-5}, [0, 1]
    for bits in (2, 4, 8):
        weight = [ints("uint8", 0, 256, 5, 3, 16 * bits // 8), positive(5, 3)]
        yield "MatMulNBits", [f32(2, 40), *weight], {"K": 40, "N": 5, "bits": bits, "block_size": 16}
    yield "MatMulNBits", [f32(2, 40), ints("uint8", 0, 256, 5, 3, 8), positive(5, 3), ints("uint8", 0, 256, 5, 2)], {
        "K": 40, "N": 5, "bits": 4, "block_size": 16}
    cosine, sine = angles(8, 4)
    for interleaved in (0, 1):
        yield "RotaryEmbedding", [f32(2, 3, 16), ints("int64", 0, 8, 2, 3), cosine, sine], {"interleaved": interleaved}
    yield "RotaryEmbedding", [f32(2, 2, 3, 8), numpy.array([2], "int64"), cosine, sine], {}
    yield "RotaryEmbedding", [f32(1, 3, 24), ints("int64", 0, 8, 1, 3), cosine, sine], {"num_heads": 2, "rotary_embedding_dim": 8}
    rows, keys = [f32(2, 3, 8)], [f32(2, 5, 8), f32(2, 5, 8)]
    yield "MultiHeadAttention", rows + keys, {"num_heads": 2}
    yield "MultiHeadAttention", rows + keys + [f32(24), i32(5, 2)], {"num_heads": 2}
    yield "MultiHeadAttention", rows + keys + [None, ints("int32", 0, 2, 2, 5), f32(1, 2, 3, 5)], {"num_heads": 2, "scale": 0.3}
    past = [None, None, None, f32(2, 2, 2, 4), f32(2, 2, 2, 4)]
    yield "MultiHeadAttention", rows + [f32(2, 3, 8), f32(2, 3, 8), *past], {"num_heads": 2, "unidirectional": 1}, [0, 1, 2]
    product = [f32(2, 3, 6), f32(6, 24), f32(24)]
    yield "Attention", product, {"num_heads": 2}
    yield "Attention", product + [i32(3, 2)], {"num_heads": 2, "unidirectional": 1}
    yield "Attention", product + [i32(3, 2, 1, 0)], {"num_heads": 2}
    yield "Attention", product + [ints("int32", 0, 2, 2, 3, 3)], {"num_heads": 2}
    yield "Attention", product + [None, f32(2, 2, 2, 2, 4)], {"num_heads": 2, "unidirectional": 1}, [0, 1]
    yield "Attention", [f32(2, 3, 6), f32(6, 20), f32(20)], {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 4]}
    yield "GroupQueryAttention", *grouped(0, (3, 3), 4, rows=4, rotary=True), [0, 1, 2]
    yield "GroupQueryAttention", *grouped(5, (5, 5), 6, rotary=True), [0, 1, 2]
    yield "GroupQueryAttention", *grouped(8, (5, 3), 6, packed=True, rotary=True), [0, 1, 2], None, [0]
    yield "GroupQueryAttention", *grouped(5, (5, 3), 6, rotary=True), [0, 1, 2], None, [0]
    yield "GroupQueryAttention", *grouped(6, (6, 6), 7, local_window_size=3, softcap=2.0), [0, 1, 2]
    scale, other, wide = (numpy.array(x, "float32") for x in (0.03, 0.05, 0.11))
    byte, small = (lambda *shape: ints("uint8", 0, 256, *shape)), numpy.array(7, "uint8")
    zero = numpy.array(-3, "int8")
    for op in ("QLinearAdd", "QLinearMul"):
        yield op, [byte(3, 4), scale, small, byte(4), other, numpy.array(99, "uint8"), wide, small], {}
        yield op, [ints("int8", -128, 128, 3, 4), scale, zero, ints("int8", -128, 128, 3, 4), other, zero, wide, zero], {}
    yield "QLinearSigmoid", [byte(20), scale, small, numpy.array(0.004, "float32"), None], {}
    yield "QLinearLeakyRelu", [byte(20), scale, numpy.array(128, "uint8"), other, small], {"alpha": 0.2}
    yield "QLinearConcat", [wide, small, byte(2, 3), scale, small, byte(2, 2), other, numpy.array(99, "uint8")], {"axis": 1}
    yield "QLinearGlobalAveragePool", [byte(2, 3, 4, 5), scale, small, other, small], {}
    left, right = [byte(2, 6), byte(6, 3)], [f32(3)]
    yield "MatMulIntegerToFloat", left + [scale, other, small, small] + right, {}
    yield "MatMulIntegerToFloat", left + [scale, positive(3), small, byte(3)], {}
    yield "DynamicQuantizeMatMul", [f32(2, 6), byte(6, 3), other, small, f32(3)], {}
    yield "DynamicQuantizeMatMul", [f32(2, 6), byte(6, 3), positive(3), byte(3)], {}
    yield "QGemm", [byte(2, 6), scale, small, byte(3, 6), other, small, ints("int32", -99, 99, 3)], {"transB": 1}
    yield "QGemm", [byte(6, 2), scale, small, byte(6, 3), other, small, None, numpy.array(0.44, "float32"), small], {"transA": 1, "alpha": 0.5}
    column = lambda kind, *shape: ints(kind, -100 if kind == "int8" else 0, 120, *shape)
    for kind, directions in (("int8", 1), ("uint8", 2)):
        weights = [column(kind, directions, 3, 16), column(kind, directions, 4, 16)]
        scales = [numpy.full(directions, 0.01, "float32"), column(kind, directions)] * 2
        yield "DynamicQuantizeLSTM", [f32(5, 1, 3), *weights, f32(directions, 32), None, None, None, None, *scales], {
            "hidden_size": 4, "direction": "forward" if directions == 1 else "bidirectional"}, [0, 1, 2]
    yield "AffineGrid", [f32(2, 2, 3), numpy.array([2, 1, 3, 4])], {}, [0], 20
    yield "AffineGrid", [f32(1, 3, 4), numpy.array([1, 1, 2, 3, 4])], {"align_corners": 1}, [0], 20
    yield "CenterCropPad", [f32(5, 4, 3), numpy.array([3, 7, 4])], {}, [0], 18
    yield "CenterCropPad", [f32(4, 6, 3), numpy.array([5, 2])], {"axes": [-3, 1]}, [0], 18
    yield "Col2Im", [f32(2, 12, 6), numpy.array([3, 5]), numpy.array([2, 3])], {}, [0], 18
    yield "Col2Im", [f32(1, 4, 12), numpy.array([5, 6]), numpy.array([2, 2])], {"strides": [2, 1], "dilations": [1, 2], "pads": [1, 0, 0, 0]}, [0], 18
    yield "DequantizeLinear", [ints("int8", -100, 100, 2, 6), positive(2, 2)], {"axis": 1, "block_size": 3}, [0], 21
    yield "DequantizeLinear", [four("INT4", 3, 5), positive(3), four("INT4", 3)], {"axis": 0}, [0], 21
    yield "DequantizeLinear", [four("UINT4", 3, 4), positive(3, 2), four("UINT4", 3, 2)], {"axis": 1, "block_size": 2}, [0], 21
    yield "QuantizeLinear", [f32(2, 5), positive(2, 3), ints("uint8", 0, 9, 2, 3)], {"axis": 1, "block_size": 2}, [0], 21
    yield "Swish", [f32(2, 5)], {"alpha": 1.5}, [0], 24
    yield "RMSNormalization", [f32(2, 3, 8), f32(8)], {}, [0], 23
    yield "SimplifiedLayerNormalization", [f32(2, 3, 8), f32(8)], {}, [0], 17
    yield "RotaryEmbedding", [f32(2, 2, 3, 8), cosine, sine, ints("int64", 0, 8, 2, 3)], {}, [0], 23
    yield "RotaryEmbedding", [f32(1, 3, 16), f32(1, 3, 2), f32(1, 3, 2)], {"num_heads": 2, "rotary_embedding_dim": 4}, [0], 23
    yield "Attention", [f32(2, 4, 3, 8), f32(2, 2, 5, 8), f32(2, 2, 5, 6)], {}, [0], 23
    yield "Attention", rows + keys, {"q_num_heads": 2, "kv_num_heads": 2, "softcap": 2.0}, [0], 23
    yield "Attention", [f32(1, 2, 3, 4), f32(1, 2, 3, 4), f32(1, 2, 3, 4), None, f32(1, 2, 2, 4), f32(1, 2, 2, 4)], {"is_causal": 1}, [0, 1, 2], 23
    yield "Attention", [f32(1, 2, 3, 4), f32(1, 2, 4, 4), f32(1, 2, 4, 4), numpy.array([[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]], bool)], {}, [0], 23
    yield from newer_cases()


def newer_cases():
    axis = numpy.array(1)
    yield "CumProd", [f32(3, 5), axis], {}, [0], 26
    yield "CumProd", [f32(3, 90, 2), axis], {"reverse": 1, "exclusive": 1}, [0], 26
    yield "BitCast", [f32(3, 5)], {"to": onnx.TensorProto.INT32}, [0], 26
    yield "BitCast", [ints("uint8", 0, 2, 5)], {"to": onnx.TensorProto.BOOL}, [0], 26
    yield "BitCast", [numpy.array([True, False])], {"to": onnx.TensorProto.INT8}, [0], 26
    yield "TensorScatter", [f32(2, 3, 6, 4), f32(2, 3, 2, 4), numpy.array([1, 4])], {}, [0], 24
    yield "TensorScatter", [f32(2, 3, 6, 4), f32(2, 3, 2, 4), numpy.array([1, 5])], {"mode": "circular"}, [0], 24
    yield "TensorScatter", [f32(2, 6), f32(2, 2)], {"axis": 1}, [0], 24
    yield "CausalConvWithState", [f32(2, 3, 7), f32(3, 1, 4), f32(3), f32(2, 3, 3)], {"activation": "silu"}, [0, 1], 27
    yield "CausalConvWithState", [f32(2, 3, 2), f32(3, 1, 4)], {}, [0, 1], 27
    rows, state = lambda: [f32(2, 3, 16), f32(2, 3, 8) / 3, f32(2, 3, 10)], [f32(2, 2, 4, 5)]
    heads = {"q_num_heads": 4, "kv_num_heads": 2}
    yield "LinearAttention", rows(), heads | {"update_rule": "linear", "scale": 0.7}, [0, 1], 27
    yield "LinearAttention", rows() + state + [-abs(f32(2, 3, 8))], heads | {"update_rule": "gated"}, [0, 1], 27
    yield "LinearAttention", rows() + [None, None, abs(f32(2, 3, 1))], heads | {"update_rule": "delta"}, [0, 1], 27
    yield "LinearAttention", rows() + state + [-abs(f32(2, 3, 2)), abs(f32(2, 3, 2))], heads, [0, 1], 27
    yield "DeformConv", [f32(2, 4, 6, 7), f32(6, 2, 3, 3), f32(2, 36, 6, 7), f32(6), abs(f32(2, 18, 6, 7))], {
        "group": 2, "offset_group": 2, "pads": [1, 1, 1, 1]}, [0], 19
    yield "DeformConv", [f32(1, 2, 8, 9), f32(3, 2, 2, 3), 2 * f32(1, 12, 4, 3)], {
        "strides": [2, 3], "dilations": [1, 2], "pads": [0, 1, 1, 1]}, [0], 19
    regions = numpy.array([[0, 0, 9, 9], [2, 1, 3, 1.5], [-3, 2, 30, 50], [4, 4, 3, 3], [1, 1, 7.3, 40]], "float32")
    for mode in ("half_pixel", "output_half_pixel"):
        yield "RoiAlign", [f32(2, 3, 9, 11), regions, numpy.array([0, 1, 1, 0, 1])], {
            "output_height": 3, "output_width": 4, "spatial_scale": 0.5, "coordinate_transformation_mode": mode}, [0], 16
    values = [f32(1, 2, 4, 4), f32(1, 2, 6, 4), f32(1, 2, 6, 4)]
    for left, right, causal in ((2, 1, 0), (-1, 0, 0), (1, -1, 1)):
        yield "Attention", values, {"left_window_size": left, "right_window_size": right, "is_causal": causal}, [0], 25
    for mode in range(4):
        yield "Attention", values + [f32(4, 6)], {"qk_matmul_output_mode": mode, "softcap": 2.0}, [0, 3], 24
    yield "SpaceToDepth", [f32(1, 2, 4, 6)], {"blocksize": 2, "mode": "CRD"}, [0], 28
    yield "Mod", [f32(5, 1), f32(4)], {}, [0], 28
    yield "DequantizeLinear", [ints("uint8", 0, 256, 3, 4), numpy.float32(0.1)], {"output_dtype": 10}, [0], 23
    yield "QuantizeLinear", [f32(3, 4), numpy.float32(0.1), numpy.uint8(3)], {"precision": 1}, [0], 23
    scale, other, byte, small = numpy.float32(0.1), numpy.float32(0.0813), lambda *shape: ints("uint8", 0, 256, *shape), numpy.uint8(9)
    yield "QLinearSoftmax", [byte(3, 5), scale, small, numpy.float32(1 / 256), numpy.uint8(0)], {"axis": -1, "opset": 13}
    yield "QLinearSoftmax", [byte(3, 5, 2), scale, small, numpy.float32(1 / 256), numpy.uint8(0)], {"axis": 1, "opset": 12}
    yield "QLinearWhere", [ints("bool", 0, 2, 3, 5), byte(3, 5), scale, small, byte(5), other, small, scale, small], {}
    window = {"kernel_shape": [3, 3], "pads": [1, 1, 0, 0], "strides": [2, 1], "count_include_pad": 1}
    yield "QLinearAveragePool", [byte(1, 3, 6, 6), scale, small, other, small], window
    yield "QLinearAveragePool", [byte(1, 6, 6, 3), scale, small, other, small], window | {"channels_last": 1}
    yield "QLinearGlobalAveragePool", [byte(1, 6, 6, 3), scale, small, other, small], {"channels_last": 1}
    image = [f32(1, 2, 5, 5), f32(3, 2, 3, 3), f32(3)]
    yield "FusedConv", image, {"activation": "LeakyRelu", "activation_params": [0.2]}
    yield "FusedConv", image, {"activation": "Clip", "activation_params": [-0.5, 0.7]}
    yield "FusedConv", image + [f32(1, 3, 3, 3)], {"activation": "Relu"}
    yield "FusedGemm", [f32(2, 5), f32(5, 4), f32(4)], {
        "activation": "HardSigmoid", "activation_alpha": 0.3, "activation_beta": 0.4, "alpha": 0.5}
    product = [byte(2, 3, 6), byte(6, 24), f32(24), numpy.float32(0.02)]
    yield "QAttention", product + [numpy.float32(0.03), ints("int32", 1, 3, 2), numpy.uint8(100), numpy.uint8(128)], {"num_heads": 2}
    yield "QAttention", product + [positive(24), None, numpy.uint8(100), byte(24)], {"num_heads": 2, "unidirectional": 1}
    sizes, scales = numpy.array([1, 2, 4, 5]), numpy.array([1, 1, 0.37, 2.3], "float32")
    for mode in ("linear", "cubic"):
        yield "Resize", [f32(1, 2, 9, 13), None, None, sizes], {"mode": mode, "antialias": 1}, [0], 19
        yield "Resize", [f32(1, 2, 9, 13), None, scales], {"mode": mode, "antialias": 1, "exclude_outside": 1}, [0], 19
    for policy in ("not_larger", "not_smaller"):
        yield "Resize", [f32(1, 1, 6, 8), None, None, sizes[2:]], {"keep_aspect_ratio_policy": policy, "axes": [2, 3]}, [0], 19
    yield "DFT", [f32(2, 5, 2), None, numpy.array(1)], {"inverse": 1, "onesided": 1}, [0], 20
    yield "DFT", [f32(2, 4, 2), numpy.array(7), numpy.array(1)], {"inverse": 1, "onesided": 1}, [0], 20
    yield "FlexAttention", [f32(1, 4, 3, 8), f32(1, 2, 5, 8), f32(1, 2, 5, 6)], {
        "score_mod": body("Tanh"), "prob_mod": body("Sqrt")}, [0], 28, None, "ai.onnx.preview"
    for metric in ("euclidean", "sqeuclidean"):
        yield "CDist", [f32(3, 4), f32(5, 4)], {"metric": metric}
    yield "TransposeMatMul", [f32(3, 4), f32(3, 5)], {"transA": 1}
    yield "Trilu", [f32(3, 4)], {"upper": 0}
    yield "NhwcMaxPool", [byte(1, 5, 6, 3)], {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 0, 0, 1]}
    for bits in (4, 8):
        blocks = {"bits": bits, "block_size": 16}
        yield "GatherBlockQuantized", [byte(6, 4 * bits), numpy.array([[3, 0], [5, -1]]), positive(6, 2)], blocks
        yield "GatherBlockQuantized", [byte(6, 6 * bits), numpy.array([3, 0]), positive(6, 3), byte(6, 2 if bits == 4 else 3)], blocks


def body(op):
    """A graph of one node on numbers of any shape."""
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("from", "to")]
    return onnx.helper.make_graph([onnx.helper.make_node(op, ["from"], ["to"])], op, values[:1], values[1:])


def compute(model, feeds):
    """onnxruntime's results, or the reference evaluator's."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"]).run(None, feeds)
    except Exception:  # The peer has many kinds of errors, all of which mean that it does not run this.
        return onnx.reference.ReferenceEvaluator(onnx.load_from_string(model)).run(None, feeds)


def record(op, values, attributes, outputs=(0,), opset=None, checked=None, preview=""):
    domain = preview if opset else MICROSOFT
    values = [numpy.asarray(value) if isinstance(value, numpy.generic) else value for value in values]
    names = ["" if value is None else f"v{k}" for k, value in enumerate(values)]
    fixed = [value for value in values if isinstance(value, onnx.TensorProto)]
    for name, value in zip(names, values):
        if isinstance(value, onnx.TensorProto):
            value.name = name
    given = {name: value for name, value in zip(names, values) if name and not isinstance(value, onnx.TensorProto)}
    results = ["" if k not in outputs else f"r{k}" for k in range(max(outputs) + 1)]
    node = onnx.helper.make_node(op, names, results, domain=domain, **attributes)
    # A total length is known in every model.
    constants = {"GroupQueryAttention": {"v6"}, "AffineGrid": {"v1"}, "CenterCropPad": {"v1"}, "Col2Im": {"v1", "v2"},
                 "CumProd": {"v1"}, "GatherBlockQuantized": {"v0", "v2", "v3"}, "DFT": {"v1", "v2"}, "Resize": {"v2", "v3"}, "QAttention": {"v1"},
                 "DynamicQuantizeLSTM": {f"v{k}" for k in (1, 2, 8, 9, 10, 11)}}.get(op, set())
    graph = onnx.helper.make_graph(
        [node], "recorded",
        [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
         for name, value in given.items() if name not in constants],
        [onnx.helper.make_empty_tensor_value_info(name) for name in results if name],
        [onnx.numpy_helper.from_array(value, name) for name, value in given.items() if name in constants] + fixed)
    sets = [onnx.helper.make_opsetid("", opset or 18)] + ([onnx.helper.make_opsetid(domain, 1)] if domain else [])
    model = onnx.helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()
    feeds = {name: value for name, value in given.items() if name not in constants}
    expected = dict(zip([name for name in results if name], compute(model, feeds)))
    expected = {name: value for name, value in expected.items() if checked is None or int(name[1:]) in checked}
    pack = lambda tensors: {name: [NAMES[str(value.dtype)], list(value.shape), base64.b64encode(numpy.ascontiguousarray(value).tobytes()).decode()]
                            for name, value in tensors.items()}
    return {"op": op, "model": base64.b64encode(model).decode(), "inputs": pack(feeds), "outputs": pack(expected)}


print("[\n" + ",\n".join(json.dumps(record(*case)) for case in cases()) + "\n]")
