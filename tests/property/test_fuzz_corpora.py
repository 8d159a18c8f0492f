"""What the harnesses in fuzz/python promise, on their corpora and a little beyond."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hexary.twin import pure_twins

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
HARNESSES = sorted(path.stem for path in (FUZZ / "python").glob("*.py"))
HARNESSES.remove("run")
FOR_TWINS = ("codec", "packed_root")


def load(name: str) -> ModuleType:
    """Import a file of fuzz/python, which is no package."""
    spec = importlib.util.spec_from_file_location(name, FUZZ / f"python/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_harness_has_a_corpus() -> None:
    in_c = {path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c")}
    corpora = {path.name for path in (FUZZ / "corpus").iterdir() if path.is_dir()}
    assert corpora == in_c | set(HARNESSES)
    assert all(len(list((FUZZ / "corpus" / name).iterdir())) >= 10 for name in corpora)


@pytest.mark.parametrize("name", HARNESSES)
def test_nothing_is_found(name: str) -> None:
    if name in FOR_TWINS and not pure_twins():
        pytest.skip("no accelerator in use: there are no twins to compare")
    run, harness = load("run"), load(name)
    seeds = run.seeds_of(name)
    for data in seeds:
        harness.test_one_input(data)
    source = random.Random(1)
    for _ in range(300):
        harness.test_one_input(run.changed(source, seeds))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("decode_node", b"\xc2\x20w"),
        ("verify_proof", b"\x80\x02do\x03dog\x04\x01\x02\x01\x00"),
        ("codec", b"\xff\xff\xc22076"),
    ],
)
def test_a_broken_promise_is_found(name, data, monkeypatch) -> None:
    """With the function that is tested replaced by one that is wrong."""
    harness = load(name)
    if name == "decode_node":
        right = harness.decode_node
        monkeypatch.setattr(harness, "decode_node", lambda _: right(b"\xc2\x20v"))
    elif name == "verify_proof":
        monkeypatch.setattr(harness, "verify_proof", lambda *_, **__: b"v")
    else:
        if not pure_twins():
            pytest.skip("no accelerator in use: there are no twins to compare")
        monkeypatch.setattr(
            harness, "_PURE", dict.fromkeys(harness._PURE, lambda *_, **__: b"v")
        )
    with pytest.raises(AssertionError):
        harness.test_one_input(data)


def test_a_run_without_guidance_says_so(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "atheris", None)
    monkeypatch.setattr(
        sys, "argv", ["run", "decode_node", "--seconds=0.1", f"--found={tmp_path}"]
    )
    assert load("run").main() == 0
    printed = capsys.readouterr().out
    assert "nothing guides them" in printed
    assert "no finding" in printed
