"""Llama's architecture over a GGUF file: RMSNorm, rotary embedding, grouped-query attention, SwiGLU.

Keys and values of what was read are donated state, updated in place. A position and the length of a prompt are sizes: one
program decodes every token and one reads every prompt, and neither computes anything for places that hold nothing.

On several ranks weights are cut: rows of what widens and of the output, columns of what narrows again, so that each layer's
second product of a pair is a sum of what ranks have. Sizes and ranks do not go together: there a position is data, prompts
are read token by token, and attention goes over all places.
"""
import numpy as np
import tiny
from tiny import Tensor
from tiny.gguf import Rounded, linear, take


class Llama:
    def __init__(self, file, context=512, ranks=1, precise=False, kept=None):
        """Precise is to multiply weights by what is not rounded to 8 bits, and to keep keys and values in 32 bits, which takes
        longer. `kept` is the dtype of keys and values, where it is to be another one."""
        self.ranks = ranks
        self.round, self.linear = (lambda x: x, lambda x, weight: x.matmul(weight.float().T)) if precise else (Rounded, linear)
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
        self.kept = kept or (tiny.float32 if precise else tiny.float16)
        self.caches = [tiny.zeros(cache, dtype=self.kept).realize() for _ in range(2 * len(self.layers))]
        if ranks > 1:
            self.decode = tiny.jit(self._decode_anywhere)
            return
        self.decode = tiny.jit(self._decode, sizes={"position": (0, self.context - 1)}, donate="caches")
        self.prompt = tiny.jit(self._prompt, sizes={"n": (2, self.context)}, shapes={"tokens": "n"}, donate="caches")

    def read(self, tokens, start=0):
        """Reads tokens that stand from a position on. The scores of what may follow, and the likeliest: tensors."""
        if not 0 < len(tokens) <= self.context - start:
            raise ValueError(f"expects 1 to {self.context - start} tokens, got {len(tokens)}")
        if start == 0 and len(tokens) > 1 and self.ranks == 1:
            scores, best, self.caches = self.prompt(Tensor(np.array(tokens, np.int32)), self.caches)
            return scores, best
        for position, token in enumerate(tokens, start):
            if self.ranks > 1:
                position = Tensor(np.array([position], np.int32))
            scores, best, self.caches = self.decode(Tensor(np.array([token], np.int32)), self.caches, position)
        return scores, best

    def _prompt(self, tokens, caches):
        return self._step(tokens, caches, 0, tokens.shape[0])

    def _decode(self, token, caches, position):
        return self._step(token, caches, position, position + 1)

    def _decode_anywhere(self, token, caches, position):
        """The position is data: a tensor of one number."""
        return self._step(token, caches, position, None)

    def _cut(self, weight, axis):
        return weight.shard(self.ranks, axis) if self.ranks > 1 else weight

    def _step(self, tokens, caches, start, end):
        x, caches = take(self.embedding, tokens), list(caches)
        for layer, weights in enumerate(self.layers):
            pair = slice(2 * layer, 2 * layer + 2)
            y, caches[pair] = self._attend(weights, x.rms_norm(weights["attn_norm"], eps=self.epsilon), caches[pair], start, end)
            x = x + y
            y = self.round(x.rms_norm(weights["ffn_norm"], eps=self.epsilon))
            gate, up = (self.linear(y, self._cut(weights[name], 0)) for name in ("ffn_gate", "ffn_up"))
            x = x + self.linear(gate.silu() * up, self._cut(weights["ffn_down"], 1))
        scores = self.linear(x[-1:].rms_norm(self.norm, eps=self.epsilon), self._cut(self.output, 0))[0]
        return scores, scores.argmax(), caches

    def _attend(self, weights, x, caches, start, end):
        length, share, x = x.shape[0], self.heads // self.groups, self.round(x)
        query, key, value = (self.linear(x, weights[name]).reshape(length, -1, self.size) for name in ("attn_q", "attn_k", "attn_v"))
        here = start if end is None else slice(start, end)
        query, key = (rotate(part, self.cos[here], self.sin[here]) for part in (query, key))
        parts = [key.transpose(0, 1), value.transpose(0, 1)]
        if end is None:
            places = tiny.arange(self.context + 1, dtype="int32")
            is_here = (places == start).reshape(1, -1, 1)
            caches = [tiny.where(is_here, part.to(self.kept), cache) for cache, part in zip(caches, parts)]
        else:
            for cache, part in zip(caches, parts):
                cache[:, start:end] = part.to(self.kept)
        # A prompt sees itself alone, a token all that was read.
        kept = parts if length > 1 else caches if end is None else [cache[:, :end] for cache in caches]
        keys, values = (part.float() for part in kept)
        # The heads that share keys are rows of one product.
        query = query.reshape(length, self.groups, share, self.size).permute(1, 2, 0, 3).reshape(1, self.groups, share * length, self.size)
        mask = None
        if end is None:
            mask = (places <= start).reshape(1, -1)
        elif length > 1:
            places = tiny.arange(length, dtype="int32")
            mask = (places.unsqueeze(0) <= places.unsqueeze(-1)).expand(share, length, length).reshape(share * length, length)
        y = tiny.scaled_dot_product_attention(query, keys.unsqueeze(0), values.unsqueeze(0), attn_mask=mask)
        y = y.reshape(self.groups, share, length, self.size).permute(2, 0, 1, 3).reshape(length, self.heads * self.size)
        return self.linear(y, self._cut(weights["attn_output"], 1)), caches


def rotate(x, cos, sin):
    """Turns each pair of elements by its angle."""
    pairs = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return tiny.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(*x.shape)
