"""
Timing several ways to do one thing in alternation.

``HEXARY_BENCH_CLOCK=cpu`` measures processor time, for a machine that others use: what
is left of their work is that it takes from caches and clock rates.

A machine that slows down or speeds up half-way then does so for all of them.  A round
times each contestant once, for as many calls as take about a fiftieth of a second, and
the next round begins with the next contestant.  The garbage collector stays on, as it
is for users.
"""

from __future__ import annotations

import gc
import os
import statistics
from collections.abc import Callable, Mapping
from itertools import repeat
from time import perf_counter, thread_time
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["AbsentError", "Measured", "Row", "Timings", "measure"]

CLOCK = thread_time if os.environ.get("HEXARY_BENCH_CLOCK") == "cpu" else perf_counter
"""Tells seconds, of this thread's work or of everyone's."""

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
        more_goals: further pairs of goal and whose time it refers to.
        arguments: what all contestants are called with, none or one: a call with an
            argument costs less than that of a function which holds the argument.
        reference: what contestants take on the machine that goals in seconds are of.
        uses_threads: whether a contestant works in several threads.
    """

    operation: str
    contestants: dict[str, Callable[..., object]]
    goal: float | None = None
    goal_peer: str = ""
    rounds: int = 9
    more_goals: tuple[tuple[float, str], ...] = ()
    arguments: tuple[object, ...] = ()
    reference: Mapping[str, float] = MappingProxyType({})
    uses_threads: bool = False


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


def _time(
    function: Callable[..., object],
    calls: int,
    arguments: tuple[object, ...],
    clock: Callable[[], float],
) -> float:
    gc.collect()
    turns = repeat(None, calls)
    if arguments:
        (argument,) = arguments
        start = clock()
        for _ in turns:
            function(argument)
    else:
        start = clock()
        for _ in turns:
            function()
    return (clock() - start) / calls


def _calls(function: Callable[..., object], arguments: tuple[object, ...]) -> int:
    calls = 1
    while (taken := _time(function, calls, arguments, CLOCK) * calls) < SHORTEST:
        calls = max(calls * 2, int(calls * SHORTEST / max(taken, 1e-7)))
    return calls


def measure(row: Row) -> Measured:
    """Time the contestants of *row* in alternation."""
    calls: dict[str, int] = {}
    absent: dict[str, str] = {}
    given = row.arguments
    clock = perf_counter if row.uses_threads else CLOCK
    for name, function in row.contestants.items():
        try:
            calls[name] = _calls(function, given)
        except AbsentError as error:
            absent[name] = str(error)
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(row.rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            seconds[name].append(
                _time(row.contestants[name], calls[name], given, clock)
            )
    return Measured({name: Timings(seconds[name]) for name in names}, absent)
