"""Random ONNX models of several nodes for utils/fuzz-onnx: what one node computes others read, often more than one of
them, and some nobody."""
import dataclasses

import numpy
import onnx

from . import onnxfamilies

# What stands in the first input of these is no data to compute with, or none that others may have made: a cast of what an
# integer can't hold is open, equal elements have no variance but the roundings of their mean, and a step makes a whole
# number of a rounding.
APART = set("""NonMaxSuppression RoiAlign MaxUnpool Range Unique NonZero Compress Hardmax ArgMax ArgMin TopK Cast CastLike
    InstanceNormalization GroupNormalization LayerNormalization MeanVarianceNormalization Ceil Floor Round Sign Mod Equal Greater
    Less GreaterOrEqual LessOrEqual QuantizeLinear DynamicQuantizeLinear DynamicQuantizeMatMul IsInf ThresholdedRelu Shrink
    """.split())


@dataclasses.dataclass
class Graph:
    opset: int
    nodes: list = dataclasses.field(default_factory=list)
    inputs: dict = dataclasses.field(default_factory=dict)
    constants: dict = dataclasses.field(default_factory=dict)
    values: dict = dataclasses.field(default_factory=dict)  # what the peer computes node by node
    outputs: list = dataclasses.field(default_factory=list)

    def model(self):
        inputs = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                  for name, array in self.inputs.items()]
        constants = [onnx.numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in self.outputs]
        opsets = [onnx.helper.make_opsetid("", self.opset), onnx.helper.make_opsetid(onnxfamilies.MICROSOFT, 1)]
        graph = onnx.helper.make_graph(self.nodes, "drawn", inputs, outputs, constants)
        return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def __str__(self):
        return "\n".join(f"    {node.op_type} {list(node.input)} -> {list(node.output)} "
                         f"{ {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute} }" for node in self.nodes)


def is_moderate(array):
    return array.dtype.kind == "f" and array.size > 0 and bool(numpy.isfinite(array).all()) and float(abs(array).max()) < 1e4


class GraphDraw:
    def __init__(self, draw, run_node):
        """`run_node(case)` gives the results of a node, or None where the peer refuses it."""
        self.draw, self.run_node = draw, run_node

    def name(self, graph):
        return f"t{len(graph.values) + len(graph.inputs) + len(graph.constants)}"

    def add(self, graph, op, names, arrays, outputs, domain="", **attributes):
        results = []
        for array in outputs:
            results.append(self.name(graph))
            graph.values[results[-1]] = array
        graph.nodes.append(onnx.helper.make_node(op, names, results, domain=domain, **attributes))
        return results

    def constant(self, graph, numbers):
        name = self.name(graph)
        graph.constants[name] = numpy.array(numbers, "int64")
        return name

    def adapt(self, graph, name, array, wanted):
        """A value's elements in another shape and float type, again from the first where there are too few."""
        if array.dtype != wanted.dtype:
            array = array.astype(wanted.dtype)
            [name] = self.add(graph, "Cast", [name], None, [array], to=onnx.helper.np_dtype_to_tensor_dtype(wanted.dtype))
        if array.shape == wanted.shape:
            return name
        flat = array.reshape(-1)
        if array.ndim != 1:
            [name] = self.add(graph, "Reshape", [name, self.constant(graph, [-1])], None, [flat])
        if flat.size < wanted.size:
            times = -(-wanted.size // flat.size)
            flat = numpy.tile(flat, times)
            [name] = self.add(graph, "Tile", [name, self.constant(graph, [times])], None, [flat])
        if flat.size > wanted.size:
            flat = flat[: wanted.size]
            [name] = self.add(graph, "Slice", [name, self.constant(graph, [0]), self.constant(graph, [wanted.size])], None, [flat])
        if wanted.ndim != 1:
            flat = flat.reshape(wanted.shape)
            [name] = self.add(graph, "Reshape", [name, self.constant(graph, list(wanted.shape))], None, [flat])
        return name

    def extend(self, graph, case):
        """Adds a node with what it needs; nothing where the peer refuses it."""
        saved = dataclasses.replace(graph, nodes=list(graph.nodes), inputs=dict(graph.inputs), constants=dict(graph.constants),
                                    values=dict(graph.values))
        random, names = self.draw.random, []
        for index, array in enumerate(case.inputs):
            if array is None:
                names.append("")
                continue
            fits = [name for name, value in graph.values.items() if is_moderate(value)]
            takes = index not in case.constants and array.dtype.kind == "f" and case.op not in APART and array.size and (index == 0 or len(case.inputs) == 2)
            if takes and fits and random.random() < 0.8:
                name = random.choice(fits[-6:])
                name = self.adapt(graph, name, graph.values[name], array)
                case.inputs[index] = graph.values[name]
            else:
                name = self.name(graph)
                (graph.constants if index in case.constants else graph.inputs)[name] = array
            names.append(name)
        results = self.run_node(case)
        if results is None:
            for field in ("nodes", "inputs", "constants", "values"):
                setattr(graph, field, getattr(saved, field))
            return False
        self.add(graph, case.op, names, None, [numpy.asarray(result) for result in results], domain=case.domain, **case.attributes)
        return True

    def graph(self, most_nodes=10):
        random = self.draw.random
        graph, wanted = Graph(random.choice([13, 14, 15, 16, 17, 18])), random.randint(2, most_nodes)
        added = 0
        for _ in range(400):
            case = self.draw.case()
            if case.opset == graph.opset and self.extend(graph, case):
                added += 1
            if added == wanted:
                break
        read = {name for node in graph.nodes for name in node.input}
        leaves = [name for name in graph.values if name not in read]
        # A leaf that is no output is dead code.
        graph.outputs = [name for name in leaves if random.random() < 0.9] or leaves[-1:]
        graph.outputs += [name for name in graph.values if name in read and random.random() < 0.15]
        return graph
