"""A place for a store of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stores import KINDS, StoreHome


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHome]:
    """A place where a store of each kind can be opened and opened again."""
    place = StoreHome(request.param, tmp_path)
    yield place
    place.remove()
