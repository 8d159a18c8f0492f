"""
Proofs made here verified by others, and theirs here: py-trie, ethereumjs, a real node.

The last two come from npm into a temporary folder; without npm, or without a way to its
registry, those tests are skipped.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rlp as pyrlp
from trie import HexaryTrie

from hexary import (
    AccountProof,
    Address,
    SecureTrie,
    State,
    Trie,
    keccak256,
    verify_many,
    verify_proof,
    verify_range,
)
from hexary.chain import read_header

PEERS = Path(__file__).resolve().parents[1] / "peers"


def tables() -> Iterator[tuple[str, dict[bytes, bytes], list[bytes]]]:
    """Yield names, contents of tries, and keys that are there or not."""
    source = random.Random(1186)
    for name, sizes, value_size, count in (
        ("hashes", (32,), 70, 300),
        ("short values", (2, 3), 2, 200),
        ("keys that begin others", (1, 2, 3, 4), 33, 200),
        ("one key", (5,), 5, 1),
    ):
        pairs = {
            source.randbytes(source.choice(sizes)): source.randbytes(
                source.randint(1, value_size)
            )
            for _ in range(count)
        }
        absent = [source.randbytes(source.choice(sizes)) for _ in range(40)]
        yield name, pairs, [*sorted(pairs)[:40], *absent]


TABLES = list(tables())
NAMES = [name for name, _, _ in TABLES]


@pytest.mark.parametrize(("name", "pairs", "keys"), TABLES, ids=NAMES)
def test_py_trie(name: str, pairs: dict[bytes, bytes], keys: list[bytes]) -> None:
    ours, theirs = Trie(pairs), HexaryTrie({})
    for key, value in pairs.items():
        theirs[key] = value
    root = ours.root_hash
    assert root == theirs.root_hash
    for key in keys:
        value = pairs.get(key)
        nodes = [pyrlp.decode(node) for node in ours.prove(key)]
        assert HexaryTrie.get_from_proof(root, key, nodes) == (value or b"")
        # Theirs lists the nodes that are embedded, too, and ends an absence with a
        # node that is empty.
        proof = [pyrlp.encode(node) for node in theirs.get_proof(key) if node]
        assert verify_proof(root, key, proof) == value


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the packages of npm are."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "ethereumjs.mjs"):
        shutil.copy(PEERS / name, folder)
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    options: dict[str, Any] = {"capture_output": True, "text": True, "check": False}
    try:
        done = subprocess.run(command, cwd=folder, timeout=300, **options)
    except subprocess.TimeoutExpired:
        pytest.skip("npm install takes too long")
    if done.returncode:
        pytest.skip(f"npm install failed: {done.stderr.strip()[-200:]}")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "secure"])
@pytest.mark.parametrize(("name", "pairs", "keys"), TABLES, ids=NAMES)
def test_ethereumjs(
    packages: Path,
    name: str,
    pairs: dict[bytes, bytes],
    keys: list[bytes],
    secure: bool,
) -> None:
    trie = (SecureTrie if secure else Trie)(pairs)
    root = trie.root_hash
    stretches = []
    if name == "hashes":
        starts = [bytes(32), b"\x40" + bytes(31), keccak256(b"start")]
        stretches = [
            trie.prove_range(start, limit=limit)
            for start in starts
            for limit in (1, 20)
        ]
    question = {
        "secure": secure,
        "pairs": [[key.hex(), value.hex()] for key, value in pairs.items()],
        "keys": [key.hex() for key in keys],
        "proofs": [[node.hex() for node in trie.prove(key)] for key in keys],
        "ranges": [
            {
                "start": found.start.hex(),
                "keys": [key.hex() for key in found.keys],
                "values": [value.hex() for value in found.values],
                "nodes": [node.hex() for node in found.nodes],
            }
            for found in stretches
        ],
    }
    done = subprocess.run(
        ["node", "ethereumjs.mjs"],
        cwd=packages,
        input=json.dumps(question),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["root"] == bytes.hex(root)
    right = [pairs[key].hex() if key in pairs else None for key in keys]
    assert answer["values"] == right
    for key, proof in zip(keys, answer["proofs"], strict=True):
        nodes = [bytes.fromhex(node) for node in proof]
        assert verify_proof(root, key, nodes, secure=secure) == pairs.get(key)
    together = {bytes.fromhex(node) for proof in answer["proofs"] for node in proof}
    assert verify_many(root, keys, together, secure=secure) == {
        key: pairs.get(key) for key in keys
    }
    assert answer["ranges"] == [
        verify_range(root, found.start, found.keys, found.values, found.nodes).has_more
        for found in stretches
    ]


class Node:
    """
    A node that speaks JSON-RPC over HTTP.

    Args:
        url: where it listens.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, method: str, *params: object) -> Any:
        """Return the answer to a request."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        request = urllib.request.Request(  # noqa: S310 - of the loopback interface
            self.url,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310 - see above
            answer = json.load(response)
        assert "error" not in answer, answer
        return answer["result"]


@pytest.fixture
def anvil(packages: Path) -> Iterator[Node]:
    """Start anvil on a free port of the loopback interface."""
    program = next(packages.glob("node_modules/@foundry-rs/anvil-*/bin/anvil*"), None)
    if program is None:
        pytest.skip("npm has no anvil for this machine")
    process = subprocess.Popen(
        [program, "--host", "127.0.0.1", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        url = ""
        deadline = time.monotonic() + 60
        for line in process.stdout or ():
            if line.startswith("Listening on "):
                url = "http://" + line.split()[-1]
                break
            if time.monotonic() > deadline:
                break
        if not url:
            pytest.skip("anvil does not start here")
        yield Node(url)
    finally:
        process.terminate()
        process.wait(timeout=20)
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.slow
def test_a_real_node(anvil: Node) -> None:
    """Anvil's answers against the header of its block, for what it was told to hold."""
    state = State()
    for number in range(1, 30):
        address = Address(0x1000 + number)
        anvil.ask("anvil_setBalance", str(address), hex(number * 10**18))
        state.set_balance(address, number * 10**18)
        for slot in range(number % 5):
            word = f"0x{slot + number:064x}"
            anvil.ask("anvil_setStorageAt", str(address), hex(slot), word)
            state.set_storage(address, slot, slot + number)
    anvil.ask("anvil_mine", "0x1")
    block = anvil.ask("eth_getBlockByNumber", "latest", False)
    digest = bytes.fromhex(block["hash"][2:])
    root = read_header(block, block_hash=digest).state_root
    number = block["number"]
    for address in [
        *(Address(0x1000 + count) for count in range(1, 30)),
        Address(9999),
    ]:
        slots = [f"0x{slot:064x}" for slot in range(6)]
        answer = anvil.ask("eth_getProof", str(address), slots, number)
        proven = AccountProof.from_json(answer).verify(root)
        expected = state.account(address)
        if expected is None:
            assert proven.account is None
        else:
            assert proven.account is not None
            assert proven.account.balance == expected.balance
            assert proven.account.storage_root == expected.storage_root
        assert proven.storage == {
            slot: state.get_storage(address, slot) for slot in range(6)
        }
