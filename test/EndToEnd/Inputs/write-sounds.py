"""Writes sounds that an example refuses, and one of noise: write-sounds.py FOLDER"""
import sys
import wave

for name, rate, channels, frames in (("stereo", 16000, 2, 600), ("slow", 8000, 1, 600), ("empty", 16000, 1, 0), ("noise", 16000, 1, 600)):
    with wave.open(f"{sys.argv[1]}/{name}.wav", "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(bytes(2 * channels * frames))
with open(f"{sys.argv[1]}/noise.wav", "rb") as whole, open(f"{sys.argv[1]}/short.wav", "wb") as short:
    short.write(whole.read(20))
