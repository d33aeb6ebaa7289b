"""GGUF files, their quantised weights, and the language model of examples/smollm2, on files that the test makes."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tiny
from tiny import Tensor

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/smollm2"
sys.path.insert(0, str(EXAMPLE))

from llama import Llama  # noqa: E402
from tokenizer import Tokenizer, byte_letters, pieces  # noqa: E402

RANDOM = np.random.default_rng(3)
NUMBERS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}


def to_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def to_value(value):
    if isinstance(value, bool):
        return 7, struct.pack("<B", value)
    if isinstance(value, int):
        return 4, struct.pack("<I", value)
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return 8, to_text(value)
    items = [to_value(item) for item in value]
    return 9, struct.pack("<IQ", items[0][0] if items else 4, len(items)) + b"".join(item for _, item in items)


def write(path, metadata, tensors):
    """Tensors are (type, shape, bytes) by their names."""
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, value in metadata.items():
        kind, data = to_value(value)
        header += to_text(key) + struct.pack("<I", kind) + data
    elements = b""
    for name, (kind, shape, data) in tensors.items():
        header += to_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], NUMBERS[kind], len(elements))
        elements += data + bytes(-len(data) % 32)
    path.write_bytes(header + bytes(-len(header) % 32) + elements)


def draw(kind, *shape):
    """A random tensor for `write`, and its elements."""
    if kind == "F32":
        elements = RANDOM.standard_normal(shape).astype(np.float32)
        return (kind, shape, elements.tobytes()), elements
    blocks = (*shape[:-1], shape[-1] // 32, 1)
    scale = (RANDOM.random(blocks) * 0.02 + 0.001).astype(np.float16)
    if kind == "Q8_0":
        integers = RANDOM.integers(-127, 128, (*blocks[:-1], 32)).astype(np.int8)
        scale = (scale / 16).astype(np.float16)
        parts, elements = [scale, integers], integers * scale.astype(np.float32)
    else:
        packed = RANDOM.integers(0, 256, (*blocks[:-1], 16)).astype(np.uint8)
        integers = np.concatenate([packed & 15, packed >> 4], -1)
        if kind == "Q4_0":
            parts, elements = [scale, packed], (integers - 8.0) * scale.astype(np.float32)
        else:
            least = (scale.astype(np.float32) * -7.5).astype(np.float16)
            parts, elements = [scale, least, packed], integers * scale.astype(np.float32) + least.astype(np.float32)
    data = np.concatenate([part.view(np.uint8) for part in parts], -1).tobytes()
    return (kind, shape, data), elements.reshape(shape).astype(np.float32)


WORDS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = ["t h", "th e", "\u0120 the", "i n", "a n"]
LAYERS, WIDTH, HEADS, GROUPS, HIDDEN, EPSILON, BASE = 2, 64, 4, 2, 96, 1e-5, 10000.0


def make_model(path):
    """A network of two layers with three element types, and its weights."""
    letters = list(byte_letters().values())
    words = WORDS + letters + [merge.replace(" ", "") for merge in MERGES]
    metadata = {
        "general.architecture": "llama", "llama.block_count": LAYERS, "llama.context_length": 64, "llama.embedding_length": WIDTH,
        "llama.attention.head_count": HEADS, "llama.attention.head_count_kv": GROUPS, "llama.rope.freq_base": BASE,
        "llama.attention.layer_norm_rms_epsilon": EPSILON, "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": words, "tokenizer.ggml.token_type": [3] * len(WORDS) + [1] * (len(words) - len(WORDS)),
        "tokenizer.ggml.merges": MERGES, "tokenizer.ggml.eos_token_id": 2,
    }
    narrow = WIDTH // HEADS * GROUPS
    drawn = {"token_embd.weight": draw("Q8_0", len(words), WIDTH), "output_norm.weight": draw("F32", WIDTH)}
    for index in range(LAYERS):
        for name, kind, *shape in (
            ("attn_norm", "F32", WIDTH), ("attn_q", "Q4_1", WIDTH, WIDTH), ("attn_k", "Q4_1", narrow, WIDTH), ("attn_v", "Q4_0", narrow, WIDTH),
            ("attn_output", "Q4_1", WIDTH, WIDTH), ("ffn_norm", "F32", WIDTH), ("ffn_gate", "Q4_1", HIDDEN, WIDTH),
            ("ffn_up", "Q4_0", HIDDEN, WIDTH), ("ffn_down", "Q4_1", WIDTH, HIDDEN),
        ):
            drawn[f"blk.{index}.{name}.weight"] = draw(kind, *shape)
    write(path, metadata, {name: tensor for name, (tensor, _) in drawn.items()})
    return {name: elements.astype(np.float64) for name, (_, elements) in drawn.items()}


def round_blocks(x):
    """What is multiplied with quantised weights: blocks of 32 elements in 127 steps to each side."""
    blocks = x.reshape(*x.shape[:-1], -1, 32)
    step = np.abs(blocks).max(-1, keepdims=True) / 127
    return (np.rint(blocks / np.where(step == 0, 1, step)) * step).reshape(x.shape)


def norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight


def rotate(x):
    """Pairs of a row's elements turn by its position."""
    angles = np.arange(len(x))[:, None, None] * BASE ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], -1).reshape(x.shape)


