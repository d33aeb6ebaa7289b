"""Writes the models in Inputs/: run it with the `onnx` package after a change here, and commit what it writes.

    python generate-models.py
"""

import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

INPUTS = pathlib.Path(__file__).parent / "Inputs"
F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def model(nodes, inputs, outputs, initializers=(), opset=17, domain=""):
    """`inputs` and `outputs` are (name, type, shape); `initializers` are (name, array)."""
    values = [[helper.make_tensor_value_info(*value) for value in group] for group in (inputs, outputs)]
    tensors = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in initializers]
    graph = helper.make_graph(nodes, "graph", *values, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, opset)], ir_version=7)


def save(name, made):
    data = made if isinstance(made, bytes) else made.SerializeToString()
    (INPUTS / f"{name}.onnx").write_bytes(data)


def one(op, inputs, output, opset=17, initializers=(), name=None, **attributes):
    """One node over inputs of these types and shapes, called a, b, c, ...; initializers follow them."""
    values = [(chr(ord("a") + i), *value) for i, value in enumerate(inputs)]
    names = [value[0] for value in values] + [name for name, _ in initializers]
    node = helper.make_node(op, names, ["y"], name=name or f"the_{op.lower()}", **attributes)
    return model([node], values, [("y", *output)], initializers, opset)


def chain(name, steps, inputs, outputs, initializers=(), opset=17):
    """Nodes written as (op, inputs, outputs, attributes)."""
    nodes = [helper.make_node(op, ins.split(","), outs.split(","), name=f"{op.lower()}_{outs}", **attributes)
             for op, ins, outs, attributes in steps]
    save(name, model(nodes, inputs, outputs, initializers, opset))


def ints(*numbers):
    return numpy.array(numbers, dtype=numpy.int64)


