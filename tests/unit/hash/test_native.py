"""How the native accelerator is chosen, forced, and passed over where it is broken."""

from __future__ import annotations

import json
import re
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
ANSWERS = """
import hexary
from hexary._backends import native, pycryptodome

mine, theirs = native.load(), pycryptodome.load()
items = 13 * [bytes(size) for size in (0, 5, 140, 300)]
print(
    hexary.BACKEND.name,
    mine.keccak256_many(items) == theirs.keccak256_many(items)
    and [*map(mine.keccak256, items)] == [*map(theirs.keccak256, items)],
)
"""
"""Which backend was chosen, and whether the accelerator is right."""

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


@pytest.mark.parametrize("forced", ["", "auto", "native"])
@pytest.mark.parametrize(
    "prelude", ["", "import sys\nsys.modules['hexary._native'] = None\n"]
)
def test_an_unknown_kernel_is_the_users_error(python, forced, prelude):
    """Also where there is no accelerator: nothing is 15 times as slow in silence."""
    code, _, err = python(
        prelude + REPORT, HEXARY_KECCAK="avx215", HEXARY_BACKEND=forced
    )
    assert code != 0
    assert err.splitlines()[-1].removeprefix("hexary.errors.") == (
        "BackendUnavailableError: HEXARY_KECCAK='avx215' is not a kernel; "
        f"to fix it, set it to one of auto, {', '.join(native.KERNELS)}, or unset it"
    )


@pytest.mark.parametrize("forced", ["", "auto", "native"])
def test_auto_is_any_kernel(extension, python, forced):
    code, out, err = python(REPORT, HEXARY_KECCAK="auto", HEXARY_BACKEND=forced)
    assert code == 0, err
    unset = python(REPORT, HEXARY_KECCAK="", HEXARY_BACKEND=forced)
    assert json.loads(out) == json.loads(unset[1])
    assert json.loads(out)["name"] == "native"


def test_where_nothing_native_is_tried_the_kernel_does_not_matter(python):
    code, out, err = python(
        "import hexary\nprint(hexary.probe_backends()[0])",
        HEXARY_KECCAK="fast",
        HEXARY_BACKEND="pycryptodome",
    )
    assert code == 0, err
    assert "HEXARY_KECCAK='fast' is not a kernel" in out
    assert "remedy='set it to one of auto, portable" in out


def test_the_names_of_kernels_are_those_that_there_are(extension):
    names = {name for name, _, _ in native.load().accelerator.kernels()}
    assert names <= set(native.KERNELS)
    assert "portable" in names


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


changes_the_file = pytest.mark.skipif(
    sys.platform != "linux",
    reason="elsewhere files are of another format, and some are signed",
)


def expect_reason(broken, python, reason):
    """Expect that the accelerator is passed over, and refused if forced."""
    place = str(broken.parents[2])
    code, out, err = python(REPORT, PYTHONPATH=place)
    assert code == 0, err
    report = json.loads(out)
    assert report["name"] != "native"
    assert report["empty"] == EMPTY
    assert reason in report["rejected"]["native"]
    code, _, err = python(REPORT, PYTHONPATH=place, HEXARY_BACKEND="native")
    assert code != 0
    assert "BackendUnavailableError" in err
    assert reason in err


def rewrite(broken, data):
    """Put *data* in place of the accelerator's file, which processes have mapped."""
    broken.unlink()
    broken.write_bytes(data)


def round_constants(data):
    """Return where the round constants of each kernel begin in the file."""
    table = b"".join(
        number.to_bytes(8, "little")
        for number in (0x1, 0x8082, 0x800000000000808A, 0x8000000080008000, 0x808B)
    )
    places = [match.start() for match in re.finditer(re.escape(table), data)]
    if not places:
        pytest.skip("this compiler keeps the round constants elsewhere")
    return places


@changes_the_file
def test_a_build_with_one_wrong_constant_is_passed_over_with_the_reason(broken, python):
    data = bytearray(broken.read_bytes())
    for place in round_constants(bytes(data)):
        data[place + 16] ^= 1
    rewrite(broken, data)
    expect_reason(broken, python, "wrong answer for keccak256")


@changes_the_file
@pytest.mark.parametrize("kernel", ["portable", "bmi2", "avx2", "avx512vl", "avx512"])
def test_whichever_kernel_is_wrong_is_found_out(broken, python, kernel):
    """Each file of kernels has its own constants, and some kernels are from several."""
    runs = {name: runs for name, _, runs in native.load().accelerator.kernels()}
    if not runs.get(kernel):
        pytest.skip(f"this processor cannot run the kernel {kernel}")
    whole = broken.read_bytes()
    used = 0
    for place in round_constants(whole):
        data = bytearray(whole)
        data[place + 16] ^= 1
        rewrite(broken, data)
        code, out, err = python(
            ANSWERS, PYTHONPATH=str(broken.parents[2]), HEXARY_KECCAK=kernel
        )
        assert code == 0, err
        name, is_right = out.split()
        assert (name == "native") == (is_right == "True")
        used += name != "native"
    assert used > 0


@changes_the_file
@pytest.mark.parametrize(
    ("place", "value"), [(4, b"\x01"), (5, b"\x02"), (18, b"\xff\xfe")]
)
def test_a_build_for_another_machine_is_passed_over_with_the_reason(
    broken, python, place, value
):
    """32 bits instead of 64, big-endian, or a processor that is not this one."""
    data = bytearray(broken.read_bytes())
    data[place : place + len(value)] = value
    rewrite(broken, data)
    expect_reason(broken, python, broken.name)


@changes_the_file
def test_a_build_for_an_interface_that_is_not_here_is_passed_over(broken, python):
    """A later Python may have functions that this one has not."""
    data = broken.read_bytes()
    assert b"PyModuleDef_Init\0" in data
    rewrite(broken, data.replace(b"PyModuleDef_Init\0", b"PyModuleDef_Next\0"))
    expect_reason(broken, python, "PyModuleDef_Next")


@changes_the_file
def test_a_library_that_is_no_extension_is_passed_over_with_the_reason(broken, python):
    data = broken.read_bytes()
    assert b"PyInit_accelerator\0" in data
    rewrite(broken, data.replace(b"PyInit_accelerator\0", b"PyInit_acceleratxr\0"))
    expect_reason(broken, python, "PyInit_accelerator")


def test_a_build_for_another_version_alone_is_as_good_as_none(broken, python):
    """Its name has the version that it is for, and no other finds it."""
    broken.rename(broken.with_name("accelerator.cpython-399-other.so"))
    expect_reason(broken, python, "no native accelerator")


def test_what_its_initialisation_raises_is_the_reason(broken, python):
    broken.unlink()
    broken.with_name("accelerator.py").write_text(
        "raise ImportError('this build is for Python 3.99 and later')\n",
        encoding="utf-8",
    )
    expect_reason(broken, python, "for Python 3.99 and later")
