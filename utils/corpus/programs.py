"""Recorded tensor graphs as programs of the tensor level.

A graph is a list of nodes {op, src, shape, dtype, arg}; the encoding is described beside the corpora. `Program` holds
the MLIR text, the inputs in the order of its arguments, and which node is which result.
"""
import dataclasses
import math

ELEMENT = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int8": "i8",
           "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
           "uint64": "ui64"}
# Constants of a weak type take the other operand's; alone they are these.
WEAK = {"weakfloat": "float32", "weakint": "int32", "index": "int32"}

UNARY = {"EXP2": "exp2", "LOG2": "log2", "SIN": "sin", "SQRT": "sqrt", "RECIPROCAL": "reciprocal", "NEG": "neg",
         "TRUNC": "trunc"}
BINARY = {"ADD": "add", "SUB": "sub", "MUL": "mul", "MAX": "maximum", "FDIV": "div", "FLOORDIV": "floordiv",
          "FLOORMOD": "mod", "CDIV": "truncdiv", "CMOD": "fmod", "POW": "pow", "SHL": "shl", "SHR": "shr",
          "AND": "and", "OR": "or", "XOR": "xor", "CMPLT": "lt", "CMPNE": "ne", "CMPEQ": "eq"}
REDUCE = {"ADD": "sum", "MUL": "prod", "MAX": "max"}
SAME = {"CONTIGUOUS", "CONTIGUOUS_BACKWARD", "COPY", "NOOP"}


class Unsupported(Exception):
    """The graph has an operation that the tensor level does not say yet."""


@dataclasses.dataclass
class Program:
    text: str
    inputs: list  # node numbers of the BUFFER nodes that are arguments
    arguments: list  # (shape, dtype) of each
    results: list  # (shape, dtype) of each result


def tensor_type(shape, dtype) -> str:
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + ELEMENT[dtype] + ">"


def literal(value, dtype) -> str:
    if dtype == "bool":
        return "true" if value else "false"
    if dtype.startswith("float") or dtype == "bfloat16":
        value = float(value)
        if math.isnan(value) or math.isinf(value):
            bits = {"float32": ("0x7F800000", "0xFF800000", "0x7FC00000")}[dtype]
            return bits[2] if math.isnan(value) else bits[value < 0]
        mantissa, _, exponent = repr(value).partition("e")
        return (mantissa if "." in mantissa else mantissa + ".0") + ("e" + exponent if exponent else "")
    return str(int(value))


