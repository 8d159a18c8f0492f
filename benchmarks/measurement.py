"""
Timing several ways to do one thing in alternation.

A machine that slows down or speeds up half-way then does so for all of them.  A round
times each contestant once, for as many calls as take about a fiftieth of a second, and
the next round begins with the next contestant.  The garbage collector stays on, as it
is for users.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

__all__ = ["AbsentError", "Measured", "Row", "Timings", "measure"]

SHORTEST = 0.02
"""Seconds that one timing takes at least."""


class Row(NamedTuple):
    """
    One operation and those who can do it.

    Attributes:
        operation: what is done.
        contestants: name → a function that does it once; hexary's is the first.
        goal: the time in seconds, or the ratio to *goal_peer*, that hexary should
            reach; ``None`` if there is none.
        goal_peer: whose time a ratio refers to, ``""`` for a goal in seconds.
        rounds: how often each contestant is timed.
    """

    operation: str
    contestants: dict[str, Callable[[], object]]
    goal: float | None = None
    goal_peer: str = ""
    rounds: int = 9


class AbsentError(Exception):
    """A contestant that cannot take part here raises it when called; it says why."""


class Timings(NamedTuple):
    """Seconds per call of one contestant, one for each round."""

    seconds: list[float]

    @property
    def best(self) -> float:
        """The least disturbed round."""
        return min(self.seconds)

    @property
    def mean(self) -> float:
        """The mean over the rounds."""
        return statistics.fmean(self.seconds)

    @property
    def deviation(self) -> float:
        """The standard deviation over the rounds."""
        return statistics.stdev(self.seconds)


class Measured(NamedTuple):
    """
    What came out for a row.

    Attributes:
        timings: name → timings, of the contestants that took part.
        absent: name → why the contestant did not.
    """

    timings: dict[str, Timings]
    absent: dict[str, str]


def _time(function: Callable[[], object], calls: int) -> float:
    gc.collect()
    repeat = range(calls)
    start = perf_counter()
    for _ in repeat:
        function()
    return (perf_counter() - start) / calls


def _calls(function: Callable[[], object]) -> int:
    calls = 1
    while (taken := _time(function, calls) * calls) < SHORTEST:
        calls = max(calls * 2, int(calls * SHORTEST / max(taken, 1e-7)))
    return calls


def measure(row: Row) -> Measured:
    """Time the contestants of *row* in alternation."""
    calls: dict[str, int] = {}
    absent: dict[str, str] = {}
    for name, function in row.contestants.items():
        try:
            calls[name] = _calls(function)
        except AbsentError as error:
            absent[name] = str(error)
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(row.rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            seconds[name].append(_time(row.contestants[name], calls[name]))
    return Measured({name: Timings(seconds[name]) for name in names}, absent)
