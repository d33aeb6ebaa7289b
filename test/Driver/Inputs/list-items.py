# Prints the version of a container, where its slots lie, and its items. usage: list-items.py CONTAINER
import struct
import sys

data = open(sys.argv[1], "rb").read()
version, n_sections = struct.unpack_from("<II", data, 8)
sections = {}
for index in range(n_sections):
    kind, _, offset, size, _ = struct.unpack_from("<IIQQQ", data, 32 + 32 * index)
    sections[kind] = data[offset : offset + size]


def text(offset):
    return sections[1][offset : sections[1].index(b"\0", offset)].decode()


records = [text(device) for (device, *_) in struct.iter_unpack("<IIIIQQ", sections[3])]
binaries = [record for (record, *_) in struct.iter_unpack("<IIQQII", sections[4])]
devices = [records[record] for record in binaries]
first, count = struct.unpack_from("<IIQQII", sections[4])[4:]
kernels = [text(struct.unpack_from("<I", sections[5], 64 * index)[0]) for index in range(first, first + count)]
slots = [devices[flags >> 8] for (_, _, flags) in struct.iter_unpack("<QII", sections[6])]
operands = [slot for (slot,) in struct.iter_unpack("<I", sections[8])]
names = ["alloc", "constant", "alias", "launch", "copy", "fill", "loop", "if", "collective", "wait"]

print("version:", version)
for item in struct.iter_unpack("<IIIIIIIIIIQ8sQ", sections[7]):
    kind, _, slot, source, kernel, constant, operand, n_inputs, n_outputs = item[:9]
    name = names[kind]
    if name == "launch":
        buffers = [f"{slot}@{slots[slot]}" for slot in operands[operand : operand + n_inputs + n_outputs]]
        print(name, kernels[kernel], *buffers[:n_inputs], "->", *buffers[n_inputs:])
    elif name == "copy":
        print(name, f"{source}@{slots[source]}", "->", f"{slot}@{slots[slot]}")
    elif name in ("alloc", "constant", "fill"):
        print(name, f"{slot}@{slots[slot]}")
    else:
        print(name)