def expect(weights, tokens):
    """The scores behind the last token, with neither a cache nor quantised weights."""
    x, size = weights["token_embd.weight"][tokens], WIDTH // HEADS
    unseen = np.triu(np.full((len(tokens), len(tokens)), -np.inf), 1)
    for index in range(LAYERS):
        w = {name.split(".")[2]: tensor for name, tensor in weights.items() if name.startswith(f"blk.{index}.")}
        y = round_blocks(norm(x, w["attn_norm"]))
        q = rotate((y @ w["attn_q"].T).reshape(-1, HEADS, size))
        k = rotate((y @ w["attn_k"].T).reshape(-1, GROUPS, size))
        v = (y @ w["attn_v"].T).reshape(-1, GROUPS, size)
        parts = []
        for head in range(HEADS):
            group = head // (HEADS // GROUPS)
            scores = q[:, head] @ k[:, group].T / np.sqrt(size) + unseen
            share = np.exp(scores - scores.max(-1, keepdims=True))
            parts.append(share / share.sum(-1, keepdims=True) @ v[:, group])
        x = x + round_blocks(np.concatenate(parts, -1)) @ w["attn_output"].T
        y = round_blocks(norm(x, w["ffn_norm"]))
        gate = y @ w["ffn_gate"].T
        x = x + round_blocks(gate / (1 + np.exp(-gate)) * (y @ w["ffn_up"].T)) @ w["ffn_down"].T
    return round_blocks(norm(x[-1], weights["output_norm.weight"])) @ weights["token_embd.weight"].T


class GgufTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "model.gguf"

    def test_metadata(self):
        metadata = {"a": 3, "b": 0.5, "c": True, "d": "text", "e": ["x", "y"], "f": [1, 2, 3], "g": []}
        write(self.path, metadata, {})
        self.assertEqual(tiny.gguf.load(self.path).metadata, metadata)

    def test_products(self):
        for kind in ("Q4_0", "Q4_1", "Q8_0"):
            tensor, elements = draw(kind, 48, 96)
            write(self.path, {}, {"w": tensor})
            weight = tiny.gguf.load(self.path).tensors["w"]
            self.assertEqual((weight.kind, weight.shape), (kind, (48, 96)))
            np.testing.assert_array_equal(weight.float().numpy(), elements)
            np.testing.assert_array_equal(weight.take(Tensor(np.array([[3], [47]]))).numpy(), elements[[[3], [47]]])
            for rows in (1, 5):
                x = RANDOM.standard_normal((rows, 96)).astype(np.float32)
                x[:, 32:64] *= 1000
                x[0, 64:] = 0
                expected = round_blocks(x) @ elements.T
                np.testing.assert_allclose(weight.linear(Tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-3)
                np.testing.assert_allclose(tiny.gguf.linear(tiny.gguf.Rounded(Tensor(x)), weight).numpy(), expected, rtol=1e-4, atol=1e-3)
                self.assertEqual(weight.linear(Tensor(x[0])).shape, (48,))

    def test_weights_stay_packed(self):
        tensor, _ = draw("Q4_1", 64, 96)
        write(self.path, {}, {"w": tensor})
        weight = tiny.gguf.load(self.path).tensors["w"]
        for rows in (1, 4):
            program = weight.linear(tiny.rand(rows, 96).realize()).schedule()
            self.assertIn("memref<3840xi8>", program)
            # Integers are multiplied, in one kernel behind those that round rows.
            self.assertLessEqual(program.count("kernel.launch"), 3)
            self.assertIn("kernel.reduce addi", program)
            self.assertNotIn("memref<6144x", program)

    def test_rows_that_form_no_groups(self):
        for count in (1, 12, 20):
            tensor, elements = draw("Q4_1", count, 64)
            write(self.path, {}, {"w": tensor})
            weight = tiny.gguf.load(self.path).tensors["w"]
            x = RANDOM.standard_normal((3, 64)).astype(np.float32)
            expected = round_blocks(x) @ elements.T
            np.testing.assert_allclose(weight.linear(Tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-3)
            if count == 12:
                cut = weight.shard(2, 0)
                np.testing.assert_allclose(cut.linear(Tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-3)

    def test_first_product_while_traced(self):
        tensor, elements = draw("Q4_0", 16, 64)
        write(self.path, {}, {"w": tensor})
        weight = tiny.gguf.load(self.path).tensors["w"]
        function = tiny.jit(weight.linear, sizes={"n": (2, 9)}, shapes={"x": ("n", None)})
        for rows in (4, 9):
            x = RANDOM.standard_normal((rows, 64)).astype(np.float32)
            np.testing.assert_allclose(function(Tensor(x)).numpy(), round_blocks(x) @ elements.T, rtol=1e-4, atol=1e-3)

    def test_plain_weights(self):
        tensor, elements = draw("F32", 8, 32)
        write(self.path, {}, {"w": tensor})
        weight = tiny.gguf.load(self.path).tensors["w"]
        np.testing.assert_array_equal(tiny.gguf.take(weight, Tensor(np.array([2, 1]))).numpy(), elements[[2, 1]])
        x = RANDOM.standard_normal((3, 32)).astype(np.float32)
        np.testing.assert_allclose(tiny.gguf.linear(Tensor(x), weight).numpy(), x @ elements.T, rtol=1e-4, atol=1e-4)
        rounded = tiny.gguf.linear(tiny.gguf.Rounded(Tensor(x)), weight)
        np.testing.assert_allclose(rounded.numpy(), round_blocks(x) @ elements.T, rtol=1e-4, atol=1e-4)

    def test_errors(self):
        with self.assertRaisesRegex(tiny.Error, "cannot open '/nowhere.gguf'"):
            tiny.gguf.load("/nowhere.gguf")
        write(self.path, {}, {"w": draw("Q4_1", 2, 2, 32)[0]})
        with self.assertRaisesRegex(ValueError, r"expects a quantised tensor of rank 2, got shape \(2, 2, 32\)"):
            tiny.gguf.load(self.path)


class LlamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name) / "model.gguf"
        cls.weights = make_model(cls.path)
        cls.file = tiny.gguf.load(cls.path)

    def test_scores(self):
        model = Llama(self.file, context=48, kept=tiny.float32)
        tokens = [int(token) for token in RANDOM.integers(0, 200, 44)]
        same = lambda scores, count: np.testing.assert_allclose(scores.numpy(), expect(self.weights, tokens[:count]), rtol=5e-3, atol=5e-3)  # noqa: E731
        same(model.read(tokens[:33])[0], 33)
        same(model.read(tokens[:7])[0], 7)
        same(model.read(tokens[7:12], 7)[0], 12)
        for count in range(13, 20):
            scores, best = model.read(tokens[count - 1:count], count - 1)
            same(scores, count)
            self.assertEqual(int(best), int(scores.numpy().argmax()))
        # One program for every position, which takes the cache's memory each time, and one for every length of a prompt.
        memory = model.caches[0].numpy().__array_interface__["data"][0]
        compiled = tiny.count_compiled()
        for count in range(20, 45):
            scores, _ = model.read(tokens[count - 1:count], count - 1)
        same(scores, 44)
        self.assertEqual(tiny.count_compiled(), compiled)
        self.assertEqual(model.caches[0].numpy().__array_interface__["data"][0], memory)
        same(model.read(tokens[:2])[0], 2)
        full = Llama(self.file, context=8, kept=tiny.float32)
        same(full.read(tokens[:8])[0], 8)
        full.read(tokens[:7])
        same(full.read(tokens[7:8], 7)[0], 8)
        half = Llama(self.file, context=8)
        half.read(tokens[:7])
        self.assertEqual(half.caches[0].dtype, tiny.float16)
        np.testing.assert_allclose(half.read(tokens[7:8], 7)[0].numpy(), expect(self.weights, tokens[:8]), rtol=3e-2, atol=3e-2)

    def test_ranks(self):
        model, cut = (Llama(self.file, context=12, ranks=ranks, kept=tiny.float32) for ranks in (1, 2))
        tokens = [7, 150, 33, 9]
        whole, best = model.read(tokens)
        scores, own = cut.read(tokens)
        np.testing.assert_allclose(scores.numpy(), whole.numpy(), rtol=1e-4, atol=1e-4)
        self.assertEqual(int(own), int(best))
        weight = self.file.tensors["blk.0.ffn_gate.weight"]
        self.assertIn("kernel.collective", tiny.gguf.linear(tiny.rand(1, weight.shape[1]).realize(), weight.shard(2, 1)).schedule())
        with self.assertRaisesRegex(ValueError, "expects axis 0 or 1 of a quantised weight, got 2"):
            weight.shard(2, 2)

    def test_refuses(self):
        model = Llama(self.file, context=16)
        with self.assertRaisesRegex(ValueError, "expects 1 to 16 tokens, got 17"):
            model.read([0] * 17)
        with self.assertRaisesRegex(ValueError, "expects 1 to 0 tokens, got 1"):
            model.read([0], 16)
        other = tiny.gguf.File({**self.file.metadata, "general.architecture": "mamba"}, {})
        with self.assertRaisesRegex(ValueError, "expects the architecture 'llama', got 'mamba'"):
            Llama(other)

    def test_pieces(self):
        text = "I'm  here,\n\nthe 2nd (of 12)\u00a0caf\u00e9s \t!"
        self.assertEqual(list(pieces(text)), ["I", "'m", " ", " here", ",", "\n", "\n", "the", " ", "2", "nd", " (", "of", " ", "1", "2", ")", "\u00a0", "caf\u00e9s",
                                              " ", "\t", "!"])
        self.assertEqual("".join(pieces(text)), text)

    def test_tokens(self):
        tokenizer = Tokenizer(self.file.metadata)
        words = lambda ids: [tokenizer.tokens[id] for id in ids]  # noqa: E731
        self.assertEqual(words(tokenizer.encode("the then in the")), ["the", "\u0120the", "n", "\u0120", "in", "\u0120the"])
        self.assertEqual(words(tokenizer.encode("<|im_end|>", special=True)), ["<|im_end|>"])
        self.assertGreater(len(tokenizer.encode("<|im_end|>")), 1)
        for text in ("", "caf\u00e9 \U0001f642\n\n  x", "\x00\x7f"):
            self.assertEqual(tokenizer.decode(tokenizer.encode(text)), text)
        chat = tokenizer.chat([("system", "an"), ("user", "in")])
        self.assertEqual("".join(words(chat)), "<|im_start|>system\u010aan<|im_end|>\u010a<|im_start|>user\u010ain<|im_end|>\u010a<|im_start|>assistant\u010a")

    def test_command(self):
        run = lambda *arguments: subprocess.run([sys.executable, str(EXAMPLE / "smollm2.py"), *map(str, arguments)], capture_output=True, text=True)  # noqa: E731
        done = run(self.path, "in", "--tokens=4", "--context=64")
        self.assertEqual((done.returncode, done.stderr), (1, "error: expects 1 to 64 tokens, got 94\n"))
        done = run(EXAMPLE / "README.md", "in")
        self.assertIn("malformed GGUF: expected a file that begins with 'GGUF'", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=0)
