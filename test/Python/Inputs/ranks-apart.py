"""ranks-apart.py MODE: what goes wrong between ranks. Under mpirun rank 1 sleeps, leaves, dies and so on before it computes."""
import os
import signal
import sys
import time

import numpy as np
import tiny

mode = sys.argv[1]
if mode == "many":
    print((tiny.Tensor(np.ones(4, np.float32)).shard(2048, 0) + 1).numpy())
values = np.ones(4, np.float32)
if tiny.process_rank()[0] == 1:
    if mode == "sleeps":
        time.sleep(20)
    if mode == "leaves":
        sys.exit(0)
    if mode == "differs":
        values += 1
    if mode == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "exits":
        os._exit(0)
    if mode == "raises":
        raise ValueError("of rank 1")
print((tiny.Tensor(values).shard(2, 0).sum() + 1).numpy())
