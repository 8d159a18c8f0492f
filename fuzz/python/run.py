"""
Run a harness on inputs that it has not seen, or once more on files.

    python fuzz/python/run.py HARNESS [--seconds N] [--seed N] [--found FOLDER]
    python fuzz/python/run.py HARNESS --replay FILE…

HARNESS is a file beside this one; its function `test_one_input` takes any bytes and
raises where hexary breaks a promise.  With Atheris (Linux and macOS; `pip install
atheris`) the pure code is instrumented, and inputs that reach new code are kept in
FOLDER and changed further.  Without it inputs of fuzz/corpus are changed at random, and
nothing guides that; the first line of the output says which of the two it is.

The input that broke a promise is written to FOLDER.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parent / "corpus"
LONGEST = 4096

Harness = Callable[[bytes], None]


def seeds_of(harness: str) -> list[bytes]:
    """Return the kept inputs of a harness."""
    seeds = [path.read_bytes() for path in sorted((CORPORA / harness).iterdir())]
    if not seeds:
        raise SystemExit(f"{CORPORA / harness} is empty")
    return seeds


def changed(source: random.Random, seeds: list[bytes]) -> bytes:
    """Return an input made of one or two kept ones."""
    data = bytearray(source.choice(seeds))
    if source.random() < 0.2:
        other = source.choice(seeds)
        place = source.randrange(len(other) + 1)
        data[source.randrange(len(data) + 1) :] = other[place:]
    for _ in range(1 + int(source.expovariate(0.5))):
        place = source.randrange(len(data) + 1)
        size = 1 + int(source.expovariate(0.5))
        kind = source.randrange(4)
        if kind == 0:
            data[place:place] = source.randbytes(size)
        elif kind == 1:
            del data[place : place + size]
        elif kind == 2:
            data[place : place + 1] = source.randbytes(1)
        else:
            copied = data[place : place + size]
            other_place = source.randrange(len(data) + 1)
            data[other_place:other_place] = copied
    return bytes(data[:LONGEST])


def without_guidance(
    name: str, test: Harness, seconds: float, seed: int, found: Path
) -> int:
    """Change kept inputs at random; return the exit code."""
    print(f"{name}: random changes of the corpus, seed {seed}; nothing guides them")
    source, seeds = random.Random(seed), seeds_of(name)
    end = time.monotonic() + seconds
    runs = 0
    while time.monotonic() < end:
        data = changed(source, seeds)
        runs += 1
        try:
            test(data)
        except Exception:
            path = found / f"crash-{hashlib.sha256(data).hexdigest()[:16]}"
            path.write_bytes(data)
            print(f"{name}: run {runs:,} broke a promise; the input is {path}")
            raise
    print(f"{name}: {runs:,} runs, no finding")
    return 0


def guided(name: str, seconds: float, seed: int, found: Path) -> None:
    """Let Atheris choose the inputs; it ends the process."""
    import atheris

    print(
        f"{name}: Atheris, guided by the branches of hexary's Python code", flush=True
    )
    with atheris.instrument_imports(include=["hexary"]):
        importlib.import_module("hexary")
        test: Harness = importlib.import_module(name).test_one_input
    arguments = [f"-max_total_time={seconds:.0f}", f"-seed={seed}", "-timeout=20"]
    arguments += [f"-max_len={LONGEST}", f"-artifact_prefix={found}/"]
    folders = [str(found), str(CORPORA / name)]
    atheris.Setup([sys.argv[0], *arguments, *folders], test)
    atheris.Fuzz()


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path)
    parser.add_argument("--replay", type=Path, nargs="+")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if options.replay:
        test: Harness = importlib.import_module(options.harness).test_one_input
        for path in options.replay:
            test(path.read_bytes())
        print(f"{options.harness}: {len(options.replay)} inputs replayed")
        return 0
    found = options.found or HERE.parent.parent / "build/fuzz" / options.harness
    found.mkdir(parents=True, exist_ok=True)
    try:
        importlib.import_module("atheris")
    except ImportError:
        test = importlib.import_module(options.harness).test_one_input
        return without_guidance(
            options.harness, test, options.seconds, options.seed, found
        )
    guided(options.harness, options.seconds, options.seed, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