class Writer:
    def __init__(self, nodes):
        self.nodes, self.lines, self.values, self.inputs = nodes, [], {}, []
        self.count = 0

    def emit(self, text: str) -> str:
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value, dtype) -> str:
        dense = literal(value, dtype)
        return self.emit(f"tiny.constant dense<{dense}> : tensor<{ELEMENT[dtype]}>")

    def cast(self, value, shape, source, target) -> str:
        if source == target:
            return value
        return self.emit(f"tiny.cast {value} : ({tensor_type(shape, source)}) -> {tensor_type(shape, target)}")

    def operand(self, index, wanted):
        """A node's value in the wanted dtype where its own is weak; returns (value, shape, dtype)."""
        node = self.nodes[index]
        if node["op"] == "CONST" and node.get("arg") == "invalid" or node["op"] != "CONST" and self.values[index] is None:
            raise Unsupported("an operation on an invalid value")
        if node["op"] == "CONST" and node["dtype"] in WEAK:
            return self.constant(node["arg"], wanted), [], wanted
        value, shape, dtype = self.values[index]
        if node["dtype"] in WEAK and dtype != wanted:
            return self.cast(value, shape, dtype, wanted), shape, wanted
        return value, shape, dtype

    def apply(self, op, operands, result_shape, result_dtype, middle="") -> str:
        names = ", ".join(value for value, _, _ in operands)
        types = ", ".join(tensor_type(shape, dtype) for _, shape, dtype in operands)
        return self.emit(f"tiny.{op} {names}{middle} : ({types}) -> {tensor_type(result_shape, result_dtype)}")

    def strong(self, sources):
        """The dtype that weak operands take from their neighbours."""
        for index in sources:
            if self.nodes[index]["dtype"] not in WEAK:
                return self.nodes[index]["dtype"]
        return WEAK[self.nodes[sources[-1]]["dtype"]]

    def node(self, index):
        node = self.nodes[index]
        op, sources, arg = node["op"], node.get("src", []), node.get("arg")
        dtype = WEAK.get(node["dtype"], node["dtype"])
        shape = node["shape"]
        if op == "CONST":
            return None if arg == "invalid" else (self.constant(arg, dtype), [], dtype)
        if op == "BUFFER":
            self.inputs.append(index)
            return f"%arg{len(self.inputs) - 1}", shape, dtype
        if op == "DETACH" and self.values[sources[0]] is not None:
            value, shape, dtype = self.values[sources[0]]
            return self.apply("detach", [(value, shape, dtype)], shape, dtype), shape, dtype
        if op in SAME:
            return self.values[sources[0]]
        if op in ("RESHAPE", "EXPAND", "PERMUTE", "PAD", "SHRINK", "FLIP"):
            if self.values[sources[0]] is None:
                return None
            return self.movement(op, self.values[sources[0]], shape, arg)
        if op == "STACK":
            operands = [self.operand(source, dtype) for source in sources]
            if any(tuple(s) != tuple(operands[0][1]) for _, s, _ in operands):
                raise Unsupported("STACK of different shapes")
            return self.apply("stack", operands, shape, dtype, " axis 0"), shape, dtype
        if op == "REDUCE":
            value, source_shape, source_dtype = self.values[sources[0]]
            kind, axes = arg
            if axes == 0:
                return value, source_shape, source_dtype
            list_of = ", ".join(str(axis) for axis in range(axes))
            accumulated = source_dtype
            if kind != "MAX" and source_dtype in ("bool", "int8", "int16"):
                accumulated = "int32"
            elif kind != "MAX" and source_dtype in ("uint8", "uint16"):
                accumulated = "uint32"
            result = self.apply(REDUCE[kind], [(value, source_shape, source_dtype)], shape, accumulated,
                                f" axes [{list_of}]")
            return self.cast(result, shape, accumulated, dtype), shape, dtype
        if op == "CAST":
            value, source_shape, source_dtype = self.operand(sources[0], dtype)
            return self.cast(value, source_shape, source_dtype, dtype), shape, dtype
        if op == "WHERE":
            branch = self.strong(sources[1:])
            operands = [self.operand(sources[0], "bool")] + [self.operand(source, branch) for source in sources[1:]]
            return self.apply("where", operands, shape, branch), shape, branch
        if op in UNARY:
            operand = self.operand(sources[0], dtype)
            return self.apply(UNARY[op], [operand], shape, dtype), shape, dtype
        if op in BINARY:
            wanted = self.strong(sources)
            operands = [self.operand(source, wanted) for source in sources]
            if op in ("ADD", "MUL", "MAX") and wanted == "bool":
                op = {"ADD": "OR", "MUL": "AND", "MAX": "OR"}[op]
            result = "bool" if op.startswith("CMP") else wanted
            return self.apply(BINARY[op], operands, shape, result), shape, result
        if op == "AFTER":
            return self.after(node)
        if op == "STORE":
            return None
        raise Unsupported(op)

    def movement(self, op, source, shape, arg):
        value, before, dtype = source
        if op == "RESHAPE":
            text = f"reshape {value}"
        elif op == "EXPAND":
            text = f"expand {value}"
        elif op == "PERMUTE":
            text = f"permute {value} {arg}"
        elif op == "FLIP":
            text = f"flip {value} {[axis for axis, flipped in enumerate(arg) if flipped]}"
        elif op == "PAD":
            low = [offset for offset, _ in arg]
            high = [out - offset - dim for (offset, out), dim in zip(arg, before)]
            text = f"pad {value} low {low} high {high}"
        else:
            begin = [offset for offset, _ in arg]
            end = [offset + size for offset, size in arg]
            text = f"shrink {value} begin {begin} end {end}"
        result = self.emit(f"tiny.{text} : ({tensor_type(before, dtype)}) -> {tensor_type(shape, dtype)}")
        return result, shape, dtype

    def after(self, node):
        """What a view of a buffer, or all of it, holds after stores to views of it."""
        base, *effects = node["src"]
        dtype = WEAK.get(node["dtype"], node["dtype"])
        current = self.values[base]
        for effect in effects:
            what = self.nodes[effect]
            if what["op"] not in ("STORE", "AFTER"):
                raise Unsupported("AFTER of " + what["op"])
            target, stored = what["src"][0], what["src"][1] if what["op"] == "STORE" else effect
            if self.values[stored] is None:  # an invalid value: nothing is stored
                continue
            path = self.path(target, base)
            shape = self.nodes[target]["shape"]
            value, before, source = self.operand(stored, dtype)
            if list(before) != list(shape):
                same = math.prod(before) == math.prod(shape)
                value, _, _ = self.movement("RESHAPE" if same else "EXPAND", (value, before, source), shape, None)
            current = self.insert(current, (self.cast(value, shape, source, dtype), shape, dtype), path)
        return current

    def path(self, view, base):
        """The movements from `base` to a view of it, the last first."""
        movements = []
        while view != base:
            node = self.nodes[view]
            if node["op"] not in ("RESHAPE", "PERMUTE", "SHRINK", "FLIP"):
                raise Unsupported("STORE to what is no view of the buffer")
            movements.append(node)
            view = node["src"][0]
        return movements

    def insert(self, current, value, path):
        """`current` with the elements that `path` leads to replaced by those of `value`."""
        mask = None
        for node in path:
            before = self.nodes[node["src"][0]]["shape"]
            op, arg = node["op"], node.get("arg")
            if op == "SHRINK":
                op, arg = "PAD", [[offset, dim] for (offset, _), dim in zip(arg, before)]
                if mask is None:
                    true = (self.constant(True, "bool"), [], "bool")
                    mask = self.movement("EXPAND", true, node["shape"], None)
            elif op == "PERMUTE":
                arg = [arg.index(axis) for axis in range(len(arg))]
            value = self.movement(op, value, before, arg)
            mask = mask and self.movement(op, mask, before, arg)
        if mask is None:
            return value
        _, shape, dtype = current
        return self.apply("where", [mask, value, current], shape, dtype), shape, dtype


