"""Answers a question with a language model from a GGUF file.

    python smollm2.py MODEL.gguf "What is the capital of France?" [--tokens=N] [--context=N] [--ranks=N] [--precise] [--timing]

On several ranks it runs as threads, or under mpirun -n N as processes; weights are cut among them.
"""
import argparse
import codecs
import sys
import time

import tiny
from llama import Llama
from tokenizer import Tokenizer


def main():
    parser = argparse.ArgumentParser(description="Answers a question with a language model from a GGUF file.")
    parser.add_argument("model", help="a GGUF file with Llama's architecture")
    parser.add_argument("question")
    parser.add_argument("--tokens", type=int, default=256, help="how many to write at most")
    parser.add_argument("--context", type=int, default=512, help="how many tokens question and answer may have together")
    parser.add_argument("--ranks", type=int, default=1, help="how many share the weights")
    parser.add_argument("--precise", action="store_true", help="round nothing to 8 bits: slower, and as many ranks as one may give the same")
    parser.add_argument("--timing", action="store_true", help="answers twice, and says how fast the second time")
    options = parser.parse_args()
    try:
        file = tiny.gguf.load(options.model)
        model, tokenizer = Llama(file, options.context, options.ranks, options.precise), Tokenizer(file.metadata)
        prompt = tokenizer.chat([("user", options.question)])
        for is_last in (False, True)[not options.timing:]:
            is_shown = is_last and tiny.process_rank()[0] == 0
            answer(model, tokenizer, prompt, options.tokens, is_shown, options.timing and is_shown)
    except ValueError as error:
        sys.exit(f"error: {error}")


def answer(model, tokenizer, prompt, limit, is_shown, is_timed):
    # A token may end inside of a letter.
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    times, count = [time.perf_counter()], 0
    for token in generate(model, prompt, tokenizer.end):
        times.append(time.perf_counter())
        count += 1
        if is_shown:
            print(letters.decode(tokenizer.decode_bytes([token])), end="", flush=True)
        if count == limit:
            break
    if is_shown:
        print(letters.decode(b"", final=True))
    if is_timed and len(times) > 2:
        print(f"prompt: {len(prompt)} tokens, {len(prompt) / (times[1] - times[0]):.0f} a second", file=sys.stderr)
        print(f"answer: {count} tokens, {(count - 1) / (times[-1] - times[1]):.0f} a second", file=sys.stderr)


def generate(model, prompt, end):
    """The likeliest token, over and over, until it is the end or the context is full."""
    position, following = 0, prompt
    while True:
        _, best = model.read(following, position)
        position += len(following)
        following = [int(best)]
        if following[0] == end:
            return
        yield following[0]
        if position == model.context:
            return


if __name__ == "__main__":
    main()
