"""How the native accelerator is chosen, forced, and passed over where it is broken."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hexary
from hexary._backends import native

REPORT = (
    "import json, hexary; print(json.dumps("
    "{**hexary.backend_info(), 'empty': hexary.keccak256(b'').hex()}))"
)
EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


@pytest.fixture(scope="module")
def extension() -> Path:
    """The file of the accelerator."""
    try:
        module = native.load().accelerator
    except (ImportError, ValueError) as error:
        pytest.skip(f"no accelerator: {error}")
    return Path(module.__file__)


@pytest.fixture
def python(clean_environment):
    """Run code in a fresh interpreter: exit code, standard output, standard error."""

    def run(code: str, **variables: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=clean_environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_auto_takes_it_first(extension, python):
    code, out, err = python(REPORT)
    assert code == 0, err
    report = json.loads(out)
    assert (report["name"], report["rejected"]) == ("native", {})
    assert report["version"] == hexary.__version__
    assert report["empty"] == EMPTY


def test_forced_it_is_used(extension, python):
    code, out, err = python(REPORT, HEXARY_BACKEND="native")
    assert code == 0, err
    assert json.loads(out)["name"] == "native"


@pytest.mark.parametrize(
    ("kernel", "detail"),
    [
        ("portable", "portable C"),
        ("bmi2", "BMI2"),
        ("avx2", "AVX2 x4"),
        ("avx512vl", "AVX-512VL x4"),
        ("avx512", "AVX-512 x8"),
    ],
)
def test_a_kernel_can_be_forced(extension, python, kernel, detail):
    runs = {name: runs for name, _, runs in native.load().accelerator.kernels()}
    if not runs.get(kernel):
        pytest.skip(f"this processor cannot run the kernel {kernel}")
    code, out, err = python(REPORT, HEXARY_KECCAK=kernel)
    assert code == 0, err
    report = json.loads(out)
    assert (report["name"], report["detail"]) == ("native", detail)
    assert report["empty"] == EMPTY


def test_an_unknown_kernel_is_a_reason_to_fall_back(extension, python):
    code, out, err = python(REPORT, HEXARY_KECCAK="fast")
    assert code == 0, err
    report = json.loads(out)
    assert report["name"] != "native"
    assert "HEXARY_KECCAK='fast' is not a kernel" in report["rejected"]["native"]
    code, _, err = python(REPORT, HEXARY_KECCAK="fast", HEXARY_BACKEND="native")
    assert code != 0
    assert "HEXARY_KECCAK='fast' is not a kernel; set it to one of portable" in err


def test_another_backend_runs_nothing_native(extension, python):
    code, out, err = python(
        "import sys, hexary; print(hexary.BACKEND.accelerator, "
        "'hexary._native.accelerator' in sys.modules)",
        HEXARY_BACKEND="pycryptodome",
    )
    assert (code, out.split()) == (0, ["None", "False"]), err


@pytest.fixture
def broken(extension, tmp_path):
    """A copy of the package, and the file of its accelerator, to be broken."""
    package = Path(hexary.__file__).parent
    shutil.copytree(package, tmp_path / "hexary")
    return tmp_path / "hexary" / extension.relative_to(extension.parents[1])


@pytest.mark.parametrize("left", [0, 20, 5_000, -1])
def test_a_truncated_file_is_passed_over_with_the_reason(broken, python, left):
    whole = broken.read_bytes()
    broken.unlink()  # writing in place would reach processes that have it mapped
    broken.write_bytes(whole[:left])
    code, out, err = python(REPORT, PYTHONPATH=str(broken.parents[2]))
    assert code == 0, err
    report = json.loads(out)
    assert report["name"] != "native"
    assert broken.name in report["rejected"]["native"]
    code, _, err = python(
        REPORT, PYTHONPATH=str(broken.parents[2]), HEXARY_BACKEND="native"
    )
    assert code != 0
    assert "HEXARY_BACKEND=native is not usable" in err


def test_a_wrong_answer_is_passed_over_with_the_reason(broken, python):
    broken.unlink()
    broken.with_name("accelerator.py").write_text(
        "__version__ = '0'\n"
        "def adopt(**helpers): pass\n"
        "def keccak256(data): return bytes(32)\n"
        "def keccak512(data): return bytes(64)\n"
        "def keccak256_many(items): return [bytes(32) for _ in items]\n"
        "class start256:\n"
        "    def update(self, data): pass\n"
        "    def copy(self): return self\n"
        "    def digest(self): return bytes(32)\n"
        "start512 = start256\n",
        encoding="utf-8",
    )
    code, out, err = python(REPORT, PYTHONPATH=str(broken.parents[2]))
    assert code == 0, err
    assert "wrong answer for keccak256" in json.loads(out)["rejected"]["native"]
