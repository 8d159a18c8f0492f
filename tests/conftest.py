"""Options and fixtures that every test may use; see ``tests/README.md``."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from conformance.vector_files import VECTORS, evenly_spaced, missing_vectors

if TYPE_CHECKING:
    from hexary import Backend

BACKEND_MODULES = {
    "native": "native",
    "hashlib": "openssl",
    "pycryptodome": "pycryptodome",
}
"""Backend name → its module in ``hexary._backends``, in the order of the dispatch."""

CHECKOUT = Path(__file__).resolve().parent.parent

EMPTY_KECCAK256 = bytes.fromhex(
    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
)

# Time limits per example say more about the machine's other work than about the code.
hypothesis.settings.register_profile("default", deadline=None, print_blob=True)
hypothesis.settings.register_profile(
    "ci", deadline=None, print_blob=True, derandomize=True, database=None
)
hypothesis.settings.register_profile(
    "thorough", deadline=None, print_blob=True, max_examples=2_000
)


def _load(name: str) -> tuple[Backend | None, str]:
    """Return the backend called *name*, or ``None`` and why it is not usable."""
    try:
        backend = import_module(f"hexary._backends.{BACKEND_MODULES[name]}").load()
        answer = backend.keccak256(b"")
    except (ImportError, ValueError, OSError) as error:
        return None, f"{type(error).__name__}: {error}"
    if answer != EMPTY_KECCAK256:
        return None, f"wrong answer for the empty message: {answer.hex()}"
    return backend, ""


_PROBED = {name: _load(name) for name in BACKEND_MODULES}
USABLE = {name: backend for name, (backend, _) in _PROBED.items() if backend}


def not_installed() -> str:
    """Say why hexary is no package installed outside this checkout; else nothing."""
    import hexary

    place = Path(hexary.__file__).resolve()
    if place.is_relative_to(CHECKOUT / "src"):
        return f"hexary is imported from the source tree, {place.parent}"
    if "site-packages" not in place.parts:
        return f"hexary is imported from {place.parent}, which is no site-packages"
    accelerator = hexary.BACKEND.accelerator
    if accelerator is None:
        return f"the backend is {hexary.BACKEND.name}, not native"
    library = Path(str(accelerator.__file__)).resolve()
    if not library.is_relative_to(place.parent):
        return f"the accelerator is not in the package but {library}"
    return ""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--conformance",
        choices=("full", "sample"),
        default="full",
        help="published vectors: all cases, or an evenly spaced sample of each suite",
    )

    parser.addoption(
        "--kills",
        type=int,
        default=12,
        help="how often a process that commits to a store is killed, for each kind",
    )


def _take_interrupts() -> None:
    """
    Undo that Ctrl-C is ignored, as it is in what a shell starts in the background.

    Programs that tests start and interrupt would inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    _take_interrupts()
    profile = os.environ.get("HYPOTHESIS_PROFILE")
    hypothesis.settings.load_profile(
        profile or ("ci" if os.environ.get("CI") else "default")
    )
    try:
        import_module("hexary")
    except ImportError as error:
        raise pytest.UsageError(str(error)) from error
    required = os.environ.get("HEXARY_REQUIRE_BACKENDS", "").replace(",", " ").split()
    for name in required:
        if name not in USABLE:
            reason = _PROBED[name][1] if name in _PROBED else "there is no such backend"
            raise pytest.UsageError(
                f"HEXARY_REQUIRE_BACKENDS: {name} is not usable: {reason}"
            )
    if os.environ.get("HEXARY_REQUIRE_INSTALLED") == "1" and (why := not_installed()):
        raise pytest.UsageError(f"HEXARY_REQUIRE_INSTALLED=1, but {why}")
    if os.environ.get("HEXARY_REQUIRE_VECTORS") == "1" and (why := missing_vectors()):
        raise pytest.UsageError(f"HEXARY_REQUIRE_VECTORS=1, but {why}")


def pytest_report_header(config: pytest.Config) -> list[str]:
    import hexary

    lines = [f"hexary: {hexary.__version__} hashing with {hexary.BACKEND!r}"]
    if os.environ.get("HEXARY_REQUIRE_INSTALLED") == "1":
        lines.append(f"hexary: installed in {Path(hexary.__file__).parent}")
    for name, (backend, reason) in _PROBED.items():
        if backend is None:
            lines.append(f"hexary: no tests of the {name} backend ({reason})")
    lines.append(f"vectors: {missing_vectors() or VECTORS}")
    return lines


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``backend`` once per usable backend."""
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", USABLE.values(), ids=USABLE.keys())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the published vectors' tests alone where there are no vectors."""
    if (
        collection_path.parent.name == "conformance"
        and collection_path.name != "test_vector_files.py"
        and missing_vectors()
    ):
        return True
    return None


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """
    Under ``--conformance=sample`` keep a fixed sample of each suite's cases.

    No case is named by where a value is in memory: processes that share out the tests
    (``-n``) have to find the same ones.
    """
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"the name of a case changes: {item.nodeid}")
    if config.getoption("--conformance") != "sample":
        return
    suites: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("vectors"):
            suites.setdefault(item.nodeid.partition("[")[0], []).append(item)
    dropped = {
        item.nodeid
        for cases in suites.values()
        for item in set(cases) - set(evenly_spaced(cases))
    }
    config.hook.pytest_deselected(
        items=[item for item in items if item.nodeid in dropped]
    )
    items[:] = [item for item in items if item.nodeid not in dropped]


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of published vectors; the test is skipped where there is none."""
    if why := missing_vectors():
        pytest.skip(why)
    return VECTORS


@pytest.fixture(scope="session")
def kills(request: pytest.FixtureRequest) -> int:
    """How often to kill a process that commits to a store."""
    return int(request.config.getoption("--kills"))


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The top folder of the working tree that the tests stand in."""
    return CHECKOUT


@pytest.fixture
def clean_environment() -> dict[str, str]:
    """
    This process's environment without what steers hexary, Python or pytest.

    Coverage goes on in a process that is started with it.
    """
    steering = ("HEXARY_", "PYTHON", "PYTEST_")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(steering)
    }
