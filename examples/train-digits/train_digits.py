"""train-digits.cpp with the Python package: the same network, from nothing.

    python train_digits.py [--epochs=N] [--seed=N]
"""
import argparse
import pathlib
import sys
import time

import numpy as np
import tiny
from tiny import Tensor, nn, optim

HERE = pathlib.Path(__file__).resolve().parent
BATCH, RATE = 64, 2e-3


class Network(nn.Module):
    def __init__(self):
        self.conv1, self.norm1 = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.conv2, self.norm2 = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.linear = nn.Linear(128, 10)

    def forward(self, x):
        x = self.norm1(self.conv1(x)).relu().max_pool2d(2)
        x = self.norm2(self.conv2(x)).relu().max_pool2d(2)
        return self.linear(x.flatten(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    images, labels = np.load(HERE / "images.npy"), np.load(HERE / "labels.npy")
    unseen, truth = np.load(HERE.parent / "digits/images.npy"), np.load(HERE.parent / "digits/labels.npy")
    tiny.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    network = Network()
    optimizer = optim.Adam(network.parameters(), lr=RATE, weight_decay=1e-4)

    @tiny.jit
    def train(x, y):
        loss = network(x.float() / 16).cross_entropy(y)
        optimizer.step(loss)
        return loss

    start = time.perf_counter()
    for epoch in range(options.epochs):
        optimizer.lr = optim.cosine_rate(RATE, epoch, options.epochs)
        order = random.permutation(len(images))[: len(images) // BATCH * BATCH].reshape(-1, BATCH)
        loss = np.mean([train(Tensor(images[rows]), Tensor(labels[rows])).item() for rows in order])
        if sys.stdout.isatty():
            print(f"\repoch {epoch + 1} of {options.epochs}, loss {loss:.4f}, {time.perf_counter() - start:.1f} s", end="", flush=True)
    network.eval()
    right = (network(Tensor(unseen)).argmax(1) == Tensor(truth)).to("int32").sum().item()
    print(f"{chr(10) if sys.stdout.isatty() else ''}loss: {loss:.4f} after {options.epochs} epochs in {time.perf_counter() - start:.1f} s")
    print(f"accuracy: {right} of {len(truth)}")


main()