def write_families():
    chain("elementwise", [
        ("Add", "a,b", "add", {}), ("Div", "i,j", "quotient", {}), ("Pow", "a,i", "pow", {}),
        ("Max", "a,b,add", "max", {}), ("Clip", "max,,top", "clip", {}), ("LeakyRelu", "clip", "leaky", {"alpha": 0.5}),
        ("Cast", "leaky", "cast", {"to": I64}), ("Mod", "cast,quotient", "mod", {}),
        ("Less", "a,b", "less", {}), ("Where", "less,a,b", "where", {}), ("Dropout", "where", "y,mask", {}),
    ], [("a", F32, [2, 3]), ("b", F32, [3]), ("i", I64, [3]), ("j", I64, [3])],
        [("mod", I64, [2, 3]), ("y", F32, [2, 3]), ("mask", BOOL, [2, 3])], [("top", numpy.float32(4))])

    chain("movement", [
        ("Reshape", "a,shape", "reshape", {}), ("Transpose", "reshape", "transpose", {}),
        ("Slice", "transpose,starts,ends,axes,steps", "slice", {}), ("Pad", "slice,pads,value", "pad", {}),
        ("Unsqueeze", "pad,zero", "unsqueeze", {}), ("Expand", "unsqueeze,wide", "expand", {}),
        ("Concat", "expand,expand", "concat", {"axis": -1}), ("Split", "concat,parts", "first,second", {"axis": 2}),
        ("Squeeze", "second,zero", "squeeze", {}), ("Flatten", "first", "flatten", {}),
    ], [("a", F32, [2, 12])], [("squeeze", F32, None), ("flatten", F32, None)],
        [("shape", ints(0, -1, 4)), ("starts", ints(-1, 0)), ("ends", ints(-100, 2)), ("axes", ints(0, 1)),
         ("steps", ints(-2, 1)), ("pads", ints(0, 1, 0, 0, 0, -1)), ("value", numpy.float32(2)), ("zero", ints(0)),
         ("wide", ints(1, 1, 3, 1)), ("parts", ints(1, 2))])

    # What exporters write for x.reshape(x.shape[0], -1).
    chain("computed-shape", [
        ("Shape", "a", "s", {}), ("Gather", "s,zero", "n", {}), ("Mul", "n,two", "m", {}),
        ("Unsqueeze", "m,axis", "u", {}), ("Concat", "u,rest", "t", {"axis": 0}), ("Reshape", "a,t", "y", {}),
    ], [("a", F32, ["batch", 3, 4])], [("y", F32, None)],
        [("zero", numpy.int64(0)), ("two", numpy.int64(2)), ("axis", ints(0)), ("rest", ints(-1))])

    # An index that counts from the end, coordinates after one axis of batch, and more constant indices than slices.
    chain("gather", [
        ("Gather", "table,tokens", "rows", {}), ("GatherElements", "a,chosen", "along", {"axis": 1}),
        ("GatherND", "a,places", "points", {"batch_dims": 1}), ("Gather", "a,many", "wide", {"axis": 1}),
    ], [("table", F32, [10, 3]), ("tokens", I64, [2, 2]), ("a", F32, [2, 3, 4]), ("chosen", I64, [2, 1, 4]),
        ("places", I64, [2, 5, 1])],
        [("rows", F32, [2, 2, 3]), ("along", F32, [2, 1, 4]), ("points", F32, [2, 5, 4]), ("wide", F32, [2, 18, 4])],
        [("many", ints(*[0, 1, 2] * 6))])

    chain("reduce", [
        ("ReduceSum", "a,axes", "sum", {"keepdims": 0}), ("ReduceMean", "sum", "mean", {"axes": [-1]}),
        ("ArgMax", "mean", "argmax", {"axis": 1, "keepdims": 0}), ("Softmax", "a", "softmax", {}),
        ("ReduceL2", "softmax", "l2", {}),
    ], [("a", F32, [2, 3, 4, 5])], [("argmax", I64, None), ("l2", F32, None)], [("axes", ints(1))])
    save("softmax-opset-11", one("Softmax", [(F32, [2, 3, 4])], (F32, [2, 3, 4]), opset=11, axis=1))

    chain("product", [
        ("Conv", "a,w,bias", "conv", {"strides": [2, 2], "auto_pad": "SAME_UPPER", "group": 2}),
        ("BatchNormalization", "conv,n,n,n,n", "norm", {"epsilon": 0.5}),
        ("MaxPool", "norm", "max", {"kernel_shape": [2, 2], "pads": [1, 0, 0, 1], "ceil_mode": 1}),
        ("AveragePool", "max", "mean", {"kernel_shape": [2, 2], "count_include_pad": 1}),
        ("GlobalAveragePool", "mean", "global", {}), ("Flatten", "global", "flat", {}),
        ("Gemm", "flat,g", "gemm", {"transB": 1, "alpha": 0.5}), ("MatMul", "gemm,m", "matmul", {}),
        ("LayerNormalization", "matmul,s", "y", {}),
    ], [("a", F32, [1, 2, 5, 5]), ("w", F32, [4, 1, 3, 3]), ("bias", F32, [4]), ("n", F32, [4]), ("g", F32, [3, 4]),
        ("m", F32, [3, 2]), ("s", F32, [2])], [("y", F32, None)])

    large = numpy.arange(2048, dtype=numpy.float32)
    typed = helper.make_tensor("typed", TensorProto.FLOAT16, [2], numpy.array([1, -2], numpy.float16))
    nodes = [helper.make_node("Constant", [], ["c"], name="constant", value=typed),
             helper.make_node("ConstantOfShape", ["shape"], ["f"], name="full",
                              value=numpy_helper.from_array(numpy.array([True]))),
             helper.make_node("Identity", ["large"], ["l"]), helper.make_node("Identity", ["small"], ["s"])]
    save("constants", model(nodes, [], [("c", TensorProto.FLOAT16, [2]), ("f", BOOL, [2, 2]), ("l", F32, [2048]),
                                        ("s", TensorProto.UINT8, [2])],
                            [("large", large), ("small", numpy.array([1, 255], numpy.uint8)), ("shape", ints(2, 2))]))


