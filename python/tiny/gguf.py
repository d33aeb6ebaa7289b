"""Language models in llama.cpp's GGUF files: metadata, tensors, and products with quantised weights.

    file = tiny.gguf.load("model.gguf")
    file.metadata["llama.block_count"]
    y = tiny.gguf.linear(x, file.tensors["blk.0.ffn_up.weight"])

What multiplies is rounded to 8 bits, and integers are multiplied. The first product with a weight copies it into an order
in which the same element of eight rows is next to each other, as registers take it; it has as many bytes there. What is not
multiplied stays mapped.
"""
import math as _math
import os as _os

import numpy as _np

from ._tiny import _load_gguf, arange, from_numpy, process_rank, where

BLOCK = 32  # elements that share a scale, in each of the types
LANES = 8  # rows side by side in what products read
PIECE = 4  # bytes of a row beside those of the next one: what processors multiply and add up at once


class File:
    """What load() reads: `metadata` and `tensors`, each by name. A tensor is a Tensor or Quantized."""

    def __init__(self, metadata, tensors):
        self.metadata, self.tensors = metadata, tensors


def load(path):
    """Maps a GGUF file, which must not be changed in place while its tensors live."""
    metadata, tensors = _load_gguf(_os.fspath(path))
    is_quantized = lambda kind: kind.startswith("Q")  # noqa: E731
    # One piece of memory, which has large pages. None of it is there before it is written.
    room = _np.empty(sum((_align(data.numpy().nbytes) for _, kind, _, data in tensors if is_quantized(kind)), start=64), _np.uint8)
    made, used = {}, -room.ctypes.data % 64
    for name, kind, shape, data in tensors:
        if is_quantized(kind):
            size = data.numpy().nbytes
            made[name], used = Quantized(kind, shape, data, room[used:used + size]), used + _align(size)
        else:
            made[name] = data
    return File(metadata, made)


def _align(size):
    """The next multiple of a cache line."""
    return size + -size % 64


class Quantized:
    """A weight [rows, columns] of Q4_0, Q4_1 or Q8_0: blocks of 32 elements of a row with a scale, and bytes of integers."""

    def __init__(self, kind, shape, blocks, room):
        """`room` is memory for what products read, as large as the blocks."""
        if len(shape) != 2:
            raise ValueError(f"expects a quantised tensor of rank 2, got shape {tuple(shape)}")
        self.kind, self.shape, self._blocks = kind, tuple(shape), blocks.numpy()
        self._halves, self._bytes = self._split(self._blocks)
        self._make_room(_math.gcd(LANES, shape[0]), room)

    def shard(self, ranks, axis):
        """The same weight with its rows (axis 0) or its columns (axis 1) cut among ranks: see Tensor.shard. Blocks of 32
        columns stay together."""
        if axis not in (0, 1):
            raise ValueError(f"expects axis 0 or 1 of a quantised weight, got {axis}")
        cut = Quantized.__new__(Quantized)
        cut.__dict__.update(self.__dict__)
        cut._halves, cut._bytes = self._halves.shard(ranks, axis), self._bytes.shard(ranks, axis)
        if process_rank()[1] > 1:
            # Each process reads its part of the mapped file, and copies nothing.
            cut._lanes, cut._room, cut._packed = 1, None, (cut._halves, cut._bytes)
            return cut
        # Rows side by side stay together.
        if axis == 0 and self.shape[0] // ranks % self._lanes != 0:
            cut._make_room(_math.gcd(LANES, self.shape[0] // ranks), _np.empty(self._blocks.nbytes, _np.uint8))
        cut._fill()
        cut._packed = tuple(part.shard(ranks, axis) for part in cut._packed)
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
        packed = self._bytes[..., self._head():].to("int32")
        integers = (packed.unsqueeze(-2) >> shifts).remainder(16).float()
        return (integers * scale + least if least is not None else (integers - 8) * scale).reshape(*self.shape)

    def linear(self, x):
        """x [..., columns], a tensor or Rounded, times the transposed weight: [..., rows]. A tensor is rounded, so that
        integers are multiplied."""
        x = x if isinstance(x, Rounded) else Rounded(x)
        count, lanes = x.integers.shape[0], self._lanes
        self._fill()
        halves, packed = self._packed
        # Axes: rows of x, groups of rows, rows of a group, blocks, pieces of a block, bytes of a piece.
        packed = packed[..., self._head() * lanes:].reshape(1, packed.shape[0], packed.shape[1], -1, lanes, PIECE).permute(0, 1, 4, 2, 3, 5)
        parts = [packed] if self.kind == "Q8_0" else [packed.remainder(16), packed >> 4]
        integers = x.integers.reshape(count, 1, 1, -1, len(parts), BLOCK // len(parts) // PIECE, PIECE)
        sums = 0
        for k, weights in enumerate(parts):
            others = integers[:, :, :, :, k]
            if self.kind == "Q8_0":
                # The one factor is unsigned.
                weights, others = weights.abs().to("uint8"), where(weights < 0, -others, others)
            sums = sums + (weights.to("int32") * others.to("int32")).sum((-2, -1))
        scale, least = (halves[..., begin:begin + lanes].float().permute(0, 2, 1) for begin in (0, lanes if self.kind == "Q4_1" else 0))
        scales, total = (part.reshape(count, 1, 1, -1) for part in (x.scale, x.total))
        terms = sums.float() * (scale * scales)
        if self.kind != "Q8_0":
            terms = terms + (least if self.kind == "Q4_1" else least * -8.0) * total
        return terms.sum(-1).reshape(*x.lead, self.shape[0])

    def _split(self, blocks):
        """The same memory twice: scales are halves, the rest are bytes."""
        return from_numpy(blocks.view(_np.float16)), from_numpy(blocks.view(_np.int8 if self.kind == "Q8_0" else _np.uint8))

    def _make_room(self, lanes, room):
        """Tensors over memory for groups of so many rows [groups, blocks, bytes]: scales, then elements, each beside those
        of the other rows. It is filled later: they are tensors from outside for what is captured or traced until then."""
        rows, blocks, size = self._blocks.shape
        self._lanes, self._room = lanes, room.reshape(rows // lanes, blocks, size * lanes)
        self._packed = self._split(self._room)

    def _fill(self):
        """Copies the blocks for the first product."""
        if self._room is None:
            return
        head, lanes = self._head(), self._lanes
        groups, blocks, _ = self._room.shape
        source = self._blocks.reshape(groups, lanes, blocks, -1).transpose(0, 2, 1, 3)
        for to, own, width in ((self._room[..., :head * lanes], source[..., :head], 2), (self._room[..., head * lanes:], source[..., head:], PIECE)):
            to.reshape(groups, blocks, -1, lanes, width)[...] = own.reshape(groups, blocks, lanes, -1, width).swapaxes(2, 3)
        self._room = None

    def _scale(self):
        return self._halves[..., 0:1].float()

    def _least(self):
        """What is added to each product of a block, or None."""
        return self._halves[..., 1:2].float() if self.kind == "Q4_1" else None

    def _head(self):
        """Bytes of scales in front of a block's elements."""
        return 4 if self.kind == "Q4_1" else 2


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
