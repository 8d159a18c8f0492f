from __future__ import annotations

import pytest

from hexary import recording
from hexary.chain import event_topic, selector
from hexary.errors import HexError, InputTypeError


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("transfer(address,uint256)", "0xa9059cbb"),
        ("balanceOf(address)", "0x70a08231"),
        ("supportsInterface(bytes4)", "0x01ffc9a7"),
        ("baz(uint32,bool)", "0xcdcd77c0"),
        ("bar(bytes3[2])", "0xfce353f6"),
        ("sam(bytes,bool,uint256[])", "0xa5643bf2"),
        ("f(uint256,uint32[],bytes10,bytes)", "0x8be65246"),
        ("g(uint256[][],string[])", "0x2289b18c"),
        ("deposit()", "0xd0e30db0"),
        ("$_a1((uint8,(bool,bytes32)[])[2],function,ufixed128x18)", None),
    ],
)
def test_selectors(signature: str, expected: str | None) -> None:
    """The published ones are those of the ABI's specification and of ERC-20."""
    assert len(selector(signature)) == 4
    assert event_topic(signature)[:4] == selector(signature)
    assert expected is None or selector(signature) == expected


def test_topics() -> None:
    assert event_topic("Transfer(address,address,uint256)").hex() == (
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    )
    assert event_topic("Approval(address,address,uint256)").hex() == (
        "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
    )


def test_a_text_is_hashed_once() -> None:
    with recording() as seen:
        for _ in range(3):
            selector("onlyOnce(uint8)")
            event_topic("onlyOnce(uint8)")
    assert seen.calls == 1


@pytest.mark.parametrize(
    ("signature", "position"),
    [
        ("", 0),
        ("f", 0),
        ("1f()", 0),
        (" f()", 0),
        ("f(uint)", 2),
        ("f(int)", 2),
        ("f(uint7)", 2),
        ("f(uint256 )", 9),
        ("f(uint256,)", 10),
        ("f(,uint256)", 2),
        ("f(uint256 amount)", 9),
        ("f(address, bool)", 10),
        ("f(bytes33)", 2),
        ("f(bytes0)", 2),
        ("f(uint256[0])", 9),
        ("f(uint256[)", 9),
        ("f(tuple)", 2),
        ("f(IERC20)", 2),
        ("f(uint256", 9),
        ("f((uint256)", 11),
        ("f(uint256))", 10),
        ("f()()", 3),
        ("f()[]", 3),
        ("f(uint256)\n", 10),
        ("f(uint256é)", 9),
        ("function f()", 0),
    ],
)
def test_what_is_not_canonical_is_refused_with_its_place(
    signature: str, position: int
) -> None:
    """``uint`` has another hash than ``uint256``, and nobody would notice."""
    for function in (selector, event_topic):
        with pytest.raises(HexError, match="canonical signature") as caught:
            function(signature)
        assert caught.value.position == position


def test_only_text_has_a_selector() -> None:
    with pytest.raises(InputTypeError):
        selector(b"f()")


def test_a_long_text_takes_time_in_proportion() -> None:
    text = "f(" + "(" * 100_000 + "uint8" + ")" * 100_000 + ")"
    assert len(selector(text)) == 4
    with pytest.raises(HexError):
        selector(text + ")")


@pytest.mark.parametrize("kind", ["fixed128x81", "ufixed7x1", "fixed8x0", "fixed264x1"])
def test_fixed_point_numbers_have_the_sizes_of_integers(kind: str) -> None:
    with pytest.raises(HexError):
        selector(f"f({kind})")
    assert selector("f(fixed128x80,ufixed8x1[])").hex() == "0x3ee1d82f"
