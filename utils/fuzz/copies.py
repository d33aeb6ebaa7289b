"""The least that must be copied for the updates of a program, by search, against what lazy-plan-state copies.

Programs of a few groups on states of one type. A group is one of
- `sum`: a state computed elementwise from two, which may be stored over either;
- `flip`: computed from one, in an order that can't be stored over it;
- `put`: assigns a few elements, given or read from another state, to a state;
- `read`: reduces states to a number, which is no state.
"""
import dataclasses
import heapq
import itertools
import re

SIZE = 8
TYPE = f"tensor<{SIZE}xf32>"


@dataclasses.dataclass(frozen=True)
class Group:
    kind: str
    reads: tuple  # numbers of states, or one state and None where the value is given


@dataclasses.dataclass
class Program:
    """Its states are the arguments, then what each group but `read` makes."""
    donated: list  # by argument
    groups: list
    results: list  # (state, the argument that it aliases or None)

    def states(self):
        made = itertools.count(len(self.donated))
        return {k: next(made) for k, group in enumerate(self.groups) if group.kind != "read"}

    def print(self, name):
        made = self.states()
        arguments = [f"%s{k}: {TYPE}" + (" {tiny.donated}" if donated else "") for k, donated in enumerate(self.donated)]
        lines = []
        for k, group in enumerate(self.groups):
            inputs = [f"%s{state}" if state is not None else "%v" for state in group.reads]
            types = [TYPE if state is not None else "tensor<3xf32>" for state in group.reads]
            result = f"%s{made[k]}" if k in made else f"%n{k}"
            type_of = TYPE if k in made else "tensor<f32>"
            body = {
                "sum": [f"%r = arith.addf %i0, %i1 : {TYPE}"],
                "flip": [f"%r = lazy.flip %i0 [0] : {TYPE} -> {TYPE}"],
                "put": [(f"%p = lazy.view %i1 <(3):(2) + 1> : {TYPE} -> tensor<3xf32>" if group.reads[-1] is not None else
                         "%p = arith.negf %i1 : tensor<3xf32>"),
                        f"%r = lazy.assign %p, %i0 <(3):(2)> : tensor<3xf32>, {TYPE}"],
                "read": [f"%q{j} = lazy.reduce addf (%i{j}) axes [0] : ({TYPE}) -> tensor<f32>"
                         for j in range(len(inputs))] +
                        ["%r = arith.addf %q0, %q1 : tensor<f32>"],
            }[group.kind]
            lines.append(f'    {result} = lazy.group "{group.kind}" ({", ".join(inputs)}) : ({", ".join(types)}) -> {type_of} {{')
            lines.append("    ^bb0(" + ", ".join(f"%i{j}: {t}" for j, t in enumerate(types)) + "):")
            lines += ["      " + line for line in body] + [f"      lazy.yield %r : {type_of}", "    }"]
        values = [f"%s{state}" for state, _ in self.results] + [f"%n{k}" for k in range(len(self.groups)) if k not in made]
        types = [TYPE] * len(self.results) + ["tensor<f32>"] * (len(values) - len(self.results))
        results = [TYPE + (f" {{tiny.aliases = {alias} : i64}}" if alias is not None else "") for _, alias in self.results]
        results += ["tensor<f32>"] * (len(values) - len(self.results))
        return "\n".join([f"  func.func @{name}({', '.join(arguments + ['%v: tensor<3xf32>'])}) -> ({', '.join(results)}) {{",
                          *lines, f"    return {', '.join(values)} : {', '.join(types)}", "  }"])


def draw(rng):
    count = rng.randint(1, 3)
    donated = [rng.random() < 0.75 for _ in range(count)]
    groups, states = [], list(range(count))
    for _ in range(rng.randint(0, 4)):
        kind = rng.choice(["put", "put", "put", "put", "sum", "flip", "read"])
        reads = (rng.choice(states), rng.choice(states))
        if kind == "flip":
            reads = reads[:1]
        if kind == "put" and rng.random() < 0.6:
            reads = (reads[0], None)
        if kind in ("sum", "read") and reads[0] == reads[1]:
            continue
        groups.append(Group(kind, reads))
        if kind != "read":
            states.append(len(states))
    results = []
    for argument, isDonated in enumerate(donated):
        if isDonated and rng.random() < 0.8:
            results.append((rng.choice(states[-3:] + [argument]), argument))
    for _ in range(rng.randint(0 if results else 1, 2)):
        results.append((rng.choice(states), None))
    # Without groups that nobody needs: those would hinder the others.
    program = Program(donated, groups, results)
    needed = {state for state, _ in results} | {state for group in groups if group.kind == "read" for state in group.reads}
    for k, state in sorted(program.states().items(), reverse=True):
        if state in needed:
            needed |= set(groups[k].reads)
    return program if needed >= set(program.states().values()) else draw(rng)


