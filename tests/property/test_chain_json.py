"""JSON of the chain's records with one thing changed: FixtureError, or a record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary.chain import Block, BlockAccessList, NewPayload, transaction_from_json
from hexary.errors import FixtureError
from property.chain_strategies import RECORDS, TRANSACTIONS
from property.json_places import changed, places

BRIEF = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None
)

OTHER = st.sampled_from(
    [
        *(None, True, False, [], {}, "", -1, 1.5, 0, 1, 10**30, 10**400),
        *(
            "0x",
            "0x0",
            "zz",
            "-1",
            "0x-1",
            " 0x1",
            "1_0",
            "\u0661",
            "\ud800",
            "9" * 5000,
        ),
        *([[]], [None], {"a": 1}, "0x" + "f" * 3000, float("nan"), float("inf")),
    ]
)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("spelling", ["rpc", "fixture"])
@BRIEF
@given(data=st.data(), other=OTHER)
def test_json_that_is_something_else_in_one_place(
    name: str, spelling: Any, data: Any, other: Any
) -> None:
    record = data.draw(RECORDS[name])
    written = record.to_json(spelling=spelling)
    path = data.draw(st.sampled_from(list(places(written))))
    readers = [type(record).from_json]
    if name in TRANSACTIONS:
        readers.append(transaction_from_json)
    for read in readers:
        try:
            found = read(changed(written, path, lambda _: other), spelling=spelling)
        except FixtureError as error:
            assert str(error)
            continue
        # What is accepted is a record like any other.
        if type(found) is not Block:
            assert type(found).from_json(found.to_json(), spelling="rpc") == found
        assert type(found).from_rlp(found.rlp()) == found


@BRIEF
@given(payload=RECORDS["payload"], data=st.data(), other=OTHER)
def test_parameters_that_are_something_else_in_one_place(
    payload: Any, data: Any, other: Any
) -> None:
    root = payload.parent_hash
    call = NewPayload(payload, (root,), root, payload.transactions)
    written = call.to_params()
    assert NewPayload.from_params(written, version=4) == call
    path = data.draw(st.sampled_from(list(places(written))))
    try:
        found = NewPayload.from_params(
            changed(written, path, lambda _: other), version=4
        )
    except FixtureError:
        return
    assert NewPayload.from_params(found.to_params(), version=4) == found


@BRIEF
@given(
    accounts=st.lists(RECORDS["account changes"], max_size=2),
    data=st.data(),
    other=OTHER,
)
def test_access_lists_that_are_something_else_in_one_place(
    accounts: Any, data: Any, other: Any
) -> None:
    written = BlockAccessList(tuple(accounts)).to_json()
    path = data.draw(st.sampled_from(list(places(written))))
    try:
        found = BlockAccessList.from_json(changed(written, path, lambda _: other))
    except FixtureError:
        return
    assert BlockAccessList.from_json(found.to_json()) == found
