"""compare-training.py ONE.npz OTHER.npz...: whether runs of one training program have the same losses within 1e-5, and weights."""
import sys

import numpy as np


def main():
    with np.load(sys.argv[1]) as one:
        expected = {name: one[name] for name in one.files}
    for path in sys.argv[2:]:
        with np.load(path) as other:
            assert sorted(other.files) == sorted(expected), f"{path}: other results"
            for name, array in expected.items():
                worst = np.abs(other[name] - array).max()
                assert array.size and worst <= 1e-5, f"{path}: {name} differs by {worst}"
    losses = [float(array) for array in expected.values() if array.ndim == 0]
    print(f"{len(sys.argv) - 1} runs agree; {len(losses)} losses, the first {losses[0]:.4f}, {len(expected) - len(losses)} weights")


main()
