"""
The forks of Ethereum: what switches each of them on, and what it adds to the header.

`FORKS` is the only table of them.  A fork is scheduled by a block number up to Gray
Glacier and by a timestamp since Shanghai; in between, Paris came with a total
difficulty.
Clients write the schedule in three ways, all read here:

- geth, besu, EELS: by fork, ``londonBlock`` and ``shanghaiTime``,
- chainspecs (parity, openethereum, nethermind): by proposal, ``eip1559Transition``
  (a block) and ``eip4895TransitionTimestamp``,
- core-geth: by proposal, ``eip1559FBlock`` and ``eip4895FTime``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexary.state.json_object import JsonObject

__all__ = [
    "FORKS",
    "Fork",
    "HeaderField",
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
    A fork, and what it means for the header.

    Attributes:
        name: its name.
        key: name of its block or time in geth's and besu's ``config``; ``""`` if it
            has none.
        header_fields: what it appends to the header, in order.
    """

    name: str
    key: str = ""
    header_fields: tuple[HeaderField, ...] = ()

    @property
    def by_time(self) -> bool:
        """Whether a timestamp switches the fork on, rather than a block number."""
        return self.key.endswith("Time")


FORKS = (
    Fork("Frontier"),
    Fork("Homestead", "homesteadBlock"),
    Fork("Tangerine Whistle", "eip150Block"),
    Fork("Spurious Dragon", "eip158Block"),
    Fork("Byzantium", "byzantiumBlock"),
    Fork("Constantinople", "constantinopleBlock"),
    Fork("Petersburg", "petersburgBlock"),
    Fork("Istanbul", "istanbulBlock"),
    Fork("Muir Glacier", "muirGlacierBlock"),
    Fork("Berlin", "berlinBlock"),
    Fork("London", "londonBlock", (HeaderField("base_fee_per_gas", (1559,)),)),
    Fork("Arrow Glacier", "arrowGlacierBlock"),
    Fork("Gray Glacier", "grayGlacierBlock"),
    Fork("Paris"),
    Fork("Shanghai", "shanghaiTime", (HeaderField("withdrawals_root", (4895,)),)),
    Fork(
        "Cancun",
        "cancunTime",
        (
            HeaderField("blob_gas_used", (4844,)),
            HeaderField("excess_blob_gas", (4844,)),
            HeaderField("parent_beacon_block_root", (4788,)),
        ),
    ),
    Fork(
        "Prague",
        "pragueTime",
        # EIP-7685 has no switch of its own: a kind of request brings the field.
        (HeaderField("requests_hash", (7685, 6110, 7002, 7251)),),
    ),
    Fork("Osaka", "osakaTime"),
    Fork(
        "Amsterdam",
        "amsterdamTime",
        (
            HeaderField("block_access_list_hash", (7928,)),
            HeaderField("slot_number", (7843,)),
        ),
    ),
)
"""Every fork of mainnet, oldest first."""


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
