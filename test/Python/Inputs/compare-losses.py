"""compare-losses.py STEPS ONE.npy OTHER.npy...: whether all have so many losses, the same within 1e-5, that fall."""
import sys

import numpy as np

expected = np.load(sys.argv[2])
assert expected.shape == (int(sys.argv[1]),), expected
for path in sys.argv[3:]:
    worst = np.abs(np.load(path) - expected).max()
    assert worst <= 1e-5, f"{path} differs by {worst}"
assert expected[-3:].mean() < expected[:3].mean(), expected
print(f"{len(sys.argv) - 3} runs agree, and learn")
