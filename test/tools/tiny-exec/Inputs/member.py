"""member.py FILE.npz NAME OUTPUT: writes one of a file's arrays as a file of its own. An .npz is a zip of .npy files."""
import sys
import zipfile

path, name, output = sys.argv[1:]
with zipfile.ZipFile(path) as archive, open(output, "wb") as file:
    file.write(archive.read(name + ".npy"))
