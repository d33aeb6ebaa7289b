"""train-on-ranks.py digits|transformer RANKS FILE.npy: trains for some steps and writes the losses.

Digits is the network of examples/train-digits, its batch cut among ranks. The transformer has two blocks, each with its
heads and its hidden features cut.
"""
import pathlib
import sys

import numpy as np
import tiny
from tiny import Tensor, nn, optim

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples/train-digits"
NETWORK, RANKS, FILE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
HEADS, WIDTH, WORDS, ROWS = 4, 32, 29, 16


def cut(tensor, axis):
    return tensor.shard(RANKS, axis) if RANKS > 1 else tensor


class Digits(nn.Module):
    def __init__(self):
        self.conv1, self.norm1 = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.conv2, self.norm2 = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.linear = nn.Linear(128, 10)

    def loss(self, x, y):
        x = cut(x, 0)
        x = self.norm1(self.conv1(x)).relu().max_pool2d(2)
        x = self.norm2(self.conv2(x)).relu().max_pool2d(2)
        return self.linear(x.flatten(1)).cross_entropy(y)


class Block(nn.Module):
    """Weights are [out, in]: the first products of each half are cut along what they give, the second along what they sum."""

    def __init__(self):
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        n = self.norm1(x)
        q, k, v = (n.linear(cut(w.weight, 0)).reshape(-1, ROWS, HEADS, WIDTH // HEADS).transpose(1, 2) for w in (self.q, self.k, self.v))
        y = tiny.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(-1, ROWS, WIDTH)
        x = x + y.linear(cut(self.o.weight, 1))
        hidden = self.norm2(x).linear(cut(self.up.weight, 0), self.up.bias).gelu()
        return x + hidden.linear(cut(self.down.weight, 1), self.down.bias)


class Transformer(nn.Module):
    def __init__(self):
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(ROWS, WIDTH)
        self.first, self.second, self.norm, self.out = Block(), Block(), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def loss(self, x, y):
        x = self.words(x) + self.places(tiny.arange(ROWS))
        return self.out(self.norm(self.second(self.first(x)))).transpose(1, 2).cross_entropy(y)


def batches(rng):
    if NETWORK == "digits":
        images, labels = np.load(EXAMPLE / "images.npy").astype(np.float32) / 16, np.load(EXAMPLE / "labels.npy")
        for rows in rng.permutation(len(images))[:20 * 64].reshape(-1, 64):
            yield images[rows], labels[rows]
    else:
        for _ in range(8):
            words = rng.integers(0, WORDS, (4, ROWS + 1))
            yield words[:, :-1], words[:, 1:]


def main():
    tiny.manual_seed(0)
    network = Digits() if NETWORK == "digits" else Transformer()
    optimizer = optim.SGD(network.parameters(), lr=0.05)

    @tiny.jit
    def train(x, y):
        loss = network.loss(x, y)
        optimizer.step(loss)
        return loss

    losses = [train(Tensor(x), Tensor(y)).item() for x, y in batches(np.random.default_rng(0))]
    rank, count = tiny.process_rank()
    assert count in (1, RANKS), f"{count} processes"
    if rank == 0:
        np.save(FILE, losses)


main()
