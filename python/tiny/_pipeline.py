"""Stages of a pipeline, whose ranks compute one part of a network each, and pass microbatches on."""
import operator

from ._tiny import Tensor


def _count(name, number):
    """A whole number of at least 1."""
    try:
        count = operator.index(number)
    except TypeError:
        raise TypeError(f"expects a whole number of {name}, got {number!r}") from None
    if count < 1:
        raise ValueError(f"expects at least 1 as the number of {name}, got {count}")
    return count


def _check(tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"expects a tensor, got {tensor!r}")


class Pipeline:
    """So many stages in a row, each of `data` ranks, and the parts in which a batch goes through them.

        pipeline = tiny.Pipeline(stages=2, microbatches=4)
        hidden = first(pipeline.split(x))
        loss = last(pipeline.stage(hidden, 1)).cross_entropy(pipeline.split(y))

    A program has one pipeline, on `stages * data` ranks. Its gradients go back through the stages by themselves.
    """

    def __init__(self, stages, microbatches=1, data=1):
        self.stages, self.microbatches, self.data = _count("stages", stages), _count("microbatches", microbatches), _count("data", data)
        self._grid = (self.stages, self.data, self.microbatches)

    def split(self, tensor, axis=0):
        """The same value, its axis cut among the ranks of a stage, and of each its part into microbatches."""
        _check(tensor)
        return tensor.shard(self._grid, (None, axis, axis), microbatches=True)

    def stage(self, tensor, to, from_=None):
        """The same value in stage `to`; it comes from the one before, or from `from_`."""
        _check(tensor)
        return tensor.stage(self._grid, to, from_, microbatches=True)
