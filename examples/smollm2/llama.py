"""Llama's architecture over a GGUF file: RMSNorm, rotary embedding, grouped-query attention, SwiGLU.

Keys and values of what was read are state, updated in place; a position is data. So one program decodes every token,
and one for each of few lengths reads a prompt.
"""
import numpy as np
import tiny
from tiny import Tensor
from tiny.gguf import linear, take

LENGTHS = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)  # of prompts: shorter ones are filled up


class Layer:
    def __init__(self, tensors, index, keys, values):
        self.weights = {name.split(".")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"blk.{index}.")}
        self.keys, self.values = keys, values

    def __getitem__(self, name):
        return self.weights[name]


class Llama:
    def __init__(self, file, context=512):
        metadata, tensors = file.metadata, file.tensors
        if metadata.get("general.architecture") != "llama":
            raise ValueError(f"expects the architecture 'llama', got {metadata.get('general.architecture')!r}")

        def number(key, default=None):
            value = metadata.get(f"llama.{key}", default)
            if value is None:
                raise ValueError(f"expects 'llama.{key}' in the metadata, got none")
            return value

        self.heads, width = number("attention.head_count"), number("embedding_length")
        self.groups = number("attention.head_count_kv", self.heads)
        self.size = number("attention.key_length", width // self.heads)
        self.epsilon = number("attention.layer_norm_rms_epsilon")
        self.context = min(context, number("context_length"))
        if number("rope.dimension_count", self.size) != self.size:
            raise ValueError(f"expects a rotary embedding of all {self.size} elements, got {number('rope.dimension_count')}")
        self.embedding = tensors["token_embd.weight"]
        self.output = tensors.get("output.weight", self.embedding)
        self.norm = tensors["output_norm.weight"]
        cache = (self.groups, self.context, self.size)
        self.layers = [Layer(tensors, index, tiny.zeros(cache).realize(), tiny.zeros(cache).realize()) for index in range(number("block_count"))]
        rates = float(number("rope.freq_base", 10000.0)) ** (-np.arange(0, self.size, 2) / self.size)
        angles = np.arange(self.context)[:, None] * rates
        self.cos, self.sin = (Tensor(table(angles).astype(np.float32)) for table in (np.cos, np.sin))
        self.step = tiny.jit(self._step)

    def read(self, tokens, start=0):
        """Reads tokens that stand from a position on. The scores of what may follow, and the likeliest: tensors."""
        count = len(tokens)
        if not 0 < count <= self.context - start:
            raise ValueError(f"expects 1 to {self.context - start} tokens, got {count}")
        length = 1 if count == 1 else min(next(length for length in LENGTHS if length >= count), self.context)
        filled = np.zeros(length, np.int32)
        filled[:count] = tokens
        # What fills up is seen by nobody, and later tokens take its places.
        places = np.arange(start, start + length).astype(np.int32)
        return self.step(Tensor(filled), Tensor(places), Tensor(np.array([count - 1], np.int32)), start == 0 and count > 1)

    def _step(self, tokens, places, last, is_first):
        x = take(self.embedding, tokens)
        cos, sin = self.cos[places].unsqueeze(1), self.sin[places].unsqueeze(1)
        seen = None if is_first else tiny.arange(self.context, dtype="int32") <= places.unsqueeze(-1)
        states = []
        for layer in self.layers:
            y, wanted = self._attend(layer, x.rms_norm(layer["attn_norm"], eps=self.epsilon), places, cos, sin, seen)
            x, states = x + y, states + wanted
            y = x.rms_norm(layer["ffn_norm"], eps=self.epsilon)
            x = x + linear(linear(y, layer["ffn_gate"]).silu() * linear(y, layer["ffn_up"]), layer["ffn_down"])
        scores = linear(x[last].rms_norm(self.norm, eps=self.epsilon), self.output)[0]
        best = scores.argmax()
        tiny.realize([scores, best, *states])
        return scores, best

    def _attend(self, layer, x, places, cos, sin, seen):
        length, share = x.shape[0], self.heads // self.groups
        products = [linear(x, layer[name]) for name in ("attn_q", "attn_k", "attn_v")]
        query = rotate(products[0].reshape(length, self.heads, self.size), cos, sin)
        key = rotate(products[1].reshape(length, self.groups, self.size), cos, sin).transpose(0, 1)
        value = products[2].reshape(length, self.groups, self.size).transpose(0, 1)
        layer.keys.assign(place(key, layer.keys, places[0]))
        layer.values.assign(place(value, layer.values, places[0]))
        # A prompt sees itself alone.
        keys, values = (layer.keys, layer.values) if seen is not None else (key, value)
        # The heads that share keys are rows of one product.
        query = query.reshape(length, self.groups, share, self.size).permute(1, 2, 0, 3).reshape(1, self.groups, share * length, self.size)
        mask = seen if seen is not None else places.unsqueeze(0) <= places.unsqueeze(-1)
        mask = mask.expand(share, length, keys.shape[1]).reshape(share * length, keys.shape[1])
        y = tiny.scaled_dot_product_attention(query, keys.unsqueeze(0), values.unsqueeze(0), attn_mask=mask)
        y = y.reshape(self.groups, share, length, self.size).permute(2, 0, 1, 3).reshape(length, self.heads * self.size)
        # What is a result lies in memory: it is computed once, and no part of the kernels that read it.
        return linear(y, layer["attn_output"]), [*products, query, key, layer.keys, layer.values]


def place(rows, cache, start):
    """The cache with rows from a position on."""
    row = tiny.arange(cache.shape[1], dtype="int32") - start
    inside = ((row >= 0) & (row < rows.shape[1])).unsqueeze(-1)
    return tiny.where(inside, rows if rows.shape[1] == 1 else rows.index_select(1, row.clamp(0, rows.shape[1] - 1)), cache)


def rotate(x, cos, sin):
    """Turns each pair of elements by its angle."""
    pairs = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return tiny.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(*x.shape)
