"""Recorded movement chains and view stacks through lazy-fold-views.

Each case becomes a function on a tensor; the views that are left are read back from the printed tracker and compared,
element by element, with what was recorded or with the stack as it was given.
"""
import itertools
import math
import random
import re

from . import tool

POINTS = 100000


class View:
    """(shape, strides, offset, mask), with mask None for no mask."""

    def __init__(self, shape, strides, offset=0, mask=None):
        self.shape, self.strides, self.offset, self.mask = list(shape), list(strides), offset, mask

    @staticmethod
    def recorded(facts):
        return View(facts["shape"], facts["strides"], facts["offset"], facts["mask"])

    def __str__(self):
        text = f"({', '.join(map(str, self.shape))}):({', '.join(map(str, self.strides))})"
        if self.offset:
            text += f" + {self.offset}"
        if self.mask:
            text += f" mask [{', '.join(f'{b}:{e}' for b, e in self.mask)}]"
        return text

    def at(self, index):
        if self.mask and any(not b <= i < e for i, (b, e) in zip(index, self.mask)):
            return -1
        return self.offset + sum(i * s for i, s in zip(index, self.strides))

    def at_linear(self, position):
        index = []
        for size in reversed(self.shape):
            index.append(position % size)
            position //= size
        return self.at(index[::-1])

    def reach(self):
        """The greatest position that a valid element reads."""
        mask = self.mask or [(0, size) for size in self.shape]
        if any(b >= e for b, e in mask) or 0 in self.shape:
            return 0
        return self.offset + sum(max(b * s, (e - 1) * s) for (b, e), s in zip(mask, self.strides))


def contiguous(shape):
    strides = [math.prod(shape[k + 1:]) if size != 1 else 0 for k, size in enumerate(shape)]
    return View(shape, [0] * len(shape) if 0 in shape else strides)


def read(views, index):
    """The buffer position at an index of the last view, or -1."""
    position = views[-1].at(index)
    for view in reversed(views[:-1]):
        if position < 0:
            return -1
        position = view.at_linear(position)
    return position


def parse_views(text):
    views = []
    pattern = r"\(([^)]*)\):\(([^)]*)\)(?: \+ (-?\d+))?(?: mask \[([^\]]*)\])?"
    for shape, strides, offset, mask in re.findall(pattern, text):
        numbers = [[int(n) for n in part.split(",") if n.strip()] for part in (shape, strides)]
        intervals = [[int(n) for n in part.split(":")] for part in mask.split(",")] if mask else None
        views.append(View(*numbers, int(offset or 0), intervals))
    return views


