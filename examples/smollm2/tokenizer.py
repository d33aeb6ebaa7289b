"""Byte-level BPE from the tables of a GGUF file, and the chat template's form."""
import re
import unicodedata

CONTRACTION = re.compile(r"'(?:s|t|re|ve|m|ll|d)")
CONTROL = 3  # the type of tokens that no text spells


def byte_letters():
    """The letter that stands for each byte in the tables: printable ones for themselves, others from U+0100 on."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    return {**{byte: chr(byte) for byte in own}, **{byte: chr(256 + index) for index, byte in enumerate(others)}}


def kind_of(letter):
    """A letter, a number, space, or another sign."""
    category = unicodedata.category(letter)
    return category[0] if category[0] in "LN" else "Z" if letter.isspace() and letter not in "\x1c\x1d\x1e\x1f" else "S"


def pieces(text):
    """Cuts as the pre-tokenizer does: digits alone, words and runs of signs with one space before them, other spaces."""
    start = 0
    for index, letter in enumerate(text):
        if kind_of(letter) == "N":
            yield from words(text[start:index])
            yield letter
            start = index + 1
    yield from words(text[start:])


def words(text):
    at = 0
    while at < len(text):
        if match := CONTRACTION.match(text, at):
            yield match[0]
            at = match.end()
            continue
        first = at + (text[at] == " " and at + 1 < len(text) and kind_of(text[at + 1]) != "Z")
        kind, end = kind_of(text[first]), first
        while end < len(text) and kind_of(text[end]) == kind:
            end += 1
        # The last of several spaces belongs to the word behind it.
        if kind == "Z" and end < len(text) and end - at > 1:
            end -= 1
        yield text[at:end]
        at = end


class Tokenizer:
    def __init__(self, metadata):
        if metadata.get("tokenizer.ggml.model") != "gpt2":
            raise ValueError(f"expects the tokenizer 'gpt2', got {metadata.get('tokenizer.ggml.model')!r}")
        if metadata.get("tokenizer.ggml.pre") != "smollm":
            raise ValueError(f"expects the pre-tokenizer 'smollm', got {metadata.get('tokenizer.ggml.pre')!r}")
        self.tokens = metadata["tokenizer.ggml.tokens"]
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        self.ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(metadata["tokenizer.ggml.merges"])}
        types = metadata["tokenizer.ggml.token_type"]
        self.special = {token: index for index, (token, kind) in enumerate(zip(self.tokens, types)) if kind == CONTROL}
        self.end = metadata["tokenizer.ggml.eos_token_id"]
        self.letters = byte_letters()
        self.bytes = {letter: byte for byte, letter in self.letters.items()}
        longest = sorted(self.special, key=len, reverse=True)
        self.split = re.compile("(" + "|".join(map(re.escape, longest)) + ")") if longest else None
        self.known = {}

    def encode(self, text, special=False):
        """Ids of a text. With `special`, names of control tokens in it stand for these."""
        parts = self.split.split(text) if special and self.split else [text]
        ids = []
        for part in parts:
            if special and part in self.special:
                ids.append(self.special[part])
            else:
                for piece in pieces(part):
                    ids += self.merge(piece)
        return ids

    def merge(self, piece):
        if piece not in self.known:
            parts = [self.letters[byte] for byte in piece.encode()]
            while len(parts) > 1:
                ranked = [(self.ranks.get(pair, len(self.ranks)), index) for index, pair in enumerate(zip(parts, parts[1:]))]
                rank, index = min(ranked)
                if rank == len(self.ranks):
                    break
                parts[index:index + 2] = [parts[index] + parts[index + 1]]
            self.known[piece] = [self.ids[part] for part in parts if part in self.ids]
        return self.known[piece]

    def decode_bytes(self, ids):
        """The bytes that tokens spell; control tokens spell nothing."""
        return b"".join(bytes(self.bytes[letter] for letter in self.tokens[id]) for id in ids if self.tokens[id] not in self.special)

    def decode(self, ids):
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def chat(self, messages, system="You are a helpful AI assistant named SmolLM, trained by Hugging Face"):
        """Ids of a conversation, [(role, text), ...], up to where the assistant answers."""
        if not messages or messages[0][0] != "system":
            messages = [("system", system), *messages]
        ids = []
        for role, text in messages:
            ids += [self.ids["<|im_start|>"], *self.encode(f"{role}\n{text}"), self.ids["<|im_end|>"], *self.encode("\n")]
        return ids + [self.ids["<|im_start|>"], *self.encode("assistant\n")]
