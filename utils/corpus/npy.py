"""Reading and writing .npy files of the standard types, without NumPy."""
import ast
import math
import struct
import zipfile

# dtype name: (NumPy's descriptor, struct's letter)
FORMATS = {"float32": ("<f4", "f"), "float64": ("<f8", "d"), "float16": ("<f2", "e"), "bool": ("|b1", "?"), "int8": ("|i1", "b"),
           "int16": ("<i2", "h"), "int32": ("<i4", "i"), "int64": ("<i8", "q"), "uint8": ("|u1", "B"),
           "uint16": ("<u2", "H"), "uint32": ("<u4", "I"), "uint64": ("<u8", "Q")}
LETTERS = dict(FORMATS.values())


def write(path, values, shape, dtype):
    descriptor, letter = FORMATS[dtype]
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def read(path):
    """Returns (values, shape)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is no .npy file")
    return parse(data)


def read_all(path):
    """The arrays of an .npz file in its order: (values, shape) of each."""
    with zipfile.ZipFile(path) as archive:
        return [parse(archive.read(name)) for name in archive.namelist()]


def parse(data):
    """(values, shape) of the bytes of an .npy file."""
    size, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = ast.literal_eval(data[start:start + size].decode())
    count = math.prod(header["shape"])
    letter = LETTERS[header["descr"]]
    return list(struct.unpack(f"<{count}{letter}", data[start + size:])), list(header["shape"])
