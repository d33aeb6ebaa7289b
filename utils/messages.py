"""The error messages of the sources, and which of them some test expects.

A message is read from the call that reports it: its literals, with holes for what varies. A test expects it by an
`expected-error`, a line for FileCheck or a string of a unit test. What could be part of several messages counts for
those that it says most of, or all.
"""
import collections
import dataclasses
import functools
import pathlib
import re

REPORTERS = ["emitError", "emitOpError", "emitInferError", "emitOptionalError", "emitSilenceableError",
             "emitDefiniteFailure", "createStringError", "fail", "error"]
CALL = re.compile(rf"\b(?:{'|'.join(REPORTERS)})\s*(?=\()")
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|<<|[\w.:]+|\S')
TRANSPARENT = {"Twine", "llvm::Twine", "std::string", "StringRef", "formatv", "llvm::formatv", "+", "<<", "(", ",", "?", ":"}
HOLE = "\0"
WORD = re.compile(r"[a-zA-Z_]{4,}|2\^62")
# A test expects the message of which it says most, if that is so much: of the message's characters, or in all.
WORTH, LEAST = 0.6, 14


@dataclasses.dataclass(frozen=True)
class Message:
    path: pathlib.Path
    line: int
    reporter: str
    pieces: tuple
    is_choice: bool  # one of several ends of a message

    def __str__(self):
        return " ... ".join(self.pieces)

    @functools.cached_property
    def size(self):
        return sum(map(len, self.pieces))


def unescape(text):
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)


def to_pieces(text):
    holes = re.sub(r"%(?:\.\*|\.?\d+)?(?:ll|l|z)?[a-zA-Z]|\{\d+(?::\w+)?\}", HOLE, text)
    return tuple(piece for piece in (part.strip(" ':;,.()") for part in re.split(f"{HOLE}+", holes)) if re.search("[A-Za-z]{2}", piece))


def read_calls(text):
    """The match of each reporter's call, and its texts: several where it chooses one."""
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    for call in CALL.finditer(text):
        said, chosen, levels, before = [], [], [], ""
        for token in TOKEN.finditer(text, call.end()):
            symbol = token[0]
            if symbol.startswith("//"):
                continue
            if not levels and (before == ")" and symbol != "<<" or symbol in ")]};"):
                break
            if symbol in "([{":
                is_open = not before or (before in TRANSPARENT and all(levels))
                levels.append(is_open)
            elif symbol in ")]}":
                levels.pop()
                if not levels:
                    symbol = ")"
            elif symbol.startswith('"'):
                if all(levels):
                    said.append(("?" if "?" in chosen[-1:] else "") + unescape(symbol[1:-1]))
            if symbol == "?":
                chosen.append("?")
            elif symbol in (")", "<<"):
                chosen.clear()
            if not symbol.startswith('"') and symbol not in "(+":
                said.append(HOLE)
            before = symbol
        choices = [part[1:] for part in said if part.startswith("?")]
        yield call, ["".join(part for part in said if not part.startswith("?")),
                             *(choice for choice in choices if choice.count(" ") > 2)]


def find_messages(paths):
    for path in paths:
        text = path.read_text()
        for call, texts in read_calls(text):
            for number, said in enumerate(texts):
                # One word is the head of a message that its caller says.
                if (pieces := to_pieces(said)) and pieces[0].count(" ") + len(pieces) > 1:
                    yield Message(path, text.count("\n", 0, call.start()) + 1, call[0].strip(), pieces, number > 0)


def find_expectations(root):
    """What tests expect, with holes where they leave something open."""
    for path in [*root.glob("test/**/*.mlir"), *root.glob("test/**/*.test")]:
        for line in path.read_text().splitlines():
            if match := re.search(r"expected-(?:error|warning|remark|note)(?:-re)?[^{]*\{\{(.*)\}\}", line):
                yield re.sub(r"\{\{.*?\}\}|\[\[.*?\]\]", HOLE, match[1])
            elif match := re.match(r"^\s*(?:(?://|#)\s*)?[A-Z][A-Z0-9_-]*:(.*)", line):
                if not re.match(r"^\s*(?:(?://|#)\s*)?RUN:", line):
                    yield re.sub(r"\{\{.*?\}\}|\[\[.*?\]\]", HOLE, match[1])
    for path in [*root.glob("unittests/**/*.cpp"), *root.glob("unittests/**/*.c"), *root.glob("test/**/*.py")]:
        for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', path.read_text()):
            yield unescape("".join(part[1:-1] for part in re.findall(r'"(?:[^"\\\n]|\\.)*"', match[0])))


def find_reasons(paths):
    """The phrases of the files that tell remarks: literals of three words or more that no error message has."""
    paths = [path for path in paths if "Remarks.h\"" in path.read_text() or path.name.endswith("Reasons.h")]
    errors = {piece for message in find_messages(paths) for piece in message.pieces}
    for path in paths:
        text = re.sub(r"^[ \t]*(#|//).*$", "", path.read_text(), flags=re.M)
        # Why a pattern does not match is for the driver's log.
        text = re.sub(r"notifyMatchFailure\([^;]*;", "", text)
        for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
            said = unescape("".join(part[1:-1] for part in re.findall(r'"(?:[^"\\\n]|\\.)*"', match[0])))
            for piece in to_pieces(said):
                if piece.count(" ") >= 2 and piece not in errors:
                    yield Message(path, text.count("\n", 0, match.start()) + 1, "remark", (piece,), False)


def find_untold(reasons, expectations):
    """The reasons of which no test expects most."""
    runs = {run for expectation in dict.fromkeys(expectations) for run in expectation.split(HOLE) if run.strip()}
    said = "\n".join(runs)
    return [reason for reason in reasons
            if reason.pieces[0] not in said
            and not any(overlap(run.strip(), reason.pieces[0]) >= WORTH * reason.size for run in runs)]


def overlap(run, piece):
    """The longest part that both have, where one is in the other or the end of one is the begin of the other."""
    if run in piece or piece in run:
        return min(len(run), len(piece))
    for size in range(min(len(run), len(piece)) - 1, 0, -1):
        if run.endswith(piece[:size]) or run.startswith(piece[-size:]):
            return size
    return 0


def said_by(runs, message):
    """How many characters of a message an expectation says; `runs` is what it has between its holes."""
    text, position, found = HOLE.join(runs), 0, 0
    for piece in message.pieces:
        at = text.find(piece, position)
        if at >= 0:
            position, found = at + len(piece), found + len(piece)
    partly = max(overlap(run, piece) for run in runs for piece in message.pieces)
    return max(found, partly)


def find_unexpected(messages, expectations):
    """The messages that no test expects."""
    words = collections.defaultdict(list)
    for message in messages:
        for word in WORD.findall(str(message)):
            words[word].append(message)
    expected = set()
    for expectation in dict.fromkeys(expectations):
        runs = [run for run in (part.strip() for part in expectation.split(HOLE)) if run]
        candidates = {message for word in set(WORD.findall(expectation)) for message in words[word]}
        scores = {message: said_by(runs, message) for message in candidates} if runs else {}
        best = max(scores.values(), default=0)
        for message, score in scores.items():
            if score == message.size and (len(message.pieces) > 1 or message.is_choice) or (
                    score == best and (score >= WORTH * message.size or score >= LEAST)):
                expected.add(message.pieces)
    return [message for message in messages if message.pieces not in expected]
