# Prints a file of 32-bit words as C's initialisers, eight a line.
import struct
import sys

data = open(sys.argv[1], "rb").read()
words = struct.unpack(f"<{len(data) // 4}I", data)
for at in range(0, len(words), 8):
    print(" ".join(f"0x{word:08x}," for word in words[at:at + 8]))
