"""Ctrl-C ends a compilation at once; the same program compiles and runs afterwards."""
import os
import signal
import threading
import time

import tiny
from tiny import nn

# Whoever runs this in the background may ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
sizes = [4 + k for k in range(24)]
layers = [layer for few, many in zip(sizes, sizes[1:]) for layer in (nn.Conv2d(few, many, 3, padding=1), nn.BatchNorm2d(many), nn.ReLU())]
network = nn.Sequential(*layers)
x = tiny.randn(2, sizes[0], 5, 5).realize()
gradients = tiny.grad(network(x).square().sum(), network.parameters())
begun = time.monotonic()
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    tiny.realize(gradients)
    print("was not interrupted")
except KeyboardInterrupt:
    stopped = time.monotonic()
    tiny.realize(gradients)
    print("interrupted early" if stopped - begun < (time.monotonic() - stopped) / 2 else f"late: {stopped - begun} s of {time.monotonic() - stopped} s")
print(len(gradients), all(tensor.isfinite().all().item() for tensor in gradients))
