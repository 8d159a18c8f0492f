"""Killed processes, full disks and files that cannot be written lose nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from store_crash import kill_committers
from stores import StoreHome, each_file_kind

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="needs fork and signals"
)


@each_file_kind
def test_u162_a_killed_process_loses_no_acknowledged_commit(
    kind: str, tmp_path: Path, kills: int
) -> None:
    """``make test-crash`` kills 200 times."""
    report = kill_committers(kind, tmp_path / f"trie.{kind}", kills=kills, seed=kills)
    assert report.kills == kills
    assert report.while_opening <= kills // 4
    assert report.commits >= kills - report.while_opening


@cache
def own_mounts() -> bool:
    """Whether a process may have mounts of its own, seen by no other."""
    try:
        done = subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"],  # noqa: S108 - a mount point
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0


STORE = """
import os, subprocess, sys
from hexary import LMDBStore, SQLiteStore, StoreError, Trie
kind, folder = sys.argv[1:]
path = os.path.join(folder, "trie")
opener = SQLiteStore if kind == "sqlite" else LMDBStore
small = {bytes([n]) * 32: bytes([n]) * 50 for n in range(100)}
large = {n.to_bytes(2, "big") * 16: bytes(300) for n in range(20_000)}

def mount(*options):
    subprocess.run(["mount", *options, "tmpfs", folder], check=True)

def begin():
    with opener(path) as store:
        return Trie(small, store=store).commit("latest")

def fail_to_commit(reasons):
    with opener(path) as store:
        trie = Trie(store, store.root("latest"))
        trie.update(large)
        for _ in range(2):
            try:
                trie.commit("latest")
            except StoreError as error:
                print(error)
                assert error.reason.name in reasons, error
            else:
                raise SystemExit("that should have failed")
        assert len(trie) == len(small | large)
        look(store, root)
        return trie.root_hash

def look(store, root):
    assert store.root("latest") == root
    trie = Trie(store, root)
    assert dict(trie.items()) == small
"""


def run(kind: str, folder: Path, code: str, *, mounts: bool) -> str:
    """Run *code* after `STORE` in a process of its own, and return what it prints."""
    done = subprocess.run(
        [
            *(["unshare", "-rm"] if mounts else []),
            *(sys.executable, "-c", STORE + code, kind, str(folder)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


needs_mounts = pytest.mark.skipif("not own_mounts()", reason="needs mounts of its own")


@each_file_kind
@needs_mounts
def test_a_full_disk_is_told_and_loses_nothing(kind: str, tmp_path: Path) -> None:
    code = """
mount("-t", "tmpfs", "-o", "size=2m")
root = begin()
fail_to_commit({"FULL"})
with opener(path) as store:
    look(store, root)
mount("-o", "remount,size=100m")
with opener(path) as store:
    trie = Trie(store, root)
    trie.update(large)
    trie.commit("latest")
with opener(path, read_only=True) as store:
    assert dict(Trie(store, store.root("latest")).items()) == small | large
"""
    assert "there is no space left" in run(kind, tmp_path, code, mounts=True)


@each_file_kind
def test_a_file_that_may_not_grow_is_told_and_loses_nothing(
    kind: str, tmp_path: Path
) -> None:
    code = """
import resource
root = begin()
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
fail_to_commit({"FULL", "FAILED"})
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
with opener(path) as store:
    look(store, root)
"""
    assert run(kind, tmp_path, code, mounts=False).count("\n") == 2


@each_file_kind
@needs_mounts
def test_a_read_only_disk_is_told_and_can_be_read(kind: str, tmp_path: Path) -> None:
    code = """
mount("-t", "tmpfs")
root = begin()
mount("-o", "remount,ro")
with opener(path, read_only=True) as store:
    look(store, root)
    try:
        Trie(small, store=store).commit("latest")
    except StoreError as error:
        assert error.reason.name == "READ_ONLY", error
    else:
        raise SystemExit("that should have failed")
try:
    with opener(path) as store:
        Trie(small | {b"new": b"key"}, store=store).commit("latest")
except StoreError as error:
    print(error)
    assert error.reason.name == "READ_ONLY", error
else:
    raise SystemExit("that should have failed")
"""
    assert "the store is read-only" in run(kind, tmp_path, code, mounts=True)


@each_file_kind
def test_a_file_without_permission_to_write(kind: str, tmp_path: Path) -> None:
    """Root may write all the same, and then it is no error."""
    home = StoreHome(kind, tmp_path)
    home.open()
    home.close()
    home.path.chmod(0o444)
    if os.access(home.path, os.W_OK):
        pytest.skip("this user may write everything")
    code = """
root = None
try:
    begin()
except StoreError as error:
    print(error)
    assert error.reason.name == "READ_ONLY", error
"""
    home.path.rename(tmp_path / "trie")
    assert "read-only" in run(kind, tmp_path, code, mounts=False)
