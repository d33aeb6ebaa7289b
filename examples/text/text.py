"""Trains a small transformer on this project's pages, letter by letter, and writes what it learned.

    python text.py [--steps=N] [--state=FILE] [--letters=N] [--seed=N]

With --state training goes on from where the file says, if it is there, and leaves its own there: bit for bit as if it
had never stopped.
"""
import argparse
import pathlib
import sys
import time

import numpy as np
import tiny
from tiny import Tensor, nn, optim

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs"
FIRST, LETTERS = 31, 96  # 31 stands for the end of a line and all that is not ASCII, then the printable letters
WIDTH, HEADS, BLOCKS, POSITIONS, ROWS, RATE = 128, 4, 2, 64, 16, 1e-3


class Block(nn.Module):
    def __init__(self):
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        rows = x.shape[0]
        heads = self.project(self.norm1(x)).reshape(rows, POSITIONS, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = tiny.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.out(seen.permute(0, 2, 1, 3).reshape(rows, POSITIONS, WIDTH))
        return x + self.down(self.up(self.norm2(x)).gelu())


class Transformer(nn.Module):
    def __init__(self):
        self.embed, self.places = nn.Embedding(LETTERS, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.blocks = [Block() for _ in range(BLOCKS)]
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS)

    def forward(self, x):
        x = self.embed(x) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def read_pages():
    text = b"".join(path.read_bytes() for path in sorted(PAGES.glob("*.md")))
    letters = np.frombuffer(text, np.uint8).astype(np.int64)
    return np.where((letters > FIRST) & (letters < FIRST + LETTERS), letters - FIRST, 0)


def batch(text, step, seed):
    """Inputs and what follows each letter: the same for a step whatever was before."""
    starts = np.random.default_rng((seed, step)).integers(0, len(text) - POSITIONS, ROWS)
    windows = text[starts[:, None] + np.arange(POSITIONS + 1)]
    return Tensor(windows[:, :-1].copy()), Tensor(windows[:, 1:].reshape(-1).copy())


def write(network, start, count, random):
    """The start, and letters drawn as likely as the network finds them."""
    scores = tiny.jit(lambda window, last: network(window)[0][last])
    letters = [max(ord(letter) - FIRST, 0) for letter in start]
    for _ in range(count):
        known = letters[-POSITIONS:]
        window = np.zeros((1, POSITIONS), np.int64)
        window[0, :len(known)] = known
        likely = np.exp(scores(Tensor(window), Tensor(np.array(len(known) - 1))).numpy().astype(np.float64) / 0.7)
        letters.append(int(random.choice(LETTERS, p=likely / likely.sum())))
    return "".join(chr(letter + FIRST) if letter else "\n" for letter in letters)


def load(path, network, optimizer):
    """The step that follows what the file holds."""
    if not path or not pathlib.Path(path).exists():
        return 0
    state = tiny.load(path)
    for part, owner in (("network.", network), ("optimizer.", optimizer)):
        owner.load_state_dict({name[len(part):]: tensor for name, tensor in state.items() if name.startswith(part)})
    return int(state["steps"].item())


def save(path, network, optimizer, step):
    state = {"steps": Tensor(np.array(step))}
    for part, owner in (("network.", network), ("optimizer.", optimizer)):
        state.update({part + name: tensor for name, tensor in owner.state_dict().items()})
    tiny.save(state, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000, help="how many to train up to, counted from nothing")
    parser.add_argument("--state", help="a .safetensors file to go on from, and to leave the state in")
    parser.add_argument("--letters", type=int, default=400, help="how many to write")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tiny.manual_seed(options.seed)
    text, network = read_pages(), Transformer()
    optimizer = optim.AdamW(network.parameters(), lr=RATE)

    @tiny.jit
    def train(x, y):
        loss = network(x).reshape(-1, LETTERS).cross_entropy(y)
        optimizer.step(loss)
        return loss

    try:
        first = load(options.state, network, optimizer)
    except tiny.Error as error:
        sys.exit(f"error: {options.state}: {error}")
    start, losses = time.perf_counter(), []
    for step in range(first, options.steps):
        losses.append(train(*batch(text, step, options.seed)).item())
        if sys.stdout.isatty():
            print(f"\rstep {step + 1} of {options.steps}, loss {np.mean(losses[-50:]):.3f}, {time.perf_counter() - start:.1f} s", end="", flush=True)
    if losses:
        print(f"{chr(10) if sys.stdout.isatty() else ''}loss: {losses[-1]:.9g} after {options.steps} steps, {np.mean(losses[-50:]):.3f} on average of the last")
    if options.state:
        save(options.state, network, optimizer, max(first, options.steps))
    if options.letters:
        print(write(network, "A kernel ", options.letters, np.random.default_rng(options.seed)))


main()
