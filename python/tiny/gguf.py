"""Language models in llama.cpp's GGUF files: metadata, tensors, and products with quantised weights.

    file = tiny.gguf.load("model.gguf")
    file.metadata["llama.block_count"]
    y = tiny.gguf.linear(x, file.tensors["blk.0.ffn_up.weight"])

Quantised weights stay the file's bytes. A product of few rows unpacks them in registers, one of many rows once into a
temporary.
"""
import os as _os

import numpy as _np

from ._tiny import _load_gguf, arange, from_numpy, where

BLOCK = 32  # elements that share a scale, in each of the types


class File:
    """What load() reads: `metadata` and `tensors`, each by name. A tensor is a Tensor or Quantized."""

    def __init__(self, metadata, tensors):
        self.metadata, self.tensors = metadata, tensors


def load(path):
    """Maps a GGUF file: nothing is copied, so it must not be changed in place while its tensors live."""
    metadata, tensors = _load_gguf(_os.fspath(path))
    return File(metadata, {name: Quantized(kind, shape, data) if kind.startswith("Q") else data for name, kind, shape, data in tensors})


class Quantized:
    """A weight [rows, columns] of Q4_0, Q4_1 or Q8_0: blocks of 32 elements of a row with a scale, and bytes of integers."""

    def __init__(self, kind, shape, blocks):
        if len(shape) != 2:
            raise ValueError(f"expects a quantised tensor of rank 2, got shape {tuple(shape)}")
        self.kind, self.shape = kind, tuple(shape)
        # The same memory twice: scales are halves, the rest are bytes.
        array = blocks.numpy()
        self._halves = from_numpy(array.view(_np.float16))
        self._bytes = from_numpy(array.view(_np.int8)) if kind == "Q8_0" else blocks

    def shard(self, ranks, axis):
        """The same weight with its rows (axis 0) or its columns (axis 1) cut among ranks: see Tensor.shard. Blocks of 32
        columns stay together."""
        if axis not in (0, 1):
            raise ValueError(f"expects axis 0 or 1 of a quantised weight, got {axis}")
        cut = Quantized.__new__(Quantized)
        cut.kind, cut.shape = self.kind, self.shape
        cut._halves, cut._bytes = self._halves.shard(ranks, axis), self._bytes.shard(ranks, axis)
        return cut

    def take(self, indices):
        """Some rows, as floats."""
        rows = Quantized.__new__(Quantized)
        rows.kind, rows.shape = self.kind, (*indices.shape, self.shape[1])
        rows._halves, rows._bytes = self._halves[indices], self._bytes[indices]
        return rows.float()

    def float(self):
        """The elements, lazily."""
        scale, least = self._scale(), self._least()
        if self.kind == "Q8_0":
            return (self._bytes[..., 2:].float() * scale).reshape(*self.shape)
        # A byte has an element of the block's first half and one of its second half.
        scale, least = scale.unsqueeze(-1), None if least is None else least.unsqueeze(-1)
        shifts = arange(0, 8, 4, dtype="int32").reshape(2, 1)
        integers = (self._packed().to("int32").unsqueeze(-2) >> shifts).remainder(16).float()
        return (integers * scale + least if least is not None else (integers - 8) * scale).reshape(*self.shape)

    def linear(self, x):
        """x [..., columns], a tensor or Rounded, times the transposed weight: [..., rows]. A tensor is rounded, so that
        integers are multiplied."""
        rows = self.shape[0]
        x = x if isinstance(x, Rounded) else Rounded(x)
        if x.integers.shape[0] > 1:
            return x.float().matmul(self.float().T).reshape(*x.lead, rows)
        # One row. Elements are multiplied four at a time, as processors do.
        pairs = self._integers()
        width = BLOCK // len(pairs)
        integers = x.integers.reshape(-1, len(pairs), width)
        sums = 0
        for k, weights in enumerate(pairs):
            others = integers[:, k]
            if self.kind == "Q8_0":
                # The one factor is unsigned.
                weights, others = weights.abs().to("uint8"), where(weights < 0, -others, others)
            products = weights.to("int32") * others.to("int32")
            sums = sums + products.reshape(rows, -1, width // 4, 4).sum(-1)
        terms = sums.float() * (self._scale() * x.scale[0])
        if self.kind != "Q8_0":
            least = self._least() if self.kind == "Q4_1" else self._scale() * -8.0
            terms = terms + least * (x.total[0] * (4 / width))
        return terms.sum((1, 2)).reshape(*x.lead, rows)

    def _scale(self):
        return self._halves[..., 0:1].float()

    def _least(self):
        """What is added to each product of a block, or None."""
        return self._halves[..., 1:2].float() if self.kind == "Q4_1" else None

    def _integers(self):
        """[..., blocks, 32], or two of [..., blocks, 16]: low and high halves of bytes."""
        if self.kind == "Q8_0":
            return [self._bytes[..., 2:]]
        packed = self._packed()
        return [packed.remainder(16), packed >> 4]

    def _packed(self):
        return self._bytes[..., 4 if self.kind == "Q4_1" else 2:]


class Rounded:
    """Rows x [..., columns], rounded to integers of 8 bits in blocks of 32 elements, as llama.cpp rounds what it multiplies
    with weights: `integers` [rows, blocks, 32], and [rows, blocks, 1] `scale` and `total`, the sum of a block. Several
    weights can be multiplied with one."""

    def __init__(self, x):
        self.lead = tuple(x.shape[:-1])
        blocks = x.reshape(-1, x.shape[-1] // BLOCK, BLOCK)
        most = blocks.abs().amax(-1, keepdim=True)
        self.integers = (blocks * where(most == 0, 0.0, 127 / most)).round().to("int8")
        self.scale = most / 127
        self.total = self.scale * self.integers.to("int32").sum(-1, keepdim=True).float()

    def float(self):
        """The rounded rows [rows, columns]."""
        return (self.integers.float() * self.scale).reshape(self.integers.shape[0], -1)


def linear(x, weight):
    """x times the transposed weight, of either kind. With a quantised one x may be Rounded, else it is rounded."""
    if isinstance(weight, Quantized):
        return weight.linear(x)
    return (x.float().reshape(*x.lead, -1) if isinstance(x, Rounded) else x).matmul(weight.float().T)


def take(weight, indices):
    """Rows of a weight of either kind, as floats."""
    return weight.take(indices) if isinstance(weight, Quantized) else weight[indices].float()
