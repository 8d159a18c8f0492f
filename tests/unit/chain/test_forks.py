from __future__ import annotations

from typing import Any

import pytest

from hexary.chain import FORKS, Header, fork_named, genesis_header_fields
from hexary.errors import FixtureError, ForkError, InputTypeError
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


VALUES: dict[str, Any] = {
    name: 0 if "gas" in name or name == "slot_number" else bytes(32) for name in ALL
}


def fields(rules: dict[str, object], timestamp: int = 1000) -> tuple[str, ...]:
    schedule = JsonObject(rules, path="config")
    return genesis_header_fields(schedule, number=0, timestamp=timestamp)


def test_the_table_names_the_headers_fields_in_their_order() -> None:
    names = tuple(field.name for fork in FORKS for field in fork.header_fields)
    assert names == ALL
    assert [*Header(**VALUES).to_json()][15:] == [
        "baseFeePerGas",
        "withdrawalsRoot",
        "blobGasUsed",
        "excessBlobGas",
        "parentBeaconBlockRoot",
        "requestsHash",
        "blockAccessListHash",
        "slotNumber",
    ]
    assert FORKS[-1].appended == ALL


def test_forks_are_scheduled_by_block_and_then_by_time() -> None:
    by_time = [fork.name for fork in FORKS if fork.by_time]
    assert by_time == [
        "Shanghai",
        "Cancun",
        "Prague",
        "Osaka",
        "BPO1",
        "BPO2",
        "Amsterdam",
    ]
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


def test_a_fork_has_what_all_earlier_ones_brought() -> None:
    types = {fork.name: sorted(fork.transaction_types) for fork in FORKS}
    assert types["Istanbul"] == [0]
    assert types["Berlin"] == [0, 1]
    assert types["London"] == types["Shanghai"] == [0, 1, 2]
    assert types["Cancun"] == [0, 1, 2, 3]
    assert types["Prague"] == types["Amsterdam"] == [0, 1, 2, 3, 4]
    assert fork_named("Homestead").active == {2}
    assert fork_named("Byzantium").active == {2, 155, 658}
    assert fork_named("Shanghai").appended == ("base_fee_per_gas", "withdrawals_root")
    blobs = [fork.most_blobs for fork in FORKS if fork.most_blobs]
    assert blobs == [6, 9, 6, 6, 6, 6]


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("DAO", "DAO Fork"),
        ("DAOFork", "DAO Fork"),
        ("EIP150", "Tangerine Whistle"),
        ("EIP158", "Spurious Dragon"),
        ("spuriousdragon", "Spurious Dragon"),
        ("ConstantinopleFix", "Petersburg"),
        ("Merge", "Paris"),
        ("OSAKA", "Osaka"),
    ],
)
def test_a_fork_is_known_by_every_usual_name(name: str, canonical: str) -> None:
    assert fork_named(name).name == canonical
    assert fork_named(fork_named(name)) is fork_named(canonical)


def test_what_is_no_fork_is_refused() -> None:
    with pytest.raises(ForkError, match="'Eden': is not the name of a fork"):
        fork_named("Eden")
    for name, meant in (
        ("Londn", "London"),
        ("shangai", "Shanghai"),
        ("osak", "Osaka"),
    ):
        with pytest.raises(ForkError, match=rf"did you mean {meant}\?") as caught:
            fork_named(name)
        assert caught.value.fork == name
        for fork in FORKS:
            assert fork.name in str(caught.value)
    with pytest.raises(ForkError) as caught:
        fork_named("London" * 10**6)
    assert len(str(caught.value)) < 600
    with pytest.raises(InputTypeError):
        fork_named(12)
