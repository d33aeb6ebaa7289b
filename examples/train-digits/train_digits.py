"""train-digits.cpp with the Python package: the same network, from nothing.

    python train_digits.py [--epochs=N] [--stop-after=N] [--state=FILE] [--seed=N] [--ranks=N]

With --state it goes on from where the file says, if it is there, and leaves its own there: bit for bit as if it had never
stopped. With --ranks each batch is cut among ranks, which are threads, or processes under `mpirun -n N`.
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


def load(path, parts):
    """The epoch that follows what the file holds."""
    if not path or not pathlib.Path(path).exists():
        return 0
    state = tiny.load(path)
    if "epochs" not in state:
        raise tiny.Error("expects a state of train_digits, got no tensor 'epochs'")
    for prefix, owner in parts.items():
        owner.load_state_dict({name[len(prefix):]: tensor for name, tensor in state.items() if name.startswith(prefix)})
    return int(state["epochs"].item())


def save(path, parts, epochs):
    state = {"epochs": Tensor([float(epochs)])}
    for prefix, owner in parts.items():
        state.update({prefix + name: tensor for name, tensor in owner.state_dict().items()})
    tiny.save(state, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40, help="in all, which the rate falls over")
    parser.add_argument("--stop-after", type=int, help="how many of them to train before it ends")
    parser.add_argument("--state", help="a .safetensors file to go on from, and to leave the state in")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=1, help="among how many a batch is cut")
    options = parser.parse_args()
    images, labels = np.load(HERE / "images.npy"), np.load(HERE / "labels.npy")
    unseen, truth = np.load(HERE.parent / "digits/images.npy"), np.load(HERE.parent / "digits/labels.npy")
    tiny.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    network = Network()
    optimizer = optim.Adam(network.parameters(), lr=RATE, weight_decay=1e-4)

    @tiny.jit
    def train(x, y):
        if options.ranks > 1:
            x = x.shard(options.ranks, 0)
        loss = network(x.float() / 16).cross_entropy(y)
        optimizer.step(loss)
        return loss

    parts = {"network.": network, "optimizer.": optimizer}
    try:
        first = load(options.state, parts)
    except tiny.Error as error:
        sys.exit(f"error: {options.state}: {error}")
    last, loss, start = max(first, min(options.stop_after or options.epochs, options.epochs)), 0.0, time.perf_counter()
    for _ in range(first):
        # Orders are drawn all the same: those that follow are as if these had just been trained.
        random.permutation(len(images))
    for epoch in range(first, last):
        optimizer.lr = optim.cosine_rate(RATE, epoch, options.epochs)
        order = random.permutation(len(images))[: len(images) // BATCH * BATCH].reshape(-1, BATCH)
        loss = np.mean([train(Tensor(images[rows]), Tensor(labels[rows])).item() for rows in order])
        if sys.stdout.isatty():
            print(f"\repoch {epoch + 1} of {options.epochs}, loss {loss:.4f}, {time.perf_counter() - start:.1f} s", end="", flush=True)
    # Every process has all of the state: one of them writes and tells.
    if tiny.process_rank()[0] > 0:
        return
    if options.state:
        save(options.state, parts, last)
    network.eval()
    right = (network(Tensor(unseen)).argmax(1) == Tensor(truth)).to("int32").sum().item()
    print(f"{chr(10) if sys.stdout.isatty() else ''}loss: {loss:.4f} after {last} epochs in {time.perf_counter() - start:.1f} s")
    print(f"accuracy: {right} of {len(truth)}")


main()