def write_errors():
    relu = one("Relu", [(F32, [2])], (F32, [2]))
    data = relu.SerializeToString()
    save("truncated", data[:len(data) * 2 // 3])
    save("garbage", b"\x80\x81\x82" * 40)
    save("empty", b"")
    save("output-type", one("Relu", [(F32, [2])], (I64, [2])))
    save("unknown-operator", one("ImageDecoder", [(F32, [2, 3, 4]), (F32, [1, 8, 4]), (F32, [1, 8, 2])], (F32, [2, 1, 3, 2]),
                            hidden_size=2))
    save("custom-domain", model([helper.make_node("Fancy", ["a"], ["y"], name="fancy", domain="com.example")],
                                [("a", F32, [2])], [("y", F32, [2])]))
    chain("two-missing", [("ImageDecoder", "a", "b", {}), ("Relu", "b", "c", {}), ("StringNormalizer", "a", "d", {}), ("Add", "c,d", "y", {})],
          [("a", F32, [2])], [("y", F32, [2])])
    chain("all-missing", [("Relu", "a", "b", {}), ("ImageDecoder", "b,w", "c", {}), ("Relu", "c", "y", {"sharpness": 1})],
          [("a", F32, ["n"])], [("y", F32, [2])], [("w", numpy.array(["text"], dtype=object))])
    save("opset-old", one("Relu", [(F32, [2])], (F32, [2]), opset=0))
    save("opset-new", one("Relu", [(F32, [2])], (F32, [2]), opset=99))
    save("opset-none", model([helper.make_node("Relu", ["a"], ["y"])], [("a", F32, [2])], [("y", F32, [2])],
                             domain="com.example"))
    save("missing-weight", model([helper.make_node("Conv", ["a", "weight"], ["y"], name="conv")],
                                 [("a", F32, [1, 1, 4, 4])], [("y", F32, None)]))
    external = one("Add", [(F32, [2])], (F32, [2]), initializers=[("w", numpy.ones(2, numpy.float32))])
    weight = external.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights.bin")
    save("external-data", external)
    short = one("Add", [(F32, [2])], (F32, [2]), initializers=[("w", numpy.ones(2, numpy.float32))])
    short.graph.initializer[0].raw_data = b"1234567"
    save("short-weight", short)
    huge = one("Add", [(F32, [2])], (F32, [2]), initializers=[("w", numpy.ones(2, numpy.float32))])
    huge.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    save("overflow-weight", huge)
    save("overflow-input", one("Relu", [(F32, [1 << 40, 1 << 40])], (F32, None)))
    save("overflow-result", one("Expand", [(F32, [1 << 20, 1])], (F32, None),
                                initializers=[("shape", ints(1 << 20, 1 << 50))]))
    save("dynamic", one("Relu", [(F32, ["batch", 2])], (F32, None)))
    unnamed = one("Relu", [(F32, [2, 2])], (F32, None))
    unnamed.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    save("dynamic-unnamed", unnamed)
    save("computed-reshape", one("Reshape", [(F32, [2, 2]), (I64, [1])], (F32, None)))
    save("string-input", one("Identity", [(TensorProto.STRING, [2])], (TensorProto.STRING, [2])))
    save("unknown-attribute", one("Relu", [(F32, [2])], (F32, [2]), sharpness=3))
    save("wrong-attribute", one("Softmax", [(F32, [2])], (F32, [2]), axis=0.5))
    save("too-few-inputs", one("Add", [(F32, [2])], (F32, [2])))
    save("mismatched-shapes", one("Add", [(F32, [2]), (F32, [3])], (F32, None)))
    save("bad-reshape", one("Reshape", [(F32, [2, 3])], (F32, None), initializers=[("shape", ints(4, -1))]))
    save("bad-axis", one("Softmax", [(F32, [2, 3])], (F32, None), axis=2))
    save("second-output", model([helper.make_node("AveragePool", ["a"], ["y", "indices"], name="pool", kernel_shape=[2])],
                                [("a", F32, [1, 1, 4])], [("y", F32, None), ("indices", I64, None)]))
    save("duplicate-name", model([helper.make_node("Relu", ["a"], ["a"], name="again")], [("a", F32, [2])],
                                 [("a", F32, [2])]))
    save("missing-output", model([helper.make_node("Relu", ["a"], ["b"])], [("a", F32, [2])], [("y", F32, [2])]))
    save("no-outputs", model([helper.make_node("Relu", ["a"], ["b"])], [("a", F32, [2])], []))


def text(name, graph, opset=18, functions="", domain="local"):
    header = f'<ir_version: 8, opset_import: ["" : {opset}, "{domain}" : 1]>'
    save(name, parser.parse_model(f"{header} {graph} {functions}"))


BRANCHES = ("then_branch = yes () => (float[2] t) {{ t = Neg(a) }}, "
            "else_branch = no () => (float[{0}] e) {{ n = Constant<value_ints=[{0}]>() e = Expand(s, n) }}")


def write_sparse():
    # Two elements, and places for three of one axis, or coordinates.
    for name, places in (("sparse", [[0, 1], [1, 2]]), ("sparse-places", [0, 1, 2])):
        values = numpy_helper.from_array(numpy.array([5, 7], numpy.float32), "b")
        tensor = helper.make_sparse_tensor(values, numpy_helper.from_array(numpy.array(places, numpy.int64)), [2, 3])
        made = model([helper.make_node("Add", ["a", "b"], ["y"])], [("a", F32, [2, 3])], [("y", F32, [2, 3])])
        made.graph.sparse_initializer.append(tensor)
        save(name, made)


def write_loops():
    def loop(name, inputs, declared, outputs, body, given="n, c, a", limit=3):
        bound = f"int64{'[2]' if ',' in str(limit) else ''} n = {{{limit}}}, bool c = {{1}}, int64 one = {{1}}, float ten = {{10}}"
        text(f"loop-{name}", f"main ({inputs}) => ({declared}) <{bound}> {{ {outputs} = Loop ({given}) <body = b {body}> }}")

    step = "(int64 i, bool on, float[2] s) => (bool more, float[2] t, float[2] each)"
    kept = "more = Identity(on) t = Add(s, a) each = Neg(s)"
    two = "float[2] y, float[3,2] all"
    # The condition ends it after two of three iterations; it is computed.
    loop("known", "float[2] a", "float[2] y, float[2,2] all", "y, all", f"{step} {{ more = Less(i, one) t = Add(s, a) each = Neg(s) }}")
    loop("computed", "float[2] a", "float[2] y", "y", "(int64 i, bool on, float[2] s) => (bool more, float[2] t) "
         "{ m = ReduceSum<keepdims = 0>(s) more = Less(m, ten) t = Add(s, s) }")
    loop("collects", "float[2] a, bool w", two, "y, all", f"{step} {{ {kept} }}", given="n, w, a")
    loop("endless", "float[2] a", two, "y, all", f"{step} {{ {kept} }}", given=", c, a")
    loop("never", "float[2] a", two, "y, all", f"{step} {{ {kept} }}", limit=0)
    loop("types", "float[2] a", two, "y, all", "(int64 i, bool on, float[2] s) => (bool more, float[2] t, float[2] each) "
         "{ more = Identity(on) t = Concat<axis = 0>(s, s) each = Neg(s) }")
    loop("grows", "float[2] a, bool w", "float[8] y", "y", "(int64 i, bool on, float[2] s) => (bool more, float[4] t) "
         "{ more = Identity(on) t = Concat<axis = 0>(s, s) }", given="n, w, a")
    loop("arity", "float[2] a", "float[2] y", "y", "(int64 i, bool on) => (bool more) { more = Identity(on) }")
    loop("outputs", "float[2] a", "float[2] y", "y", f"{step} {{ {kept} }}", given="n, c, a, a")
    loop("limit", "float[2] a, int64[2] m", two, "y, all", f"{step} {{ {kept} }}", given="m, c, a")
    loop("limits", "float[2] a", two, "y, all", f"{step} {{ {kept} }}", given="n, c, a", limit="1, 2")
    loop("truth", "float[2] a", "float[2] y", "y", "(int64 i, bool on, float[2] s) => (bool[2] more, float[2] t) { more = Less(s, ten) t = Neg(s) }")
    loop("undefined", "float[2] a", "float[2] y", "y", "(int64 i, bool on, float[2] s) => (bool more, float[2] t) { t = Neg(s) }")
    loop("sequence", "float[2] a", two, "y, all", "(int64 i, bool on, float[2] s) => (bool more, float[2] t, float[2] each) "
         "{ more = Identity(on) t = Neg(s) each = SequenceConstruct(s) }")
    # Those that are not unrolled, and sequences, which are there in an unrolled loop alone.
    loop("counted-grows", "float[2] a, int64 m", "float[8] y", "y", "(int64 i, bool on, float[2] s) => (bool more, float[4] t) "
         "{ more = Identity(on) t = Concat<axis = 0>(s, s) }", given="m, c, a")
    loop("counted-finds", "float[2] a, int64 m", two, "y, all", "(int64 i, bool on, float[2] s) => (bool more, float[2] t, int64[1,2] each) "
         "{ more = Identity(on) t = Neg(s) each = NonZero(s) }", given="m, c, a")
    loop("overflows", "float[2] a", two, "y, all", f"{step} {{ {kept} }}", limit=1 << 61)
    def listed(name, inputs, given, limit=3, rows=""):
        body = ("(int64 i, bool on, seq(float[2]) s) => (bool more, seq(float[2]) t" + (", float[2] each)" if rows else ")") +
                " { more = Identity(on) t = SequenceInsert(s, a)" + (" each = Identity(a) }" if rows else " }"))
        text(f"loop-{name}", f"main (float[2] a{inputs}) => (float[2] y{rows and ', float[3,2] all'}) <int64 n = {{{limit}}}, bool c = {{1}}, int64 one = {{1}}> "
             f"{{ l = SequenceConstruct(a) z{rows and ', all'} = Loop ({given}) <body = b {body}> y = SequenceAt(z, one) }}")
    listed("listed-counted", ", int64 m", "m, c, l")
    listed("listed-while", ", bool w", "n, w, l", rows="all")
    listed("listed-long", "", "n, c, l", limit=100000)
    listed("listed-never", "", "n, c, l", limit=0, rows="all")

    def scan(name, x, z, attributes="num_scan_inputs = 2", opset=18, given="s, x, z", outputs="t, all", state="float[2] s",
             sums="(float[2] s, float[2] x, float[2] z) => (float[2] t, float[2] each) { t = Add(s, x) each = Mul(t, z) }"):
        text(f"scan{name}", f"main ({state}, {x} x, {z} z) => (float[2] t, float[2,2] all) "
             f"{{ {outputs} = Scan <{attributes}, body = b {sums}> ({given}) }}", opset=opset)

    scan("", "float[2,3]", "float[3,2]", "num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0], "
         "scan_output_axes = [-1], scan_output_directions = [1]")
    scan("-batch", "float[2,3,2]", "float[2,3,2]", "num_scan_inputs = 2, directions = [1, 0]", opset=8, given=", s, x, z", state="float[2,2] s")
    scan("-lengths", "float[2,2]", "float[3,2]")
    scan("-axes", "float[2,2]", "float[2,2]", "num_scan_inputs = 2, scan_input_axes = [1]")
    scan("-none", "float[0,2]", "float[0,2]")
    scan("-count", "float[2,2]", "float[2,2]", "num_scan_inputs = 4")
    scan("-outputs", "float[2,2]", "float[2,2]", "num_scan_inputs = 1", outputs="t")
    scan("-scalar", "float[2,2]", "float")
    scan("-sequences", "float[2,3,2]", "float[2,3,2]", opset=8, given="s, s, x, z", state="float[2,2] s")
    scan("-batches", "float[2,3,2]", "float[1,3,2]", opset=8, given=", s, x, z", state="float[2,2] s")
    scan("-empty-batch", "float[0,3,2]", "float[0,3,2]", opset=8, given=", s, x, z", state="float[0,2] s")
    scan("-sequence", "float[2,2]", "float[2,2]", sums="(float[2] s, float[2] x, float[2] z) => (float[2] t, float[2] each) "
         "{ t = Add(s, x) each = SequenceConstruct(s) }")


def write_bodies():
    text("if-known", f"main (float[2] a) => (float[2] y) <bool c = {{0}}, float s = {{4}}> "
         f"{{ y = If (c) <{BRANCHES.format(2)}> }}")
    text("if-computed", f"main (float[2] a, bool c) => (float[2] y) <float s = {{4}}> "
         f"{{ y = If (c) <{BRANCHES.format(2)}> }}")
    text("if-differs", "main (float[2] a, bool c) => (float[2] y) <float s = {4}> { y = If (c) <then_branch = yes () => (float[2] t) { t = Neg(a) }, "
         "else_branch = no () => (float[1,2] e) { n = Constant<value_ints=[1,2]>() e = Expand(s, n) }> }")
    text("if-many", f"main (float[2] a, bool[2] c) => (float[2] y) <float s = {{4}}> "
         f"{{ y = If (c) <{BRANCHES.format(2)}> }}")
    text("if-outputs", f"main (float[2] a, bool c) => (float[2] y) <float s = {{4}}> "
         f"{{ y, z = If (c) <{BRANCHES.format(3)}> }}")
    text("if-refused", "main (float[2] a, bool c) => (float[2] y) { y = If (c) <"
         "then_branch = yes () => (float[2] t) { u = ImageDecoder(a) t = StringNormalizer(a) }, else_branch = no () => (float[2] e) { e = Neg(a) }> }")
    text("if-undefined", "main (float[2] a, bool c) => (float[2] y) { y = If (c) <"
         "then_branch = yes () => (float[2] t) { u = Neg(a) }, else_branch = no () => (float[2] e) { e = Neg(a) }> }")
    flex = "main (float[1,1,2,2] a) => (float[1,1,2,2] y) {{ y = ai.onnx.preview.FlexAttention <score_mod = body (s) => ({}) {{ {} }}> (a, a, a) }}"
    text("flex-outputs", flex.format("t, u", "t = Neg(s) u = Neg(s)"), domain="ai.onnx.preview")
    text("flex-type", flex.format("t", "t = ReduceMax<keepdims = 0>(s)"), domain="ai.onnx.preview")
    # The inner call takes its attribute from the outer one, and both bodies name the same value.
    inner = """<opset_import: ["" : 18], domain: "local"> inner <axis> (x) => (y) { t = Neg(x) y = Softmax <axis: int = @axis> (t) }"""
    outer = """<opset_import: ["" : 18, "local" : 1], domain: "local"> outer <along> (x, z) => (y, rest) {
        t = local.inner <axis: int = @along> (x) y = Add(t, z) rest = Neg(t) }"""
    text("function", "main (float[2,3] a) => (float[2,3] y, float[2,3] w) { y = local.outer <along = 0> (a, a) "
         "w = local.inner <axis = 1> (y) }", functions=inner + outer)
    text("function-inputs", "main (float[2] a) => (float[2] y) { y = local.inner <axis = 0> (a, a) }", functions=inner)
    text("function-undefined", "main (float[2] a) => (float[2] y) { y = local.inner <axis = 0> (b) }", functions=inner)
    text("function-output", "main (float[2] a) => (float[2] y) { y = local.none (a) }",
         functions='<opset_import: ["" : 18], domain: "local"> none (x) => (y) { t = Neg(x) }')
    text("function-recursive", "main (float[2] a) => (float[2] y) { y = local.again (a) }",
         functions='<opset_import: ["" : 18], domain: "local"> again (x) => (y) { y = local.again (x) }')
    pair = "s = SequenceConstruct(a, b)"
    text("sequences", "main (float[2,2] a, float[1,2] b) => (int64 n, float[2] last, float[3,2] all, float[2,2,2] stacked, "
         "float[1,2] part, bool has) <int64 one = {1}, int64 end = {-1}, int64 zero = {0}> {"
         f"{pair} t = SequenceInsert(s, b, one) n = SequenceLength(t) u = SequenceErase(t, end) "
         "all = ConcatFromSequence<axis = 0>(u) v = SequenceConstruct(a, a) stacked = ConcatFromSequence<axis = 1, new_axis = 1>(v) "
         "w = SplitToSequence<axis = 0, keepdims = 0>(a) last = SequenceAt(w, end) p = SplitToSequence(a, one) "
         "part = SequenceAt(p, zero) o = Optional<type = float[2]>() has = OptionalHasElement(o) }")
    text("sequence-map", "main (float[2] a, float[2] b) => (seq(float[2]) m) { " + pair +
         " m = SequenceMap(s, a) <body = each (float[2] x, float[2] y) => (float[2] z) { z = Sub(x, y) }> }")
    text("sequence-input", "main (seq(float[n, 2]) s, optional(seq(float[2])) r, optional(float[2]) o, float[2] a) => "
         "(float[m, 2] all, seq(float[2]) t, bool has) { all = ConcatFromSequence<axis = 0>(s) t = SequenceMap(s) <body = "
         "each (float[n, 2] x) => (float[2] z) { z = ReduceSum<keepdims = 0>(x, at) }> has = OptionalHasElement(o) }"
         .replace("(float[2] z) {", "(float[2] z) { at = Constant<value_ints = [0]>()"))
    text("sequence-shapeless", "main (seq(float[]) s, float[] a) => (seq(float[]) t) { t = SequenceInsert(s, a) }")
    # A value that a kernel keeps over two axes, of which the inner one is open; an index that is in another part at n = 1.
    text("open-tile", "main (float[4, n] x) => (float[4, n] y, float[4, m] z) <int64[2] twice = {1, 2}> "
         "{ y = Softmax<axis = 0>(x) z = Tile(y, twice) }")
    # A constant that is folded at the bound, and would be too large for that at the sizes that the program is learned at.
    text("open-folded", "main (float[n] x) => (float[n] y) <int64[1] width = {480}, int64[1] one = {1}, int64[1] last = {-1}, "
         "int64[1] end = {1000000}, int64 start = {0}, int64 step = {1}> { s = Shape(x) t = Concat<axis = 0>(s, width) "
         "k = Squeeze(s) r = Range(start, k, step) p = Unsqueeze(r, one) q = Expand(p, t) d = Concat<axis = 1>(q, q) "
         "e = Slice(d, last, end, one) f = Squeeze(e, one) g = Cast<to = 1>(f) y = Add(x, g) }")
    text("open-parts", "main (float[n] x) => (float[2] y) <int64[2] at = {-2, 1}> "
         "{ t = Neg(x) s = Concat<axis = 0>(x, t) y = Gather(s, at) }")
    for name, nodes in (
            ("position", "y = SequenceAt(s, two)"), ("no-sequence", "y = SequenceAt(a, two)"),
            ("empty", "e = SequenceEmpty() y = ConcatFromSequence<axis = 0>(e)"),
            ("erase", "e = SequenceEmpty() y = SequenceErase(e)"), ("split", "y = SplitToSequence(a, five)"),
            ("parts", "y = SplitToSequence(a, zero)"), ("absent", "o = Optional<type = float[2]>() y = OptionalGetElement(o)"),
            ("body", "y = SequenceMap(s) <body = each (float[2] x, float[2] z) => (float[2] w) { w = Sub(x, z) }>"),
            ("lengths", "t = SequenceConstruct(a) y = SequenceMap(s, t) <body = each (float[2] x, float[2] z) => "
             "(float[2] w) { w = Sub(x, z) }>"), ("taken", "b = SequenceConstruct(a)")):
        text(f"sequence-{name}", "main (float[2] a, float[2] b) => (float[2] y) <int64 two = {2}, int64[1] five = {5}, "
             f"int64 zero = {{0}}> {{ {pair} {nodes} }}")
    text("sequence-absent-output", "main (float[2] a) => (float[2] y) { y = Optional<type = float[2]>() }")


def write_decisions():
    """What is decided by a size that is open."""
    size = "s = Shape(x) n = Gather(s, zero)"
    constants = "int64 zero = {0}, int64[1] from = {0}, int64[1] to = {2}, int64 few = {5}, int64 many = {300}, float half = {0.5}, float two = {2.0}"
    for name, nodes in (("few", f"{size} c = Equal(n, few) y = Where(c, x, z)"), ("many", f"{size} c = Equal(n, many) y = Where(c, x, z)"),
                        ("half", f"{size} f = Cast<to = 1>(n) h = Mul(f, half) c = Greater(h, two) y = Where(c, x, z)"), ("slice", "y = Slice(x, from, to)")):
        text(f"open-{name}", f"main (float[n,2] x, float[1,2] z) => (float[m,2] y) <{constants}> {{ {nodes} }}")
    # Behind elements whose number is data stand others; beside them, in the second model, a product that takes long.
    chosen = "f = NonZero(x) q = Squeeze(f, from) g = Gather(x, q) c = Concat<axis = 0>(g, w) y = Slice(c, two, three)"
    constants = "int64[1] from = {0}, int64[1] two = {2}, int64[1] three = {3}"
    text("open-counted", f"main (float[n] x, float[4] w) => (float[1] y) <{constants}> {{ {chosen} }}")
    text("open-counted-large", f"main (float[n] x, float[4] w, float[160,160] h) => (float[1] y, float v) <{constants}> {{ {chosen} p = MatMul(h, h) v = ReduceMax<keepdims = 0>(p) }}")
    # The same, padded: zeros have no buffer.
    padded = "f = NonZero(x) q = Squeeze(f, from) g = Gather(x, q) c = Pad(g, pads) y = Slice(c, two, three)"
    text("open-counted-padded", f"main (float[n] x, float[160,160] h) => (float[1] y, float v) <{constants}, int64[2] pads = {{1, 4}}> {{ {padded} p = MatMul(h, h) v = ReduceMax<keepdims = 0>(p) }}")
    # The state before the first step follows the batch, as PyTorch's exporter writes it.
    text("open-recurrent", "main (float[t,b,2] x) => (float[t,1,b,1] y) <int64[1] one = {1}, float[1,4,2] w = {1,-1,0.5,2,-0.5,1,1,0.25}, "
         "float[1,4,1] r = {0.5,-1,1,2}> { s = Shape<start = 1, end = 2>(x) k = Concat<axis = 0>(one, s, one) h = ConstantOfShape(k) "
         "y = LSTM<hidden_size = 1>(x, w, r, , , h, h) }")
    # Of sizes 0: what is not there is not read.
    text("open-none", "main (float[n,4] x, int64[m,4] i, float[m,4] u, float[2,k] z) => (float[n,4] y, float[2,q] p) "
         "<int64[1] one = {1}, int64[1] most = {64}, int64[3] before = {0, 0, 0}> { y = ScatterElements<axis = 0>(x, i, u) "
         "s = Shape<start = 1, end = 2>(z) d = Sub(most, s) e = Concat<axis = 0>(before, d) p = Pad(z, e) }")
    # Rows of a product, of which each has another row behind it, are no buffer of their own.
    text("open-behind", f"main (float[2,n] x, float[2,4] w, float[160,160] h) => (float y, float v) <int64 row = {{0}}, int64 place = {{2}}> "
         "{ e = Exp(x) c = Concat<axis = 1>(e, w) r = Gather<axis = 0>(c, row) y = Gather<axis = 0>(r, place) p = MatMul(h, h) v = ReduceMax<keepdims = 0>(p) }")
    # Twice the input, or as it is, or three numbers.
    for name, other in (("same", "q = Neg(x)"), ("fixed", "q = Neg(w)")):
        text(f"branch-{name}", "main (float[n] x, float[3] w) => (float[k] y, float s) <float none = {0.0}> { t = ReduceSum<keepdims = 0>(x) c = Greater(t, none) "
             f"y = If(c) <then_branch = yes () => (float[a] p) {{ p = Concat<axis = 0>(x, x) }}, else_branch = no () => (float[b] q) {{ {other} }}> s = ReduceSum<keepdims = 0>(y) }}")
    # Two results, each of which may be the longer one; and branches that are as long as each other where n is 3.
    text("branch-both", "main (float[n] x, bool c) => (float[k] y, float[l] z) { y, z = If(c) <then_branch = yes () => (float[a] p, float[b] q) { p = Concat<axis = 0>(x, x) q = Neg(x) }, "
         "else_branch = no () => (float[d] r, float[e] s) { r = Neg(x) s = Concat<axis = 0>(x, x, x) }> }")
    text("branch-alike", "main (float[n] x, float[3] w, bool c) => (float[k] y) { y = If(c) <then_branch = yes () => (float[a] p) { p = Neg(x) }, "
         "else_branch = no () => (float[b] q) { q = Neg(w) }> }")
    # Attention that sees nothing behind a position: a mask of so many elements as the sizes say.
    text("open-causal", "main (float[b,t,8] x) => (float[b,t,8] y) <int64 zero = {0}, int64 one = {1}, int64[1] first = {0}, int64[1] second = {1}, float none = {0}, float lowest = {-3.4e38}> "
         "{ shape = Shape(x) t = Gather(shape, one) at = Range(zero, t, one) columns = Unsqueeze(at, first) rows = Unsqueeze(at, second) "
         "seen = LessOrEqual(columns, rows) mask = Where(seen, none, lowest) turned = Transpose <perm = [0, 2, 1]> (x) scores = MatMul(x, turned) "
         "masked = Add(scores, mask) shares = Softmax <axis = -1> (masked) y = MatMul(shares, x) }")
    # Two of what is found, but for the first one: there may be fewer, and none.
    text("open-found", "main (float[n] x) => (int64[1,k] y) <int64[1] one = {1}, int64[1] three = {3}> { found = NonZero(x) y = Slice(found, one, three, one) }")
    # As many zeros behind as are missing, which is none at all beyond 16; and a row that has neighbours at some sizes alone.
    text("open-filled", "main (float[2,n] x) => (float[2,16] y) <int64[1] length = {16}, int64[3] none = {0, 0, 0}> "
         "{ size = Shape<start = 1, end = 2>(x) missing = Sub(length, size) pads = Concat<axis = 0>(none, missing) y = Pad(x, pads) }")
    text("open-first", "main (float[n,6] x) => (float[1,8] y) <int64[1] zero = {0}, int64[1] one = {1}, int64[4] pads = {0, 0, 0, 2}> "
         "{ first = Slice(x, zero, one, zero) y = Pad(first, pads) }")
    # Each element by its coordinates, as exporters read masks.
    text("open-coordinates", "main (float[b,s] x) => (float[b,s] y) <int64 from = {0}, int64 step = {1}, int64[1] first = {0}, int64[1] second = {1}, int64[1] last = {-1}> "
         "{ sb = Shape<start = 0, end = 1>(x) nb = Squeeze(sb) ss = Shape<start = 1, end = 2>(x) ns = Squeeze(ss) rb = Range(from, nb, step) rs = Range(from, ns, step) "
         "ub = Unsqueeze(rb, second) us = Unsqueeze(rs, first) m = Max(ub, us) t = Shape(m) eb = Expand(ub, t) es = Expand(us, t) "
         "cb = Unsqueeze(eb, last) cs = Unsqueeze(es, last) c = Concat<axis = -1>(cb, cs) y = GatherND(x, c) }")
    # Eighteen functions, each of which calls the next one twice.
    calls = [f'<domain: "local", opset_import: ["" : 18, "local" : 1]> f{k} (a) => (b) {{ t = local.f{k + 1}(a) b = local.f{k + 1}(t) }}' for k in range(18)]
    last = '<domain: "local", opset_import: ["" : 18]> f18 (a) => (b) { b = Neg(a) }'
    text("functions-many", "main (float[2] x) => (float[2] y) { y = local.f0(x) }", functions=" ".join([*calls, last]))


INPUTS.mkdir(exist_ok=True)
write_decisions()
write_sparse()
write_bodies()
write_loops()
write_families()
write_errors()
