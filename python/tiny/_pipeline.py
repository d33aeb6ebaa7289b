"""Stages of a pipeline, whose ranks compute one part of a network each, and pass microbatches on."""


class Pipeline:
    """So many stages in a row, each of `data` ranks, and the parts in which a batch goes through them.

        pipeline = tiny.Pipeline(stages=2, microbatches=4)
        hidden = first(pipeline.split(x))
        loss = last(pipeline.stage(hidden, 1)).cross_entropy(pipeline.split(y))

    A program has one pipeline, on `stages * data` ranks. Its gradients go back through the stages by themselves.
    """

    def __init__(self, stages, microbatches=1, data=1):
        self.stages, self.microbatches, self.data = stages, microbatches, data
        self._grid = (stages, data, microbatches)

    def split(self, tensor, axis=0):
        """The same value, its axis cut among the ranks of a stage, and of each its part into microbatches."""
        return tensor.shard(self._grid, (None, axis, axis), microbatches=True)

    def stage(self, tensor, to, from_=None):
        """The same value in stage `to`; it comes from the one before, or from `from_`."""
        return tensor.stage(self._grid, to, to - 1 if from_ is None else from_, microbatches=True)