def write_program(nodes, outputs, gradients=()) -> Program:
    """The graph as one function `main`, with the gradients of its first result's sum with respect to the arguments at
    these positions as further results. Raises Unsupported."""
    writer = Writer(nodes)
    for index in range(len(nodes)):
        writer.values[index] = writer.node(index)
    results = [writer.values[output] for output in outputs]
    if None in results:
        raise Unsupported("an invalid value as a result")
    for position in gradients:
        _, shape, dtype = writer.values[writer.inputs[position]]
        loss, *loss_type = results[0]
        value = writer.emit(f"tiny.gradient {loss} wrt %arg{position} : ({tensor_type(*loss_type)}, "
                            f"{tensor_type(shape, dtype)}) -> {tensor_type(shape, dtype)}")
        results.append((value, shape, dtype))
    inputs = [(nodes[i]["shape"], WEAK.get(nodes[i]["dtype"], nodes[i]["dtype"])) for i in writer.inputs]
    arguments = ", ".join(f"%arg{k}: {tensor_type(*argument)}" for k, argument in enumerate(inputs))
    types = ", ".join(tensor_type(shape, dtype) for _, shape, dtype in results)
    names = ", ".join(value for value, _, _ in results)
    text = "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *writer.lines,
                      f"  return {names} : {types}", "}", ""])
    return Program(text, writer.inputs, inputs, [(shape, dtype) for _, shape, dtype in results])