def least(program):
    """The fewest copies of a state that any order and any choice of buffers takes."""
    made = program.states()
    count = len(program.donated)
    # Buffers hold a state each; the last ones are new. Which of these is which does not matter.
    start = (0, tuple(range(count)), ())
    queue, best, serial = [(0, 0, start)], {start: 0}, itertools.count(1)
    final = {state for state, _ in program.results}
    # What `put` reads of another state is none of what `put` assigns: it is there in what is made of that state too.
    same = list(range(count))
    for k in sorted(made):
        same.append(same[program.groups[k].reads[0]] if program.groups[k].kind == "put" else made[k])

    def find_wanted(done):
        """The states that somebody will want, all of them or what `put` leaves."""
        whole, part = set(final), set()
        for k, group in enumerate(program.groups):
            if not done >> k & 1:
                reads = [state for state in group.reads if state is not None]
                whole |= set(reads[:1] if group.kind == "put" else reads)
                part |= {same[state] for state in reads[1:] if group.kind == "put"}
        return {state for state in range(len(same)) if state in whole or same[state] in part}

    spare = len(program.groups) + len(program.results) + 1

    def is_done(done, own, new):
        if done != (1 << len(program.groups)) - 1:
            return False
        for state, alias in program.results:
            if alias is not None:
                if own[alias] != state:
                    return False
            elif state not in new and not (state < count and not program.donated[state] and own[state] == state):
                return False
        return True

    while queue:
        cost, _, node = heapq.heappop(queue)
        if cost > best[node]:
            continue
        done, own, new = node
        if is_done(*node):
            return cost
        # What nobody wants any more need not be told apart.
        wanted = find_wanted(done)
        steps = []
        buffers = own + new

        def put(at, state):
            """The node with a state in a buffer; `at` is its length for a new one."""
            if at < count:
                return own[:at] + (state,) + own[at + 1:], new
            rest = list(new)
            if at == len(buffers):
                rest.append(state)
            else:
                rest[at - count] = state
            return own, tuple(rest)

        targets = [at for at in range(len(buffers)) if at >= count or program.donated[at]]
        if len(new) < spare:
            targets.append(len(buffers))
        for state in set(buffers) & wanted:
            for at in targets:
                if at == len(buffers) or buffers[at] != state:
                    steps.append((1, done, *put(at, state)))
        for k, group in enumerate(program.groups):
            reads = [state for state in group.reads if state is not None]
            if done >> k & 1 or any(state not in buffers for state in (reads[:1] if group.kind == "put" else reads)):
                continue
            if group.kind == "put" and reads[1:] and all(s is None or same[s] != same[reads[1]] for s in buffers):
                continue
            after = done | 1 << k
            if k not in made:
                steps.append((0, after, own, new))
                continue
            for at in targets:
                if group.kind == "put":
                    if at == len(buffers) or buffers[at] != group.reads[0]:
                        continue
                elif group.kind == "flip" and at < len(buffers) and buffers.count(group.reads[0]) == (buffers[at] == group.reads[0]):
                    continue
                steps.append((0, after, *put(at, made[k])))
        for extra, after, own_after, new_after in steps:
            wants = find_wanted(after)
            own_after = tuple(s if s in wants else None for s in own_after)
            new_after = tuple(sorted(s for s in new_after if s in wants))
            successor = (after, own_after, new_after)
            if cost + extra < best.get(successor, 1 << 30):
                best[successor] = cost + extra
                heapq.heappush(queue, (cost + extra, next(serial), successor))
    raise AssertionError("no order computes the results")


def count_copies(text):
    """By function, f0 and so on: the elements of all copies."""
    return {int(name): sum(int(size) for size in re.findall(r"kernel\.copy .* : memref<(\d+)xf32>", body))
            for name, body in re.findall(r"kernel\.program @f(\d+)\(((?:.*\n)*?)  \}\n", text)}


class Copies:
    """Draws programs and compares. Each state is decided for itself, so some may copy one or two more
    than the least."""
    share = 0.03

    def __init__(self):
        self.count, self.more = 0, []

    def check(self, rng, count, run):
        """What is wrong with some of `count` programs, as text; `run` calls tiny-opt with options on functions."""
        programs = [draw(rng) for _ in range(count)]
        functions = [program.print(f"f{k}") for k, program in enumerate(programs)]
        self.count += count
        done, wrong = run(["--check-passes", "--lazy-plan-state", "--convert-lazy-to-kernel", "--verify-kernel"], functions)
        if wrong:
            return [f"// {wrong} (copies)\n" + "\n".join(functions)]
        copied, found = count_copies(done.stdout), []
        for k, program in enumerate(programs):
            fewest = least(program)
            if copied[k] == SIZE * fewest:
                continue
            said = f"// {copied[k] / SIZE} states are copied, at least {fewest} must be\n{functions[k]}"
            (self.more if SIZE * fewest < copied[k] <= SIZE * (fewest + 2) else found).append(said)
        return found

    def too_many(self):
        """Those that copy more than the least, if they are many."""
        return self.more if len(self.more) > 3 + self.share * self.count else []
