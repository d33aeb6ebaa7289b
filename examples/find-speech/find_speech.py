"""Cuts a sound file into speech, as it would come from a microphone: 32 milliseconds at a time.

    python find_speech.py SOUND.wav [--model=PATH] [--probabilities=FILE.npy]

Silero's model says how likely a piece of sound is speech; what it remembers goes from each call to the next. Needs the
packages tiny (docs/Tensor.md) and numpy; utils/models --fetch gets the model. An example to copy from: see README.md.
"""
import argparse
import pathlib
import sys
import time
import wave

import numpy as np
import tiny
from tiny import Tensor

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "build" / "models" / "silero_vad" / "data" / "silero_vad_16k_op15.onnx"
RATE = 16000
CHUNK, CONTEXT = 512, 64  # samples: what is new in each call, and what it sees again of the one before
SURE, UNSURE = 0.5, 0.35  # speech begins at the first, and ends below the second
SHORTEST, PAUSE, PAD = 0.25, 0.1, 0.03  # seconds: of speech, of what ends it, and around it


class Detector:
    """The probability that sound is speech, chunk by chunk."""

    def __init__(self, path):
        self.model = tiny.onnx.load(path, {"batch": 1, "sequence": CONTEXT + CHUNK})
        names = [name for name, _, _ in self.model.inputs]
        if names != ["input", "state", "sr"]:
            raise ValueError(f"expects a model of input, state and sr, got {', '.join(names)}")
        self.rate = Tensor(np.array(RATE))
        self.reset()

    def reset(self):
        self.state, self.context = tiny.zeros(2, 1, 128), np.zeros(CONTEXT, np.float32)

    def hear(self, chunk):
        heard = np.concatenate([self.context, chunk])
        self.context = heard[-CONTEXT:]
        probability, self.state = self.model(Tensor(heard[np.newaxis]), self.state, self.rate)
        return probability.item()


class Segments:
    """Speech among chunks: what lasts, up to a pause."""

    def __init__(self):
        self.found, self.begin, self.quiet, self.now = [], None, None, 0.0

    def add(self, probability):
        before, self.now = self.now, self.now + CHUNK / RATE
        if probability >= SURE:
            self.quiet = None
            if self.begin is None:
                self.begin = before
        elif self.begin is not None and probability < UNSURE:
            self.quiet = before if self.quiet is None else self.quiet
            if self.now - self.quiet >= PAUSE:
                self.close(self.quiet)

    def close(self, end):
        """Ends what goes on; the segment, where it is long enough."""
        if self.begin is not None and end - self.begin >= SHORTEST:
            self.found.append((max(self.begin - PAD, 0.0), end + PAD))
        self.begin = self.quiet = None


def read_sound(path):
    """Samples from -1 to 1."""
    try:
        with wave.open(str(path)) as file:
            form = (file.getframerate(), file.getnchannels(), 8 * file.getsampwidth())
            data = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', '') or str(error) or 'the file ends too early'}") from None
    if form != (RATE, 1, 16):
        raise ValueError(f"{path}: expects {RATE} samples a second, 1 channel, 16 bits; got {form[0]}, {form[1]}, {form[2]}")
    samples = np.frombuffer(data[:len(data) // 2 * 2], "<i2").astype(np.float32) / 32768
    if not samples.size:
        raise ValueError(f"{path}: it has no samples")
    return samples


def main():
    parser = argparse.ArgumentParser(description="Cuts a sound file into speech.")
    parser.add_argument("sound", type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--probabilities", type=pathlib.Path, help="writes those of all chunks to a .npy file")
    options = parser.parse_args()
    if not options.model.exists():
        print(f"find_speech: skipped: there is no {options.model.name}; utils/models --fetch gets it")
        return
    try:
        samples = read_sound(options.sound)
        detector = Detector(options.model)
    except ValueError as error:
        sys.exit(f"find_speech: error: {error}")
    # The first call compiles.
    detector.hear(np.zeros(CHUNK, np.float32))
    detector.reset()
    segments, probabilities, length = Segments(), [], samples.size / RATE
    start = time.perf_counter()
    for at in range(0, samples.size, CHUNK):
        chunk = samples[at:at + CHUNK]
        probabilities.append(detector.hear(np.pad(chunk, (0, CHUNK - chunk.size))))
        known = len(segments.found)
        segments.add(probabilities[-1])
        for begin, end in segments.found[known:]:
            print(f"{begin:.2f} - {end:.2f} s", flush=True)
    known = len(segments.found)
    segments.close(length)
    for begin, end in segments.found[known:]:
        print(f"{begin:.2f} - {min(end, length):.2f} s")
    took = time.perf_counter() - start
    if options.probabilities:
        np.save(options.probabilities, np.array(probabilities, np.float32))
    print(f"{length:.1f} s of sound: {len(segments.found)} pieces of speech, {length / took:.0f} times faster than real time")


if __name__ == "__main__":
    main()
