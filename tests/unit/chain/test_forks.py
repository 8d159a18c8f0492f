from __future__ import annotations

import dataclasses

import pytest

from hexary.chain import FORKS, Header, genesis_header_fields
from hexary.errors import FixtureError
from hexary.state.json_object import JsonObject

ALL = (
    "base_fee_per_gas",
    "withdrawals_root",
    "blob_gas_used",
    "excess_blob_gas",
    "parent_beacon_block_root",
    "requests_hash",
    "block_access_list_hash",
    "slot_number",
)


def fields(rules: dict[str, object], timestamp: int = 1000) -> tuple[str, ...]:
    schedule = JsonObject(rules, path="config")
    return genesis_header_fields(schedule, number=0, timestamp=timestamp)


def test_the_table_names_the_headers_fields_in_their_order() -> None:
    names = tuple(field.name for fork in FORKS for field in fork.header_fields)
    assert names == ALL
    assert names == tuple(
        field.name for field in dataclasses.fields(Header) if field.name in names
    )


def test_forks_are_scheduled_by_block_and_then_by_time() -> None:
    by_time = [fork.name for fork in FORKS if fork.by_time]
    assert by_time == ["Shanghai", "Cancun", "Prague", "Osaka", "Amsterdam"]
    assert [fork.name for fork in FORKS if not fork.key] == ["Frontier", "Paris"]


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ({}, 0),
        ({"homesteadBlock": 0, "berlinBlock": 0}, 0),
        ({"londonBlock": 0}, 1),
        ({"londonBlock": "0x0", "shanghaiTime": None}, 1),
        ({"londonBlock": 1}, 0),
        ({"londonBlock": 0, "shanghaiTime": 1000}, 2),
        ({"londonBlock": 0, "shanghaiTime": 1001}, 1),
        ({"londonBlock": 0, "shanghaiTime": 0, "cancunTime": "0x3e8"}, 5),
        ({"londonBlock": 0, "shanghaiTime": 0, "cancunTime": 0, "pragueTime": 0}, 6),
        ({"osakaTime": 0}, 0),
        ({"amsterdamTime": 0}, 8),
        ({"amsterdamtime": 0, "londonblock": 0}, 8),
        ({"eip1559Transition": "0x0"}, 1),
        ({"eip1559Transition": "0x1"}, 0),
        ({"eip1559FBlock": 0, "eip4895FTime": 1000}, 2),
        ({"eip1559Transition": 0, "eip4895TransitionTimestamp": "0x3e8"}, 2),
        ({"eip4844TransitionTimestamp": "0x0"}, 4),
        ({"eip4788TransitionTimestamp": "0x0"}, 5),
        ({"eip7251TransitionTimestamp": "0x0"}, 6),
        ({"eip7928TransitionTimestamp": "0x0"}, 7),
        ({"eip7843TransitionTimestamp": "0x0"}, 8),
    ],
)
def test_the_schedule_decides_which_fields_there_are(
    rules: dict[str, object], count: int
) -> None:
    assert fields(rules) == ALL[:count]


@pytest.mark.parametrize(
    ("rules", "field", "rule"),
    [
        (
            {"londonBlock": 5, "shanghaiTime": 0},
            "config.shanghaiTime",
            "is reached at genesis, but londonBlock is not",
        ),
        (
            {"cancunTime": 2000, "pragueTime": 1000},
            "config.pragueTime",
            "is reached at genesis, but cancunTime is not",
        ),
        ({"londonBlock": "soon"}, "config.londonBlock", "decimal digits"),
        ({"londonBlock": 0.5}, "config.londonBlock", "must be an integer"),
        ({"shanghaiTime": -1}, "config.shanghaiTime", "must be from 0"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused(
    rules: dict[str, object], field: str, rule: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        fields(rules)
    assert caught.value.field == field
    assert rule in caught.value.rule