def type_of(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def step(name, value, op, arg, shape):
    """One movement as an operation, and the shape it leaves."""
    def numbers(values):
        return "[" + ", ".join(map(str, values)) + "]"

    if op in ("reshape", "expand"):
        after, text = arg, ""
    elif op == "permute":
        after, text = [shape[a] for a in arg], " " + numbers(arg)
    elif op == "flip":
        after, text = shape, " " + numbers([k for k, flipped in enumerate(arg) if flipped])
    elif op == "shrink":
        after = [e - b for b, e in arg]
        text = f" begin {numbers(b for b, _ in arg)} end {numbers(e for _, e in arg)}"
    else:
        after = [size + b + e for size, (b, e) in zip(shape, arg)]
        text = f" low {numbers(b for b, _ in arg)} high {numbers(e for _, e in arg)}"
    return f"  {name} = lazy.{op} {value}{text} : {type_of(shape)} -> {type_of(after)}", after


def step_view(op, arg, shape):
    """One movement of a contiguous buffer as a view."""
    view = contiguous(shape)
    if op == "reshape":
        return contiguous(arg)
    if op == "expand":
        return View(arg, [0 if old != new else s for old, new, s in zip(shape, arg, view.strides)])
    if op == "permute":
        return View([shape[a] for a in arg], [view.strides[a] for a in arg])
    if op == "flip":
        offset = sum((size - 1) * s for size, s, flipped in zip(shape, view.strides, arg) if flipped)
        return View(shape, [-s if flipped else s for s, flipped in zip(view.strides, arg)], offset)
    if op == "shrink":
        return View([e - b for b, e in arg], view.strides, sum(b * s for (b, _), s in zip(arg, view.strides)))
    return View([size + b + e for size, (b, e) in zip(shape, arg)], view.strides,
                -sum(b * s for (b, _), s in zip(arg, view.strides)), [(b, b + size) for size, (b, _) in zip(shape, arg)])


def movement_stack(case):
    """The movements one by one, nothing merged."""
    stack, shape = [contiguous(case["initial_shape"])], case["initial_shape"]
    for op, arg in case["ops"]:
        stack.append(step_view(op, arg, shape))
        shape = stack[-1].shape
    return stack


def movement_function(name, case):
    lines, value, shape = [], "%b", case["initial_shape"]
    for n, (op, arg) in enumerate(case["ops"]):
        line, shape = step(f"%{n}", value, op, arg, shape)
        lines.append(line)
        value = f"%{n}"
    return function(name, case["initial_shape"], lines, value, shape)


def stack_function(name, stacks, size):
    """One lazy.view for each stack, the first next to the buffer."""
    lines, value, shape = [], "%b", [size]
    for n, views in enumerate(stacks):
        tracker = ", ".join(map(str, views))
        lines.append(f"  %{n} = lazy.view {value} <{tracker}> : {type_of(shape)} -> {type_of(views[-1].shape)}")
        value, shape = f"%{n}", views[-1].shape
    return function(name, [size], lines, value, shape)


def function(name, source, lines, value, shape):
    return "\n".join([f"func.func @{name}(%b: {type_of(source)}) -> {type_of(shape)} {{", *lines,
                      f"  return {value} : {type_of(shape)}", "}"])


def come_back(body, target):
    """The views that a folded function reads through; the identity has none left."""
    lines = [line for line in body.splitlines() if " = " in line]
    if not lines:
        return [contiguous(target)]
    if len(lines) > 1 or "lazy.view" not in lines[0]:
        return None
    return parse_views(lines[0].split("<", 1)[1].rsplit("> :", 1)[0])


def sample(stack, seed):
    """Indices of the last view: mask edges of every axis, and seeded points."""
    shape = stack[-1].shape
    edges = []
    for axis, size in enumerate(shape):
        b, e = stack[-1].mask[axis] if stack[-1].mask else (0, size)
        edges.append(sorted({k for k in (0, 1, b - 1, b, e - 1, e, size - 2, size - 1) if 0 <= k < size}))
    yield from itertools.islice(itertools.product(*edges), POINTS)
    generator = random.Random(seed)
    for _ in range(POINTS):
        yield [generator.randrange(size) for size in shape]


def compare(views, case, shape, given=None):
    if views is None:
        return "more than one operation is left"
    if "indices" in case:
        # Masks and strides factor by axis, so that large cases go row by row.
        for n, (index, expected) in enumerate(zip(itertools.product(*map(range, shape)), case["indices"])):
            if read(views, index) != expected:
                return f"element {n} reads {read(views, index)}, recorded {expected}: {', '.join(map(str, views))}"
        return None
    for index in sample(given, case["id"]):
        if read(views, index) != read(given, index):
            return f"at {index} reads {read(views, index)}, the stack {read(given, index)}: {', '.join(map(str, views))}"
    return None


def run(corpus, report):
    """Runs every case; `report(id, failure or None)` hears of each. Says in the end how many views are left."""
    prepared = []

    def prepare(identity, text, target, check):
        prepared.append((identity, text, target, check))

    totals = {"given": 0, "recorded": 0, "left": 0}

    def counted(case, shape, given):
        def check(views):
            limit = case["tinygrad"]["views_simplified"]
            if views is not None and "views" in case:
                totals["given"] += len(given)
                totals["recorded"] += limit
                totals["left"] += len(views)
            wrong = compare(views, case, shape, given)
            if wrong is None and len(views) > limit:
                wrong = f"{len(views)} views, recorded {limit}: {', '.join(map(str, views))}"
            return wrong
        return check

    def add_op_sequences(n, case):
        prepare(case["id"], movement_function(f"ops{n}", case), case["final_shape"],
                counted(case, case["final_shape"], movement_stack(case)))

    def add_view_stacks(n, case):
        views = [View.recorded(v) for v in case["views"]]
        size = views[0].reach() + 1
        prepare(case["id"], stack_function(f"stack{n}", [views], size), views[-1].shape,
                counted(case, views[-1].shape, views))

    # The first view of a pair stands next to the buffer; an expected merge is one view that reads the same.
    def add_view_merge_pairs(n, case):
        views = [View.recorded(case["v2_outer_first"]), View.recorded(case["v1"])]
        identity, size = f"merge{n}", views[0].reach() + 1

        def check(left, views=views, case=case, identity=identity):
            wrong = compare(left, {"id": identity}, views[-1].shape, views) if 0 not in views[-1].shape else None
            # Two views is what the original gave up on; one is what it should be.
            return wrong or (f"{len(left)} views" if len(left) > 1 else None)
        prepare(identity, stack_function(identity, [views], size), views[-1].shape, check)

    def add_compose(n, case):
        first, second = ([View.recorded(v) for v in case[key]] for key in ("first", "second"))
        expected = [View.recorded(v) for v in case["sum"]]
        identity, size = f"compose{n}", max(math.prod(first[0].shape), first[0].reach() + 1)

        def check(left, expected=expected, identity=identity):
            wrong = compare(left, {"id": identity}, expected[-1].shape, expected)
            return wrong or (f"{len(left)} views" if len(left) > len(expected) else None)
        prepare(identity, stack_function(identity, [first, second], size), expected[-1].shape, check)

    # An inverse undoes: the two together are the identity, over the elements that the first keeps.
    def add_invert(n, case):
        views, identity = [View.recorded(v) for v in case["views"]], f"invert{n}"
        size = math.prod(case["out_shape"])
        if case["inverse"] is None:
            def check(left, views=views):
                positions = [read(views, index) for index in itertools.product(*map(range, views[-1].shape))]
                return "has an inverse" if sorted(positions) == list(range(size)) else None
            prepare(identity, stack_function(identity, [views], views[0].reach() + 1), views[-1].shape, check)
            return
        inverse = [View.recorded(v) for v in case["inverse"]]

        def check(left, out=case["out_shape"], identity=identity):
            return compare(left, {"id": identity}, out, [contiguous(out)])
        prepare(identity, stack_function(identity, [views, inverse], views[0].reach() + 1),
                case["out_shape"], check)

    # Axes merge where a reshape to the merged sizes stays one view with the recorded strides.
    def add_merge_dims(n, case):
        view = View(case["shape"], case["strides"], 0, case["mask"])
        merged = contiguous([size for size, _, _ in case["merged"]])
        identity, size = f"dimensions{n}", view.reach() + 1

        def check(left, identity=identity, view=view, merged=merged):
            return compare(left, {"id": identity}, merged.shape, [view, merged]) or (
                f"{len(left)} views" if len(left) != 1 else None)
        prepare(identity, stack_function(identity, [[view, merged]], size), merged.shape, check)

    for key, add in (("op_sequences", add_op_sequences),
                     ("view_stacks", add_view_stacks),
                     ("view_merge_pairs", add_view_merge_pairs),
                     ("compose", add_compose),
                     ("invert", add_invert),
                     ("merge_dims", add_merge_dims)):
        for n, case in enumerate(corpus[key]):
            _, error = tool.guarded(add, n, case)
            if error:
                report(case.get("id", f"{key}{n}"), f"can't be written: {error}")

    bodies = tool.tiny_opt_each(["--lazy-fold-views"], [function for _, function, _, _ in prepared])
    for (identity, _, target, check), (body, error) in zip(prepared, bodies):
        failure = None
        if error is None:
            failure, error = tool.guarded(lambda: check(come_back(body, target)))
        report(identity, error or failure)
    print(f"view stacks: {totals['given']} views given, {totals['recorded']} recorded as simplified, {totals['left']} left")
