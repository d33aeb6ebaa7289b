"""ranks-apart.py sleeps|leaves|many|three: what goes wrong between ranks. Under mpirun rank 1 sleeps or leaves before it computes."""
import sys
import time

import numpy as np
import tiny

mode = sys.argv[1]
if mode == "many":
    print((tiny.Tensor(np.ones(4, np.float32)).shard(2048, 0) + 1).numpy())
if tiny.process_rank()[0] == 1:
    if mode == "sleeps":
        time.sleep(20)
    if mode == "leaves":
        sys.exit(0)
print((tiny.Tensor(np.ones(4, np.float32)).shard(2, 0).sum() + 1).numpy())
