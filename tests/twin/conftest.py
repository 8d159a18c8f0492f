"""The accelerator, for tests that compare it with the pure code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from hexary._backends import native


@pytest.fixture(scope="session")
def accelerator() -> ModuleType:
    """The accelerator's module; the test is skipped, with the reason, without it."""
    try:
        module = native.load().accelerator
    except (ImportError, ValueError) as error:
        pytest.skip(f"no accelerator: {error}")
    assert module is not None
    return module


@pytest.fixture(params=["portable", "bmi2", "avx2", "avx512vl", "avx512"])
def kernel(request: pytest.FixtureRequest, accelerator: ModuleType) -> Iterator[str]:
    """Each kernel in turn, in use while the test runs."""
    runs = {name: runs for name, _, runs in accelerator.kernels()}
    if not runs.get(request.param):
        pytest.skip(f"this processor cannot run the kernel {request.param}")
    before, _ = accelerator.kernel_in_use()
    accelerator.use_kernel(request.param)
    yield request.param
    accelerator.use_kernel(before)


@pytest.fixture
def usual_stack() -> Iterator[None]:
    """A thousand frames, as Python has by default, whatever was set before."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)
