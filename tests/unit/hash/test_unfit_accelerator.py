"""An accelerator that loads and is not the right one: of other sources, or wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hexary
from hexary._backends import native

EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
ROOT = hexary.trie_root({b"do": b"verb", b"dog": b"puppy"}).hex()

REPORT = """
import json, hexary
root = hexary.trie_root({b"do": b"verb", b"dog": b"puppy"})
print(json.dumps([hexary.backend_info(), hexary.keccak256(b"").hex(), root.hex(),
    hexary.probe_backends()[0]._asdict()]))
"""

STAND_IN = """
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("hexary._native.accelerator", {file!r})
real = module_from_spec(spec_from_loader(loader.name, loader))
loader.exec_module(real)
for name, value in vars(real).items():
    if name not in ("__spec__", "__loader__", "__name__", "__package__", "__file__"):
        globals()[name] = value
"""
"""A module that does what the accelerator does, until more is said."""


@pytest.fixture
def accelerator(tmp_path) -> Path:
    """The accelerator's file in a copy of the package."""
    try:
        module = native.load().accelerator
    except (ImportError, ValueError) as error:
        pytest.skip(f"no accelerator: {error}")
    extension = Path(module.__file__)
    shutil.copytree(Path(hexary.__file__).parent, tmp_path / "hexary")
    return tmp_path / "hexary" / extension.relative_to(extension.parents[1])


@pytest.fixture
def changed(accelerator) -> object:
    """Put a stand-in with more code in the accelerator's place."""

    def change(code: str) -> Path:
        moved = accelerator.parents[2] / accelerator.name
        shutil.move(accelerator, moved)
        accelerator.with_name("accelerator.py").write_text(
            STAND_IN.format(file=str(moved)) + code, encoding="utf-8"
        )
        return accelerator

    return change


