"""Training steps of a framework as a contestant. See Contestant.h for the protocol.

usage: training.py tiny|torch|compiled digits|transformer LOSSES; OMP_NUM_THREADS says on how many threads. `compiled`
is PyTorch's torch.compile. Preparing is what follows the imports, up to the first step's loss. Then come steps up to the
50th, and their losses are written to the file LOSSES, one a line. Weights and data depend on names and shapes alone, so
that all frameworks begin the same.
"""
import importlib.util
import os
import pathlib
import resource
import sys
import time
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEPS = 50
# The transformer: tokens, width, heads, blocks, positions, rows of a batch.
TOKENS, WIDTH, HEADS, BLOCKS, POSITIONS, ROWS = 96, 128, 4, 2, 64, 16


def draw(name, shape):
    """A tensor's first values, as its name and shape say."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if len(shape) == 1:  # biases, and scales of norms
        return (random.uniform(-0.05, 0.05, shape) + ("norm" in name and name.endswith("weight"))).astype(np.float32)
    bound = 1 if "embed" in name else 1 / np.sqrt(np.prod(shape[1:]))
    return random.uniform(-bound, bound, shape).astype(np.float32)


def batches(problem):
    """Inputs and targets of the steps, again and again."""
    if problem == "digits":
        folder = ROOT / "examples" / "train-digits"
        images, labels = np.load(folder / "images.npy"), np.load(folder / "labels.npy")
        rows = [slice(start, start + 64) for start in range(0, len(images) - 63, 64)]
        return [(images[row], labels[row]) for row in rows]
    text = np.frombuffer((ROOT / "docs" / "Tensor.md").read_bytes(), np.uint8).astype(np.int64)
    text = np.clip(text - 32, 0, TOKENS - 1)
    random = np.random.default_rng(0)
    starts = random.integers(0, len(text) - POSITIONS - 1, (40, ROWS))
    windows = text[starts[:, :, None] + np.arange(POSITIONS + 1)]
    return [(window[:, :-1].copy(), window[:, 1:].copy()) for window in windows]


def networks(nn, F, attend, linear_flatten):
    """The classes of the networks, in what two libraries share."""
    class Digits(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.norm1 = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
            self.conv2, self.norm2 = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
            self.linear = nn.Linear(128, 10)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.norm1(self.conv1(x.float() / 16))), 2)
            x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
            return self.linear(linear_flatten(x))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            heads = self.project(self.norm1(x)).reshape(ROWS, POSITIONS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            seen = attend(heads[0], heads[1], heads[2], is_causal=True)
            x = x + self.out(seen.permute(0, 2, 1, 3).reshape(ROWS, POSITIONS, WIDTH))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.places = nn.Embedding(TOKENS, WIDTH), nn.Embedding(POSITIONS, WIDTH)
            self.block0, self.block1 = Block(), Block()
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TOKENS)

        def forward(self, x):
            x = self.embed(x) + self.places.weight
            return self.head(self.norm(self.block1(self.block0(x)))).reshape(-1, TOKENS)

    return {"digits": Digits, "transformer": Transformer}


def make_tiny(problem):
    """A function from a batch of arrays to its loss, after which the step is done."""
    import tiny
    from tiny import Tensor, nn, optim

    class Functions:
        relu, gelu = staticmethod(tiny.relu), staticmethod(tiny.gelu)
        max_pool2d = staticmethod(lambda x, size: x.max_pool2d(size))

    network = networks(nn, Functions, tiny.scaled_dot_product_attention, lambda x: x.flatten(1))[problem]()
    network.load_state_dict({name: draw(name, tensor.shape) if "running" not in name else tensor
                             for name, tensor in network.state_dict().items()})
    optimizer = optim.AdamW(network.parameters(), lr=1e-3)

    @tiny.jit
    def train(x, y):
        loss = network(x).cross_entropy(y)
        optimizer.step(loss)
        return loss

    return lambda x, y: train(Tensor(x), Tensor(y.reshape(-1))).item()


def make_torch(problem, threads, compiles):
    import torch
    from torch import nn
    from torch.nn import functional

    torch.set_num_threads(threads)
    network = networks(nn, functional, functional.scaled_dot_product_attention, lambda x: x.flatten(1))[problem]()
    with torch.no_grad():
        for name, tensor in network.named_parameters():
            tensor.copy_(torch.from_numpy(draw(name, tuple(tensor.shape))))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)

    def compute(x, y):
        return functional.cross_entropy(network(x), y)
    compute = torch.compile(compute) if compiles else compute

    def train(x, y):
        loss = compute(torch.from_numpy(x), torch.from_numpy(y.reshape(-1)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()
    return train


def seconds():
    """By the wall clock, and of the processor: of this process with its threads and children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return np.array([time.perf_counter(), sum(use.ru_utime + use.ru_stime for use in used)])


def main():
    name, problem, path = sys.argv[1:]
    module = "tiny" if name == "tiny" else "torch"
    if not importlib.util.find_spec(module):
        sys.exit(f"{module} is not installed")
    importlib.import_module(module)
    if problem not in ("digits", "transformer"):
        sys.exit(f"expects digits or transformer, got '{problem}'")
    steps = batches(problem)
    start = seconds()
    train = make_tiny(problem) if name == "tiny" else make_torch(problem, int(os.environ.get("OMP_NUM_THREADS", "1")),
                                                                 name == "compiled")
    losses = [train(*steps[0])]
    prepared = seconds() - start
    losses += [train(*steps[step % len(steps)]) for step in range(1, STEPS)]
    pathlib.Path(path).write_text("".join(f"{loss}\n" for loss in losses))
    print("ready", *prepared, flush=True)
    for line in sys.stdin:
        start, count = seconds(), int(line)
        for step in range(count):
            train(*steps[step % len(steps)])
        print(*((seconds() - start) / count), flush=True)


main()
