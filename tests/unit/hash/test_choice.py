"""
Which backend is chosen, and how a bad one is passed over.

Each case is a fresh interpreter: the choice is made once, at import.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
SHA3_EMPTY = "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"

REPORT = """
import json
print(json.dumps({**hexary.backend_info(), "empty": hexary.keccak256(b"").hex()}))
"""

# A hashlib that knows keccak, whatever this interpreter's OpenSSL: pycryptodome inside.
WORKING_HASHLIB = """
import hashlib
from Crypto.Hash import keccak
real = hashlib.new
class Fake:
    def __init__(self, bits, data=b""):
        self.bits, self.data = bits, data
    def update(self, data):
        self.data += bytes(data)
    def copy(self):
        return Fake(self.bits, self.data)
    def digest(self):
        return keccak.new(digest_bits=self.bits, data=self.data).digest()
def new(name, data=b"", **options):
    if name.startswith("keccak-"):
        return Fake(int(name[7:]), data)
    return real(name, data, **options)
hashlib.new = new
hashlib.algorithms_available = {"md5", "sha1"}
"""

RAISING_HASHLIB = """
import hashlib
def new(name, data=b"", **options):
    raise ValueError("unsupported hash type " + name)
hashlib.new = new
"""

SHA3_HASHLIB = """
import hashlib
def new(name, data=b"", **options):
    return {"keccak-256": hashlib.sha3_256, "keccak-512": hashlib.sha3_512}[name](data)
hashlib.new = new
"""

# As where the accelerator was not built.
NO_NATIVE = """
import sys
sys.modules["hexary._native"] = None
"""

NO_PYCRYPTODOME = """
import sys
sys.modules["Crypto"] = None
"""


@pytest.fixture
def python(clean_environment):
    """
    Run code in a fresh interpreter: exit code, standard output, standard error.

    It has no accelerator; `test_native.py` is about those that have.
    """

    def run(code: str, backend: str | None = None) -> tuple[int, str, str]:
        environment = dict(clean_environment)
        if backend is not None:
            environment["HEXARY_BACKEND"] = backend
        done = subprocess.run(
            [sys.executable, "-c", NO_NATIVE + code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def _report(python, prelude: str, backend: str | None = None) -> dict[str, object]:
    code, out, err = python(prelude + "import hexary\n" + REPORT, backend)
    assert code == 0, err
    report: dict[str, object] = json.loads(out)
    assert report["empty"] == EMPTY
    return report


def test_u133_falls_back_when_hashlib_does_not_know_keccak(python):
    report = _report(python, RAISING_HASHLIB)
    assert report["name"] == "pycryptodome"
    assert report["rejected"]["hashlib"] == "unsupported hash type keccak-256"


def test_falls_back_when_hashlib_answers_with_sha3_padding(python):
    report = _report(python, SHA3_HASHLIB)
    assert report["name"] == "pycryptodome"
    assert "wrong answer" in report["rejected"]["hashlib"]
    assert SHA3_EMPTY in report["rejected"]["hashlib"]


def test_takes_hashlib_where_it_works_though_the_list_of_algorithms_omits_it(python):
    report = _report(python, WORKING_HASHLIB)
    assert report["name"] == "hashlib"
    assert list(report["rejected"]) == ["native"]


def test_hashlib_needs_no_pycryptodome(python):
    prelude = WORKING_HASHLIB + NO_PYCRYPTODOME
    # The stand-in itself still holds the function it imported before.
    assert _report(python, prelude)["name"] == "hashlib"


@pytest.mark.parametrize("value", [None, "", "auto"])
def test_auto_is_the_default(python, value):
    report = _report(python, "", value)
    assert report["name"] in ("hashlib", "pycryptodome")
    reason = report["rejected"]["native"]
    assert reason.startswith("this installation has no native accelerator")


def test_forced_pycryptodome_is_used_and_nothing_else_is_tried(python):
    report = _report(python, WORKING_HASHLIB, "pycryptodome")
    assert report["name"] == "pycryptodome"
    assert report["rejected"] == {}
    assert report["version"]


@pytest.mark.parametrize(
    ("forced", "prelude", "words"),
    [
        (
            "native",
            "",
            ["native is not usable", "no native accelerator", "install hexary"],
        ),
        (
            "hashlib",
            RAISING_HASHLIB,
            ["hashlib is not usable", "keccak-256", "OpenSSL 3.2"],
        ),
        (
            "hashlib",
            SHA3_HASHLIB,
            ["hashlib is not usable", "wrong answer", SHA3_EMPTY],
        ),
        (
            "pycryptodome",
            NO_PYCRYPTODOME,
            ["pycryptodome is not usable", "pip install"],
        ),
        (
            "openssl",
            "",
            ["'openssl' is not a backend", "auto, native, hashlib, pycryptodome"],
        ),
        ("Hashlib", "", ["'Hashlib' is not a backend"]),
    ],
    ids=[
        "native",
        "hashlib raises",
        "hashlib wrong",
        "pycryptodome",
        "unknown",
        "upper case",
    ],
)
def test_forced_means_forced(python, forced, prelude, words):
    code, out, err = python(
        prelude
        + "try:\n    import hexary\n"
        + "except ImportError as error:\n"
        + "    print(type(error).__name__, error.backend, error)\n"
        + "    raise SystemExit(3)\n",
        forced,
    )
    assert code == 3, err
    assert out.startswith(f"BackendUnavailableError {forced} HEXARY_BACKEND=")
    for word in words:
        assert word in out


def test_no_backend_at_all_names_every_reason(python):
    code, out, _ = python(
        RAISING_HASHLIB
        + NO_PYCRYPTODOME
        + "try:\n    import hexary\n"
        + "except ImportError as error:\n    print(sorted(error.rejected), error)\n"
    )
    assert code == 0
    assert out.startswith(
        "['hashlib', 'native', 'pycryptodome'] no keccak backend works"
    )
    assert "pip install --upgrade pycryptodome" in out


def test_importing_again_leaves_no_stale_state(python):
    code, out, err = python(
        WORKING_HASHLIB
        + """
