"""Random view stacks and movement chains through lazy-fold-views, against the element that each position reads."""
import itertools
import math
import re

from corpus import tool, trackers
from corpus.trackers import View


def make_stack(generator, n):
    views = []
    for _ in range(generator.randint(2, 3)):
        # Positions below the size of the view before; the first reads a buffer.
        room = math.prod(views[-1].shape) if views else 40
        shape = [generator.randint(1, 5) for _ in range(generator.randint(1, 3))]
        strides, offset = [], 0
        for size in shape:
            limit = (room - 1 - offset) // max(size - 1, 1)
            stride = generator.choice([0, 1, generator.randint(0, max(limit, 0))])
            stride = min(stride, limit)
            strides.append(stride)
            offset += stride * (size - 1)
        span, offset = offset, 0
        for axis, size in enumerate(shape):
            if generator.random() < 0.3:
                strides[axis], offset = -strides[axis], offset + strides[axis] * (size - 1)
        offset += generator.randint(0, room - 1 - span)
        mask = None
        if generator.random() < 0.5:
            mask = [sorted(generator.sample(range(size + 1), 2)) for size in shape]
        views.append(View(shape, strides, offset, mask))
    return {"id": n, "views": views}


def make_chain(generator, n):
    shape = [generator.randint(1, 5) for _ in range(generator.randint(1, 3))]
    case = {"id": n, "initial_shape": shape, "ops": []}
    for _ in range(generator.randint(2, 7)):
        size = math.prod(shape)
        op = generator.choice(["reshape", "expand", "permute", "pad", "shrink", "flip"])
        if op == "reshape":
            factors, rest = [], size
            while rest > 1:
                factor = generator.choice([d for d in range(2, rest + 1) if rest % d == 0])
                factors.append(factor)
                rest //= factor
            arg = factors or [1]
            arg.insert(generator.randint(0, len(arg)), 1)
        elif op == "expand":
            arg = [generator.choice([1, 2, 3]) if k == 1 else k for k in shape]
        elif op == "permute":
            arg = generator.sample(range(len(shape)), len(shape))
        elif op == "flip":
            arg = [generator.random() < 0.5 for _ in shape]
        elif op == "shrink":
            arg = [sorted(generator.sample(range(k + 1), 2)) for k in shape]
        else:
            arg = [[generator.randint(0, 2), generator.randint(0, 2)] for _ in shape]
        after = trackers.step("", "", op, arg, shape)[1]
        if math.prod(after) <= 2000:
            case["ops"].append([op, arg])
            shape = after
    return case


def stack_of(case):
    return case["views"] if "views" in case else trackers.movement_stack(case)


def show(case, name="fuzz"):
    if "views" in case:
        return trackers.stack_function(name, [case["views"]], case["views"][0].reach() + 1)
    return trackers.movement_function(name, case)


def check(cases):
    """What is wrong with each case, or None. Stops where the tool fails."""
    text = "\n".join(show(case, f"fuzz{n}") for n, case in enumerate(cases))
    output = tool.tiny_opt(["--lazy-fold-views"], text)
    functions = re.split(r"(?=^  func\.func )", output, flags=re.M)[1:]
    assert len(functions) == len(cases)
    return [wrong_with(case, body) for case, body in zip(cases, functions)]


def wrong_with(case, body):
    given = stack_of(case)
    shape = given[-1].shape
    if 0 in shape:
        return None
    constant = " = " in body and "lazy.view" not in body
    left = None if constant else trackers.come_back(body, shape)
    if left is None:
        return "more than one operation is left"
    if len(left) > len(given):
        return f"{len(given)} views became {len(left)}"
    for index in itertools.product(*map(range, shape)):
        if trackers.read(left, index) != trackers.read(given, index):
            return (f"at {list(index)} reads {trackers.read(left, index)} instead of {trackers.read(given, index)}: "
                    f"{', '.join(map(str, left))}")
    return None


def is_valid(views):
    room = None
    for view in views:
        ends = [(b * s, (e - 1) * s) for (b, e), s in zip([(0, size) for size in view.shape], view.strides)]
        low, high = view.offset + sum(map(min, ends)), view.offset + sum(map(max, ends))
        if low < 0 or (room is not None and high >= room):
            return False
        room = math.prod(view.shape)
    return True


def smaller(case):
    if "ops" in case:
        for drop in range(len(case["ops"])):
            ops, shape = case["ops"][:drop] + case["ops"][drop + 1:], case["initial_shape"]
            if len(ops) > 0 and applies(ops, shape):
                yield {**case, "ops": ops}
        for k, (op, arg) in enumerate(case["ops"]):
            if op == "pad":
                for axis, (low, high) in enumerate(arg):
                    for less in ([max(low - 1, 0), high], [low, max(high - 1, 0)]):
                        ops = [list(o) for o in case["ops"]]
                        ops[k] = [op, arg[:axis] + [less] + arg[axis + 1:]]
                        if less != [low, high] and applies(ops, case["initial_shape"]):
                            yield {**case, "ops": ops}
        return
    views = case["views"]
    candidates = [views[:-1], views[1:]]
    for k, view in enumerate(views):
        def put(*facts):
            candidates.append(views[:k] + [View(*facts)] + views[k + 1:])
        if view.mask:
            put(view.shape, view.strides, view.offset, None)
        for axis, size in enumerate(view.shape):
            def without(values):
                return None if values is None else values[:axis] + values[axis + 1:]

            def change(values, value):
                return values[:axis] + [value] + values[axis + 1:]
            if len(view.shape) > 1 and (size == 1 or k == len(views) - 1):
                put(without(view.shape), without(view.strides), view.offset, without(view.mask))
            if size > 1:
                mask = view.mask and change(view.mask, [min(view.mask[axis][0], size - 2), min(view.mask[axis][1], size - 1)])
                if not mask or mask[axis][0] < mask[axis][1]:
                    put(change(view.shape, size - 1), view.strides, view.offset, mask)
            for stride in {0, 1, view.strides[axis] // 2} - {view.strides[axis]}:
                if abs(stride) < abs(view.strides[axis]):
                    put(view.shape, change(view.strides, stride), view.offset, view.mask)
        if view.offset:
            put(view.shape, view.strides, view.offset // 2, view.mask)
    for candidate in candidates:
        if candidate and is_valid(candidate):
            yield {**case, "views": candidate}


def applies(ops, shape):
    for op, arg in ops:
        if op == "reshape":
            fits = math.prod(arg) == math.prod(shape)
        elif op == "expand":
            fits = len(arg) == len(shape) and all(new == old or old == 1 for old, new in zip(shape, arg))
        else:
            fits = len(arg) == len(shape) and (op != "shrink" or all(e <= size for (_, e), size in zip(arg, shape)))
        if not fits:
            return False
        shape = trackers.step("", "", op, arg, shape)[1]
    return True
