"""Reads ONNX's protobuf files and safetensors with nothing but the standard library, for utils/onnx-suite and utils/models."""
import json
import math
import struct

# ONNX's number of an element type: safetensors' name, struct's letter, and the typed field that holds its elements.
TYPES = {
    1: ("F32", "f", 4), 2: ("U8", "B", 5), 3: ("I8", "b", 5), 4: ("U16", "H", 5), 5: ("I16", "h", 5), 6: ("I32", "i", 5),
    7: ("I64", "q", 7), 9: ("BOOL", "B", 5), 10: ("F16", "e", 5), 11: ("F64", "d", 10), 12: ("U32", "I", 11),
    13: ("U64", "Q", 11), 16: ("BF16", "H", 5),
}
LETTERS = {name: letter for name, letter, _ in TYPES.values()}
FLOATS = {"F16", "F32", "F64", "BF16"}
RTOL, ATOL = 1e-3, 1e-7


class OnnxFileError(Exception):
    """A file has what this reader does not know."""


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7


def fields(data):
    """The fields of a message: pairs of its number and an integer or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = 8
            if kind == 2:
                size, at = varint(data, at)
            elif kind == 5:
                size = 4
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def field(data, number, otherwise=b""):
    return next((value for key, value in fields(data) if key == number), otherwise)


def message(number, data):
    """A field that holds a message or bytes."""
    size, prefix = len(data), bytearray([number << 3 | 2])
    while size > 127:
        prefix.append(size & 127 | 128)
        size >>= 7
    return bytes([*prefix, size]) + data


def bind_inputs(model, tensors):
    """The model with initializers for some of its inputs: messages of one field that follow each other are merged."""
    graph = b"".join(message(5, data + message(8, name.encode())) for name, data in tensors.items())
    return model + message(7, graph)


def read_model_names(model):
    """The names of a model's inputs that are no initializers, of its outputs, and their element types by name."""
    inputs, outputs, types, initializers = [], [], {}, set()
    for number, value in fields(field(model, 7)):
        if number == 5:
            initializers.add(field(value, 8).decode())
        elif number in (11, 12):
            name = field(value, 1).decode()
            (inputs if number == 11 else outputs).append(name)
            tensor = field(field(value, 2), 1, None)
            types[name] = None if tensor is None else field(tensor, 1, 0)
    return [name for name in inputs if name not in initializers], outputs, types


def read_open_sizes(model, given):
    """The sizes that the model leaves open, by their places, from the tensors that it is given."""
    sizes = {}
    for number, value in fields(field(model, 7)):
        if number != 11:
            continue
        name, kind = field(value, 1).decode(), field(value, 2)
        optional = field(kind, 9, None)
        kind = kind if optional is None else field(optional, 1)
        sequence = field(kind, 4, None)
        parts = [name]
        if sequence is not None:
            # An argument for each element.
            kind, parts = field(sequence, 1), []
            while f"{name}.{len(parts)}" in given:
                parts.append(f"{name}.{len(parts)}")
            if parts or optional is None:
                sizes[name] = len(parts)
        elif optional is not None and name in given:
            sizes[name] = 1
        shape = field(field(kind, 1), 2, None)
        axes = None if shape is None else [dim for key, dim in fields(shape) if key == 1]
        for part in parts:
            if part not in given:
                continue
            for axis, size in enumerate(given[part][1]):
                # Some exporters write -1 for a size that is open.
                if axes is None or dict(fields(axes[axis])).get(1, 2**64 - 1) == 2**64 - 1:
                    sizes[f"{part}:{axis}"] = size
    return sizes


def read_optionals(model):
    """The names of inputs and outputs that are optional values."""
    values = [value for number, value in fields(field(model, 7)) if number in (11, 12)]
    return {field(value, 1).decode() for value in values if field(field(value, 2), 9, None) is not None}


def read_parts(data, name, is_optional):
    """The tensors of a message that is a sequence or an optional value, by the names of their arguments or results."""
    if is_optional:
        tensor = field(data, 3, None)
        if tensor is not None:
            return {name: tensor}
        data = field(data, 5)
    return {f"{name}.{index}": value for index, value in enumerate(value for number, value in fields(data) if number == 3)}


def numbers_of(value, letter):
    """A repeated field: packed bytes, or one number alone."""
    if isinstance(value, int):
        return [value]
    if letter in "fd":
        return struct.unpack(f"<{len(value) // struct.calcsize(letter)}{letter}", value)
    numbers, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(number)
    return numbers


def read_tensor(path, declared=None):
    """A TensorProto as (safetensors' type, shape, little-endian bytes). Files hold a bfloat16 as uint16."""
    shape, kind, raw, typed = [], 0, None, {}
    for number, value in fields(path if isinstance(path, bytes) else path.read_bytes()):
        if number == 1:
            shape += numbers_of(value, "q")
        elif number == 2:
            kind = value
        elif number == 9:
            raw = value
        elif number in (4, 5, 7, 10, 11):
            typed.setdefault(number, []).append(value)
    if declared == 16 and kind == 4:
        kind = declared
    if kind not in TYPES or not isinstance(kind, int):
        raise OnnxFileError(f"{getattr(path, 'name', 'an element')} is no tensor of numbers")
    name, letter, place = TYPES[kind]
    if raw is None:
        store = {"e": "H"}.get(letter, letter)
        bits = 8 * struct.calcsize(store)
        numbers = [number for value in typed.get(place, []) for number in numbers_of(value, letter)]
        if store not in "fd":
            numbers = [(number & (1 << bits) - 1).to_bytes(bits // 8, "little") for number in numbers]
            raw = b"".join(numbers)
        else:
            raw = struct.pack(f"<{len(numbers)}{store}", *numbers)
    if len(raw) != math.prod(shape) * struct.calcsize(letter):
        raise OnnxFileError(f"{getattr(path, 'name', 'an element')} is no tensor of numbers")
    return name, shape, raw


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, (kind, shape, raw) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(raw)]}
        at += len(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(raw for _, _, raw in tensors.values()))


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<Q", data)[0]
    header, body = json.loads(data[8:8 + size]), data[8 + size:]
    return {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def elements(tensor):
    kind, _, raw = tensor
    letter = LETTERS[kind]
    values = struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw)
    if kind == "BF16":
        return struct.unpack(f"<{len(values)}f", b"".join(struct.pack("<I", value << 16) for value in values))
    return values


def close(got, expected):
    if got == expected or (got != got and expected != expected):
        return True
    return math.isfinite(got) and math.isfinite(expected) and abs(got - expected) <= ATOL + RTOL * abs(expected)


def compare(got, expected):
    """What differs beyond ONNX's tolerances, or None."""
    if got[0] != expected[0]:
        return f"got type {got[0]}, expected {expected[0]}"
    if list(got[1]) != list(expected[1]):
        return f"got shape {got[1]}, expected {expected[1]}"
    for index, (mine, right) in enumerate(zip(elements(got), elements(expected))):
        if not (close(mine, right) if got[0] in FLOATS else mine == right):
            return f"element {index}: got {mine}, expected {right}"
    return None