def run(environment, accelerator: Path, **variables: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", REPORT],
        env=environment | {"PYTHONPATH": str(accelerator.parents[2])} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def expect(environment, accelerator, reason, *, remedy, tested="not run", **variables):
    """Expect that it is passed over, and refused if forced, both with the reason."""
    code, out, err = run(environment, accelerator, **variables)
    assert code == 0, err
    info, empty, root, report = json.loads(out)
    assert (empty, root) == (EMPTY, ROOT)
    assert info["name"] != "native"
    assert reason in info["rejected"]["native"]
    assert (report["reason"], report["self_test"]) == (
        info["rejected"]["native"],
        tested,
    )
    assert remedy in report["remedy"]
    code, _, err = run(environment, accelerator, HEXARY_BACKEND="native", **variables)
    assert code != 0
    last = err.splitlines()[-1]
    assert "BackendUnavailableError: HEXARY_BACKEND=native is not usable: " in last
    assert reason in last
    assert f"to fix it, {remedy}" in last


def test_the_stand_in_itself_is_used(changed, clean_environment):
    code, out, err = run(clean_environment, changed(""))
    assert code == 0, err
    assert json.loads(out)[0]["name"] == "native"


BUILD_AGAIN = "build it again: HEXARY_BUILD=require pip install -e . in a source tree"


def test_one_of_another_version_is_passed_over(changed, clean_environment):
    expect(
        clean_environment,
        changed("__version__ = '0.0.9'"),
        f"the accelerator is of hexary 0.0.9, this is {hexary.__version__}",
        remedy=BUILD_AGAIN,
    )


def test_one_without_a_version_is_passed_over(changed, clean_environment):
    expect(
        clean_environment,
        changed("del __version__"),
        "the accelerator is of hexary unknown, this is",
        remedy=BUILD_AGAIN,
    )


@pytest.mark.parametrize("code", ["interface += 1", "interface = 0", "del interface"])
def test_one_with_another_interface_is_passed_over(changed, clean_environment, code):
    expect(
        clean_environment,
        changed(code),
        f"that of this code is {native.INTERFACE}",
        remedy=BUILD_AGAIN,
    )


@pytest.mark.parametrize(
    ("code", "name"),
    [("- {'raw'}", "raw"), ("- {'key_at'}", "key_at"), ("| {'newer'}", "newer")],
)
def test_one_that_takes_other_helpers_is_passed_over(
    changed, clean_environment, code, name
):
    expect(
        clean_environment,
        changed(f"def helper_names(): return set(real.helper_names()) {code}"),
        f"the accelerator is of other sources: they differ in {name}",
        remedy=BUILD_AGAIN,
    )


def test_all_helpers_are_known_on_both_sides():
    try:
        accelerator = native.load().accelerator
    except ImportError as error:
        pytest.skip(f"no accelerator: {error}")
    assert sorted(native.HELPERS) == sorted(accelerator.helper_names())
    assert accelerator.interface == native.INTERFACE


WRONG_HASH = """
def keccak256(data): return bytes(32)
def keccak256_many(items): return [bytes(32) for _ in items]
"""
WRONG_TWIN = """
def wrong(answer):
    return type(answer)(answer[:-1]) + type(answer)(answer[:1])
def twin_of(pure):
    twin = real.twin_of(pure)
    if pure.__qualname__ != {name!r}:
        return twin
    return lambda *arguments, **named: wrong(twin(*arguments, **named))
"""
WRONG_CORE = """
class Core:
    def __init__(self, *arguments):
        self.core = real.twin_of(self.pure)(*arguments)
    def __getattr__(self, name):
        method = getattr(self.core, name)
        if name != {name!r}:
            return method
        return lambda *given: method(*given)[:-1] + b"?"
def twin_of(pure):
    if pure.__qualname__ != "PureCore":
        return real.twin_of(pure)
    Core.pure = pure
    return Core
"""
WRONG_READER = """
def twin_of(pure):
    twin = real.twin_of(pure)
    if pure.__qualname__ != "decode":
        return twin
    def decode(data, **limits):
        return b"\\x7f" if data == b"\\x81\\x7f" else twin(data, **limits)
    return decode
"""


@pytest.mark.parametrize(
    ("code", "what"),
    [
        (WRONG_HASH, "keccak256"),
        (WRONG_TWIN.format(name="encode"), "rlp.encode"),
        (WRONG_TWIN.format(name="decode"), "rlp.decode"),
        (WRONG_READER, "what rlp.decode refuses"),
        (WRONG_TWIN.format(name="trie_root"), "trie_root"),
        (WRONG_TWIN.format(name="secure_trie_root"), "secure_trie_root"),
        (WRONG_CORE.format(name="get"), "the values of a trie"),
        (WRONG_CORE.format(name="root_hash"), "the root of a trie that changes"),
    ],
    ids=lambda value: value if len(value) < 40 else "",
)
def test_a_wrong_answer_is_passed_over(changed, clean_environment, code, what):
    expect(
        clean_environment,
        changed(code),
        f"wrong answer for {what}",
        remedy=BUILD_AGAIN,
        tested="failed",
    )


def test_a_twin_that_is_not_there_is_passed_over(changed, clean_environment):
    expect(
        clean_environment,
        changed("def twin_of(pure): return None"),
        "the accelerator has no twin of hexary.rlp.encoding.encode",
        remedy=BUILD_AGAIN,
        tested="failed",
    )


def test_a_kernel_that_this_processor_lacks_says_which_it_has(
    changed, clean_environment
):
    expect(
        clean_environment,
        changed(
            "def kernels(): return [('portable', '', True), ('avx512', '', False)]"
        ),
        "HEXARY_KECCAK=avx512 cannot run on this processor",
        remedy="set it to one of auto, portable, or unset it",
        HEXARY_KECCAK="avx512",
    )


@pytest.mark.parametrize(
    ("record", "reason", "remedy"),
    [
        ("", "has no native accelerator", "install hexary where there is a C compiler"),
        (
            "HEXARY_BUILD=skip was set when it was built\n",
            "no native accelerator: HEXARY_BUILD=skip was set when it was built",
            "install hexary without HEXARY_BUILD=skip",
        ),
        (
            "building it failed: command 'cc' failed: x.c:1: fatal error: Python.h\n",
            "no native accelerator: building it failed: command 'cc' failed: x.c:1: ",
            "install hexary where there is a C compiler (HEXARY_BUILD=require)",
        ),
    ],
)
def test_why_none_was_built_is_told(
    accelerator, clean_environment, record, reason, remedy
):
    accelerator.unlink()
    if record:
        accelerator.with_name("not_built.txt").write_text(record, encoding="utf-8")
    expect(clean_environment, accelerator, reason, remedy=remedy)
