"""A model in parts that can be compared one by one: none has a step behind what it computes itself.

Where a rounding, a comparison or a quantisation stands between two matrix products, the last bit of the first decides
what the second sees, and two right programs end far from each other. Each part begins with such steps, on values that
both programs are given, and goes on with what is continuous.
"""
import collections

import onnx

STEPS = set("""Round Floor Ceil Sign Greater Less Equal GreaterOrEqual LessOrEqual ArgMax ArgMin TopK NonZero Mod Div Atan Cast
    QuantizeLinear DynamicQuantizeLinear DynamicQuantizeLSTM DynamicQuantizeMatMul""".split())
FEW = 64  # elements of a list that may be a shape


def list_reads(node):
    """What a node reads, in its bodies too."""
    reads = list(node.input)
    for attribute in node.attribute:
        for body in [attribute.g, *attribute.graphs]:
            reads += [name for inner in body.node for name in list_reads(inner)] + [output.name for output in body.output]
    return reads


class Parts:
    def __init__(self, path):
        self.model = onnx.load(str(path))
        graph = self.model.graph
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        level, self.nodes = {}, collections.defaultdict(list)
        for node in graph.node:
            at = max((level[name] for name in list_reads(node) if name in level), default=0)
            if node.op_type == "Cast":
                kind = next(attribute.i for attribute in node.attribute if attribute.name == "to")
                at += kind not in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE)
            else:
                at += node.op_type in STEPS
            level.update((name, at) for name in node.output)
            self.nodes[at].append(node)
        self.results = [output.name for output in graph.output]
        self.crossing = set(self.results)
        for node in graph.node:
            at = level[node.output[0]]
            self.crossing.update(name for name in list_reads(node) if name in level and level[name] < at)
        self.level = level

    def whole(self):
        """The model with everything that a part gives to another as a result."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        known = {output.name for output in model.graph.output}
        model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in sorted(self.crossing - known))
        return model

    def __iter__(self):
        return iter(sorted(self.nodes))

    def part(self, at, values):
        """One part at the values' shapes, what it is given, and the names of its results."""
        nodes, inputs, constants = self.nodes[at], {}, []
        made = {name for node in nodes for name in node.output}
        for name in dict.fromkeys(name for node in nodes for name in list_reads(node)):
            if name in self.constants:
                constants.append(self.constants[name])
            elif name in values and name not in made:
                array = values[name]
                if array.dtype.kind in "iu" and array.ndim < 2 and array.size <= FEW:
                    constants.append(onnx.numpy_helper.from_array(array, name))
                else:
                    inputs[name] = array
        outputs = sorted(name for name in made if name in self.crossing)
        helper = onnx.helper
        given = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in inputs.items()]
        graph = helper.make_graph(nodes, "part", given, [helper.make_empty_tensor_value_info(name) for name in outputs], constants)
        return helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version), inputs, outputs
