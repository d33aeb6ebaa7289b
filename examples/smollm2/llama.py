"""Llama's architecture over a GGUF file: RMSNorm, rotary embedding, grouped-query attention, SwiGLU.

Keys and values of what was read are donated state, updated in place. A position and the length of a prompt are sizes: one
program decodes every token and one reads every prompt, and neither computes anything for places that hold nothing.
"""
import numpy as np
import tiny
from tiny import Tensor
from tiny.gguf import linear, take


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
        if self.context < 2:
            raise ValueError(f"expects a context of at least 2 tokens, got {self.context}")
        if number("rope.dimension_count", self.size) != self.size:
            raise ValueError(f"expects a rotary embedding of all {self.size} elements, got {number('rope.dimension_count')}")
        self.embedding = tensors["token_embd.weight"]
        self.output = tensors.get("output.weight", self.embedding)
        self.norm = tensors["output_norm.weight"]
        self.layers = [{} for _ in range(number("block_count"))]
        for name, tensor in tensors.items():
            if name.startswith("blk."):
                _, layer, part, _ = name.split(".")
                self.layers[int(layer)][part] = tensor
        rates = float(number("rope.freq_base", 10000.0)) ** (-np.arange(0, self.size, 2) / self.size)
        # One place more than is used: what a size stands for is never the whole.
        places = self.context + 1
        angles = np.arange(places)[:, None] * rates
        self.cos, self.sin = (Tensor(table(angles).astype(np.float32)).unsqueeze(1).realize() for table in (np.cos, np.sin))
        cache = (self.groups, places, self.size)
        # Keys and values of each layer.
        self.caches = [tiny.zeros(cache).realize() for _ in range(2 * len(self.layers))]
        self.decode = tiny.jit(self._decode, sizes={"position": (0, self.context - 1)}, donate="caches")
        self.prompt = tiny.jit(self._prompt, sizes={"n": (2, self.context)}, shapes={"tokens": "n"}, donate="caches")

    def read(self, tokens, start=0):
        """Reads tokens that stand from a position on. The scores of what may follow, and the likeliest: tensors."""
        if not 0 < len(tokens) <= self.context - start:
            raise ValueError(f"expects 1 to {self.context - start} tokens, got {len(tokens)}")
        if start == 0 and len(tokens) > 1:
            scores, best, self.caches = self.prompt(Tensor(np.array(tokens, np.int32)), self.caches)
            return scores, best
        for position, token in enumerate(tokens, start):
            scores, best, self.caches = self.decode(Tensor(np.array([token], np.int32)), self.caches, position)
        return scores, best

    def _prompt(self, tokens, caches):
        return self._step(tokens, caches, 0, tokens.shape[0])

    def _decode(self, token, caches, position):
        return self._step(token, caches, position, position + 1)

    def _step(self, tokens, caches, start, end):
        x, caches = take(self.embedding, tokens), list(caches)
        for layer, weights in enumerate(self.layers):
            pair = slice(2 * layer, 2 * layer + 2)
            y, caches[pair] = self._attend(weights, x.rms_norm(weights["attn_norm"], eps=self.epsilon), caches[pair], start, end)
            x = x + y
            y = x.rms_norm(weights["ffn_norm"], eps=self.epsilon)
            x = x + linear(linear(y, weights["ffn_gate"]).silu() * linear(y, weights["ffn_up"]), weights["ffn_down"])
        scores = linear(x[-1:].rms_norm(self.norm, eps=self.epsilon), self.output)[0]
        return scores, scores.argmax(), caches

    def _attend(self, weights, x, caches, start, end):
        length, share = x.shape[0], self.heads // self.groups
        query, key, value = (linear(x, weights[name]).reshape(length, -1, self.size) for name in ("attn_q", "attn_k", "attn_v"))
        query, key = (rotate(part, self.cos[start:end], self.sin[start:end]) for part in (query, key))
        parts = [key.transpose(0, 1), value.transpose(0, 1)]
        for cache, part in zip(caches, parts):
            cache[:, start:end] = part
        # A prompt sees itself alone, a token all that was read.
        keys, values = parts if length > 1 else [cache[:, :end] for cache in caches]
        # The heads that share keys are rows of one product.
        query = query.reshape(length, self.groups, share, self.size).permute(1, 2, 0, 3).reshape(1, self.groups, share * length, self.size)
        mask = None
        if length > 1:
            places = tiny.arange(length, dtype="int32")
            mask = (places.unsqueeze(0) <= places.unsqueeze(-1)).expand(share, length, length).reshape(share * length, length)
        y = tiny.scaled_dot_product_attention(query, keys.unsqueeze(0), values.unsqueeze(0), attn_mask=mask)
        y = y.reshape(self.groups, share, length, self.size).permute(2, 0, 1, 3).reshape(length, self.heads * self.size)
        return linear(y, weights["attn_output"]), caches


def rotate(x, cos, sin):
    """Turns each pair of elements by its angle."""
    pairs = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return tiny.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(*x.shape)
