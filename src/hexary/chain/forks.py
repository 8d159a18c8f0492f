"""
The forks of Ethereum: what switches each of them on, and what it adds.

`FORKS` is the only table of them: the fields that a fork appends to the header, the
types of transactions that it brings, how many blobs it allows, and the proposals (EIPs)
that change what is valid.  Which rules hold at a fork, its ``active`` proposals tell.

A fork is scheduled by a block number up to Gray Glacier and by a timestamp since
Shanghai; in between, Paris came with a total difficulty.
Clients write the schedule in three ways, all read here:

- geth, besu, EELS: by fork, ``londonBlock`` and ``shanghaiTime``,
- chainspecs (parity, openethereum, nethermind): by proposal, ``eip1559Transition``
  (a block) and ``eip4895TransitionTimestamp``,
- core-geth: by proposal, ``eip1559FBlock`` and ``eip4895FTime``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hexary.chain.blob_gas import BlobSchedule
from hexary.errors import ForkError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.state.json_object import JsonObject

__all__ = [
    "BLOB_SCHEDULES",
    "FORKS",
    "Fork",
    "HeaderField",
    "fork_named",
    "genesis_header_fields",
]


@dataclass(frozen=True, slots=True)
class HeaderField:
    """
    A field that a fork appends to the header.

    Attributes:
        name: its name in `Header`.
        proposals: numbers of the EIPs any of which brings it.
    """

    name: str
    proposals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """
    A fork, what it adds, and what has been added by then.

    Attributes:
        name: its name.
        key: name of its block or time in geth's and besu's ``config``; ``""`` if it
            has none.
        header_fields: what it appends to the header, in order.
        proposals: numbers of the EIPs it brings that concern what a block, a header, a
            transaction or a signature may be.
        transaction_type: the type of transactions that it brings (EIP-2718).
        other_names: what fixtures call it besides.
        most_blobs: how many blobs a transaction may have; 0 before Cancun.
        blob_schedule: how many blobs a block of mainnet may have, and what they cost;
            ``None`` before Cancun, and where that is not settled.
        gas_settled: whether its gas costs are final.
        active: the proposals of this and all earlier forks.
        transaction_types: the types of transactions that there are.
        appended: names of all fields of the header beyond the first fifteen.
    """

    name: str
    key: str = ""
    header_fields: tuple[HeaderField, ...] = ()
    proposals: tuple[int, ...] = ()
    transaction_type: int | None = None
    other_names: tuple[str, ...] = ()
    most_blobs: int = 0
    blob_schedule: BlobSchedule | None = None
    gas_settled: bool = True
    active: frozenset[int] = frozenset()
    transaction_types: frozenset[int] = frozenset({0})
    appended: tuple[str, ...] = ()

    @property
    def by_time(self) -> bool:
        """Whether a timestamp switches the fork on, rather than a block number."""
        return self.key.endswith("Time")


def _accumulated(forks: Iterable[Fork]) -> tuple[Fork, ...]:
    """Return *forks*, each with all that the earlier ones brought."""
    active: frozenset[int] = frozenset()
    types: frozenset[int] = frozenset({0})
    appended: tuple[str, ...] = ()
    found = []
    for fork in forks:
        active |= set(fork.proposals)
        if fork.transaction_type is not None:
            types |= {fork.transaction_type}
        appended += tuple(field.name for field in fork.header_fields)
        found.append(
            replace(fork, active=active, transaction_types=types, appended=appended)
        )
    return tuple(found)


FORKS = _accumulated(
    (
        Fork("Frontier"),
        Fork("Homestead", "homesteadBlock", proposals=(2,)),
        Fork("DAO Fork", "daoForkBlock", other_names=("DAO",)),
        Fork("Tangerine Whistle", "eip150Block", other_names=("EIP150",)),
        Fork(
            "Spurious Dragon", "eip158Block", proposals=(155,), other_names=("EIP158",)
        ),
        # EIP-658: receipts have a status instead of the state's root.
        Fork("Byzantium", "byzantiumBlock", proposals=(658,)),
        Fork("Constantinople", "constantinopleBlock"),
        Fork("Petersburg", "petersburgBlock", other_names=("ConstantinopleFix",)),
        Fork("Istanbul", "istanbulBlock", proposals=(2028,)),
        Fork("Muir Glacier", "muirGlacierBlock"),
        Fork("Berlin", "berlinBlock", proposals=(2930,), transaction_type=1),
        Fork(
            "London",
            "londonBlock",
            (HeaderField("base_fee_per_gas", (1559,)),),
            proposals=(1559,),
            transaction_type=2,
        ),
        Fork("Arrow Glacier", "arrowGlacierBlock"),
        Fork("Gray Glacier", "grayGlacierBlock"),
        Fork("Paris", proposals=(3675,), other_names=("Merge",)),
        Fork(
            "Shanghai",
            "shanghaiTime",
            (HeaderField("withdrawals_root", (4895,)),),
            proposals=(3860, 4895),
        ),
        Fork(
            "Cancun",
            "cancunTime",
            (
                HeaderField("blob_gas_used", (4844,)),
                HeaderField("excess_blob_gas", (4844,)),
                HeaderField("parent_beacon_block_root", (4788,)),
            ),
            proposals=(4788, 4844),
            transaction_type=3,
            most_blobs=6,
            blob_schedule=BlobSchedule(3, 6, 3_338_477),
        ),
        Fork(
            "Prague",
            "pragueTime",
            # EIP-7685 has no switch of its own: a kind of request brings the field.
            (HeaderField("requests_hash", (7685, 6110, 7002, 7251)),),
            proposals=(6110, 7002, 7251, 7623, 7685, 7702),
            transaction_type=4,
            most_blobs=9,
            blob_schedule=BlobSchedule(6, 9, 5_007_716),
        ),
        # EIP-7594: a transaction has no more than 6 blobs, however many a block has.
        Fork(
            "Osaka",
            "osakaTime",
            proposals=(7594, 7825, 7918, 7934),
            most_blobs=6,
            blob_schedule=BlobSchedule(6, 9, 5_007_716),
        ),
        Fork(
            "BPO1",
            "bpo1Time",
            most_blobs=6,
            blob_schedule=BlobSchedule(10, 15, 8_346_193),
        ),
        Fork(
            "BPO2",
            "bpo2Time",
            most_blobs=6,
            blob_schedule=BlobSchedule(14, 21, 11_684_671),
        ),
        Fork(
            "Amsterdam",
            "amsterdamTime",
            (
                HeaderField("block_access_list_hash", (7928,)),
                HeaderField("slot_number", (7843,)),
            ),
            proposals=(7843, 7928),
            most_blobs=6,
            gas_settled=False,
        ),
    )
)
"""Every fork of mainnet, oldest first."""

BLOB_SCHEDULES = {
    fork.name: fork.blob_schedule for fork in FORKS if fork.blob_schedule is not None
}
"""Fork → its schedule on mainnet (EIP-4844, EIP-7691, EIP-7892)."""

_BY_NAME = {
    name.replace(" ", "").lower(): fork
    for fork in FORKS
    for name in (fork.name, *fork.other_names)
}


def fork_named(name: str | Fork) -> Fork:
    """
    Return the fork of that name, as mainnet, fixtures and clients spell it.

    Args:
        name: the name, in any case and with or without blanks; or a fork itself.

    Raises:
        ForkError: if no fork is called so.
        InputTypeError: if *name* is neither text nor a fork.

    Example:
        >>> fork_named("TangerineWhistle") is fork_named("EIP150")
        True
        >>> sorted(fork_named("Cancun").transaction_types)
        [0, 1, 2, 3]
    """
    if isinstance(name, Fork):
        return name
    if not isinstance(name, str):
        raise InputTypeError("fork", "a name or a Fork", name)
    fork = _BY_NAME.get(name.replace(" ", "").lower())
    if fork is None:
        raise ForkError(name, _no_such_fork(name))
    return fork


def _no_such_fork(name: str) -> str:
    """Return what to say of a name that no fork has: those that are alike, and all."""
    from difflib import get_close_matches

    word = name[:40].replace(" ", "").lower()
    alike = {_BY_NAME[one].name for one in get_close_matches(word, _BY_NAME)}
    asked = f"; did you mean {' or '.join(sorted(alike))}?" if alike else ""
    names = ", ".join(fork.name for fork in FORKS)
    return f"is not the name of a fork{asked} (they are {names})"


def genesis_header_fields(
    rules: JsonObject, *, number: int, timestamp: int
) -> tuple[str, ...]:
    """
    Return which fields beyond the first fifteen a genesis header has, in order.

    A fork that is on brings the fields of all earlier ones with it, whether or not the
    file schedules those too, since a header cannot skip a field.

    Args:
        rules: the object that holds the schedule, in any of the module's three ways.
        number: the block's number.
        timestamp: the block's timestamp.

    Raises:
        FixtureError: if a point in the schedule is not a number, or if a field is
            switched on while an earlier one is scheduled for later.

    Example:
        >>> from hexary.state.json_object import JsonObject
        >>> rules = JsonObject({"londonBlock": 0, "shanghaiTime": 1681338455})
        >>> genesis_header_fields(rules, number=0, timestamp=0)
        ('base_fee_per_gas',)
    """
    names: list[str] = []
    switched_on = 0
    later = ""
    for fork in FORKS:
        for field in fork.header_fields:
            names.append(field.name)
            keys = _present_keys(rules, fork, field)
            reached = [
                key
                for key, by_time in keys
                if rules.required_quantity(key) <= (timestamp if by_time else number)
            ]
            if reached:
                if later:
                    raise rules.error(
                        reached[0], f"is reached at genesis, but {later} is not"
                    )
                switched_on = len(names)
            elif keys and not later:
                later = keys[0][0]
    return tuple(names[:switched_on])


def _present_keys(
    rules: JsonObject, fork: Fork, field: HeaderField
) -> list[tuple[str, bool]]:
    """Return the keys of *rules* that schedule a field, and whether by time."""
    keys = [(fork.key, fork.by_time)]
    for proposal in field.proposals:
        keys += [
            (f"eip{proposal}Transition", False),
            (f"eip{proposal}TransitionTimestamp", True),
            (f"eip{proposal}FBlock", False),
            (f"eip{proposal}FTime", True),
        ]
    return [(key, by_time) for key, by_time in keys if rules.get(key) is not None]
