"""Prints the tokens that a small language model of examples/smollm2 writes on some ranks.

    write-words.py RANKS MODEL.gguf

The model is made, always the same, where the file is not there yet.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python/test"))

import tiny  # noqa: E402
from gguf_test import make_model  # noqa: E402
from llama import Llama  # noqa: E402


def main():
    ranks, path = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not path.exists():
        make_model(path)
    model = Llama(tiny.gguf.load(path), context=24, ranks=ranks)
    words = [3, 141, 59, 26]
    _, best = model.read(words)
    while len(words) < 20:
        words.append(int(best))
        _, best = model.read(words[-1:], len(words) - 1)
    if tiny.process_rank()[0] == 0:
        print(*words)


main()