import os, sys
import hexary
first = hexary.BACKEND.name
for name in [name for name in sys.modules if name.partition(".")[0] == "hexary"]:
    if name != "hexary._native":
        del sys.modules[name]
os.environ["HEXARY_BACKEND"] = "pycryptodome"
import hexary as again
from hexary import hash as hashing
with again.recording() as seen:
    again.Bytes(b"").keccak256()
    hexary.keccak256(b"")
print(first, again.BACKEND.name, hashing.keccak256 is again.keccak256, again is hexary)
print(seen.calls, again.keccak256(b"").hex())
"""
    )
    assert code == 0, err
    assert out.split() == ["hashlib", "pycryptodome", "True", "False", "1", EMPTY]


def test_both_backends_give_the_same_bytes(python):
    code, out, err = python(
        WORKING_HASHLIB
        + """
from hexary._backends import openssl, pycryptodome
one, two = openssl.load(), pycryptodome.load()
messages = [bytes([n % 256]) * n for n in range(600)]
assert one.keccak256_many(messages) == two.keccak256_many(messages)
assert [one.keccak512(m) for m in messages] == [two.keccak512(m) for m in messages]
print("same")
"""
    )
    assert (code, out.strip()) == (0, "same"), err


def test_probe_backends_reports_all_and_changes_nothing():
    from hexary import hash as hashing

    chosen = hashing.BACKEND
    reports = {report.name: report for report in hashing.probe_backends()}
    assert list(reports) == ["native", "hashlib", "pycryptodome"]
    assert [name for name, report in reports.items() if report.in_use] == [chosen.name]
    for report in reports.values():
        if report.usable:
            assert (report.reason, report.remedy) == ("", "")
            assert report.self_test == "passed"
            assert report.version
            assert report.detail
        else:
            assert report.reason
            assert report.remedy
            assert report.self_test == "not run"
            assert not report.in_use
    assert hashing.BACKEND is chosen


def test_probe_backends_tells_a_failed_self_test_from_one_that_was_not_run(python):
    code, out, err = python(
        SHA3_HASHLIB
        + """
import hexary
print([report.self_test for report in hexary.probe_backends()])
"""
    )
    assert (code, out.strip()) == (0, "['not run', 'failed', 'passed']"), err


def test_a_pycryptodome_whose_states_cannot_be_copied_is_refused_with_the_reason(
    python,
):
    code, out, err = python(
        """
import Crypto.Hash.keccak as library
class Broken:
    def __getattr__(self, name):
        if name == "keccak_copy":
            raise AttributeError("keccak_copy is gone")
        return getattr(real, name)
real = library._raw_keccak_lib
library._raw_keccak_lib = Broken()
try:
    import hexary
except ImportError as error:
    print(error.rejected["pycryptodome"])
""",
        "pycryptodome",
    )
    assert (code, out.strip()) == (0, "keccak_copy is gone"), err
