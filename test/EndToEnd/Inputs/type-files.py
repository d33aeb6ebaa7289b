"""Every element type through an ONNX model and every file format, bit for bit, NaNs, signed zeros and ends included.

usage: type-files.py FOLDER

The model puts an input, an initializer of raw bytes and one in the field of its type one behind the other. Its result is
written in one format, and is the input of a program that only hands it on and writes the next one.
"""
import importlib.util
import pathlib
import random
import subprocess
import sys
import zipfile

spec = importlib.util.spec_from_file_location("types", pathlib.Path(__file__).parent / "element-types.py")
types = importlib.util.module_from_spec(spec)
spec.loader.exec_module(types)

CODES = {"f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6, "i64": 7, "i1": 9, "f16": 10, "f64": 11, "ui32": 12,
         "ui64": 13, "bf16": 16, "f8E4M3FN": 17, "f8E5M2": 19}
# The field of a tensor that holds elements of a type: its number, and the bytes of an element where it is packed as such.
FIELDS = {"f32": (4, 4), "f64": (10, 8), "i64": (7, 0), "ui32": (11, 0), "ui64": (11, 0)}


def varint(number):
    number %= 1 << 64
    text = bytearray()
    while number >= 128:
        text.append(number & 127 | 128)
        number >>= 7
    return bytes(text) + bytes([number])


def field(number, content):
    """A field of protobuf's wire format: an integer, a text or a message."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def to_bytes(name, patterns):
    return b"".join(pattern.to_bytes(types.BITS[name] // 8, "little") for pattern in patterns)


def tensor(label, name, patterns, raw):
    message = field(1, len(patterns)) + field(2, CODES[name]) + field(8, label)
    if raw:
        return message + field(9, to_bytes(name, patterns))
    number, width = FIELDS.get(name, (5, 0))
    if width:
        return message + field(number, to_bytes(name, patterns))
    signed = [types.decode(name, p) if name in types.INTEGERS else p for p in patterns]
    return message + field(number, b"".join(map(varint, signed)))


def model(name, raw, typed):
    def described(label, count):
        shape = field(2, field(1, field(1, count)))
        return field(1, label) + field(2, field(1, field(1, CODES[name]) + shape))
    axis = field(1, "axis") + field(3, 0) + field(20, 2)
    node = b"".join(field(1, label) for label in ("x", "raw", "typed")) + field(2, "y") + field(4, "Concat") + field(5, axis)
    graph = (field(1, node) + field(2, "g") + field(5, tensor("raw", name, raw, True))
             + field(5, tensor("typed", name, typed, False)) + field(11, described("x", len(raw)))
             + field(12, described("y", 3 * len(raw))))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def contents(path, size):
    """The bytes of the elements of the only tensor in a file."""
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            return archive.read(archive.namelist()[0])[-size:]
    return path.read_bytes()[-size:]


def main():
    folder = pathlib.Path(sys.argv[1])
    draw, failures = random.Random(3), 0
    for name in types.TYPES:
        edges = types.special(name)
        edges += [draw.randrange(2 if name == "i1" else 1 << types.BITS[name]) for _ in range(40 - len(edges))]
        x, raw, typed = edges, edges[::-1], edges[7:] + edges[:7]
        types.write(folder / f"{name}.safetensors", {"x": (name, [40], x)})
        (folder / f"{name}.onnx").write_bytes(model(name, raw, typed))
        kind = f"tensor<120x{name}>"
        (folder / f"{name}.mlir").write_text(
            f"func.func @main(%x: {kind} {{tiny.name = \"y\"}}) -> ({kind} {{tiny.name = \"y\"}}) {{\n  return %x : {kind}\n}}\n")
        wanted = to_bytes(name, x + raw + typed)
        source, program = folder / f"{name}.safetensors", folder / f"{name}.onnx"
        for suffix in ".npy", ".npz", ".out.safetensors", ".again.npy":
            target = folder / f"{name}{suffix}"
            ran = subprocess.run(["tiny-run", program, "--input", source, "--output", target], capture_output=True, text=True)
            if ran.returncode or contents(target, len(wanted)) != wanted:
                failures += 1
                print(f"{target.name}: {ran.stderr.strip() or 'other elements'}")
                break
            source, program = target, folder / f"{name}.mlir"
    print(f"{len(types.TYPES)} types, {failures} wrong")


if __name__ == "__main__":
    main()
