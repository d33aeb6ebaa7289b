"""Graphs of lazy operations as programs, and the smallest one that still does what a large one did."""
import dataclasses


def tensor(shape, element):
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + element + ">"


@dataclasses.dataclass(eq=False)
class Value:
    shape: tuple
    element: str

    @property
    def type(self):
        return tensor(self.shape, self.element)


@dataclasses.dataclass(eq=False)
class Op:
    text: str  # with {0}, {1} ... for the operands and {attributes} where these go
    operands: list
    results: list
    group: str = None  # that it asks to stand in

    def print(self, names, with_groups):
        attributes = f' {{lazy.group_id = "{self.group}"}}' if with_groups and self.group else ""
        return self.text.format(*(names[operand] for operand in self.operands), attributes=attributes)


@dataclasses.dataclass
class Graph:
    arguments: list
    ops: list
    results: list  # (value, the donated argument whose next state it is or None)
    donated: frozenset = frozenset()  # arguments

    def print(self, name, with_groups=False):
        names = self.name_arguments()
        body = self.print_ops(names, self.ops, with_groups)
        return self.print_function(name, names, body)

    def name_arguments(self):
        return {value: f"%arg{k}" for k, value in enumerate(self.arguments)}

    def print_function(self, name, names, body):
        """The program whose operations are the lines of `body`; `names` says what they call the results."""
        arguments = [f"{names[value]}: {value.type}" + (" {tiny.donated}" if value in self.donated else "")
                     for value in self.arguments]
        types = [value.type for value, _ in self.results]
        results = [type + (f" {{tiny.aliases = {self.arguments.index(argument)} : i64}}" if argument else "")
                   for type, (_, argument) in zip(types, self.results)]
        values = ", ".join(names[value] for value, _ in self.results)
        return "\n".join([f"  func.func @{name}({', '.join(arguments)}) -> ({', '.join(results)}) {{", *body,
                          f"    return {values} : {', '.join(types)}", "  }"])

    @staticmethod
    def print_ops(names, ops, with_groups=False, prefix="%"):
        """Lines, and in `names` what they call their results."""
        lines = []
        for op in ops:
            name = f"{prefix}{len(names)}"
            printed = op.print(names, with_groups)
            for k, result in enumerate(op.results):
                names[result] = name if len(op.results) == 1 else f"{name}#{k}"
            count = f":{len(op.results)}" if len(op.results) > 1 else ""
            lines.append(f"    {name}{count} = {printed}")
        return lines

    def start(self, count):
        """The first operations, with all that the others and the results read of them."""
        computed = [result for op in self.ops[:count] for result in op.results]
        read = {value for op in self.ops[count:] for value in op.operands} | {value for value, _ in self.results}
        results = [(value, None) for value in computed if value in read]
        # An old state that is read later is still there.
        return Graph(self.arguments, self.ops[:count], results) if results else None


def simpler(graph):
    """Graphs with one thing less, the largest steps first."""
    def but(**changes):
        return dataclasses.replace(graph, **changes)

    for result in graph.results if len(graph.results) > 1 else []:
        yield but(results=[result])
    for k in range(len(graph.results)) if len(graph.results) > 2 else []:
        yield but(results=graph.results[:k] + graph.results[k + 1:])
    # What a result was computed from, instead of it.
    for k, (value, argument) in enumerate(graph.results):
        for op in graph.ops:
            if value in op.results:
                for operand in op.operands:
                    if not argument or operand.type == value.type:
                        yield but(results=graph.results[:k] + [(operand, argument)] + graph.results[k + 1:])
    # Without what nobody needs.
    used = {value for op in graph.ops for value in op.operands} | {value for pair in graph.results for value in pair}
    arguments = [value for value in graph.arguments if value in used]
    if len(arguments) < len(graph.arguments):
        yield but(arguments=arguments, donated=graph.donated & set(arguments))
    needed, ops = {value for pair in graph.results for value in pair}, []
    for op in reversed(graph.ops):
        if needed & set(op.results):
            needed |= set(op.operands)
            ops.insert(0, op)
    arguments = [value for value in graph.arguments if value in needed]
    if len(ops) < len(graph.ops) or len(arguments) < len(graph.arguments):
        yield but(arguments=arguments, ops=ops, donated=graph.donated & set(arguments))
    for k, (value, argument) in enumerate(graph.results):
        if argument:
            yield but(results=graph.results[:k] + [(value, None)] + graph.results[k + 1:])
    aliased = {argument for _, argument in graph.results}
    for argument in graph.arguments:
        if argument in graph.donated - aliased:
            yield but(donated=graph.donated - {argument})
    for group in sorted({op.group for op in graph.ops if op.group}):
        yield but(ops=[dataclasses.replace(op, group=None) if op.group == group else op for op in graph.ops])
    # An operation leaves its group, becomes an argument, or one of its operands of the same type.
    for position, op in reversed(list(enumerate(graph.ops))):
        before, after = graph.ops[:position], graph.ops[position + 1:]
        if op.group:
            yield but(ops=before + [dataclasses.replace(op, group=None)] + after)
        if used & set(op.results):
            yield but(arguments=graph.arguments + op.results, ops=before + after)
        else:
            yield but(ops=before + after)
        for operand in op.operands:
            if len(op.results) == 1 and operand.type == op.results[0].type:
                def swap(value):
                    return operand if value is op.results[0] else value
                yield but(ops=before + [dataclasses.replace(o, operands=[swap(v) for v in o.operands]) for o in after],
                          results=[(swap(value), argument) for value, argument in graph.results])


def minimise(graph, fails):
    """The graph that `fails` and of which nothing more can be left out."""
    progress = True
    while progress:
        progress = False
        for candidate in simpler(graph):
            if fails(candidate):
                graph, progress = candidate, True
                break
    return graph
