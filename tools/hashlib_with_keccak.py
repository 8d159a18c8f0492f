"""
Run a command under a hashlib that really has Keccak, with ``HEXARY_BACKEND=hashlib``.

    python tools/hashlib_with_keccak.py SCRATCH_FOLDER COMMAND…

Keccak came into OpenSSL with 3.2.  Where this interpreter's hashlib is linked with an
older one, the libcrypto and libssl that the psycopg-binary wheel carries are put before
it on the dynamic linker's path (Linux; on other systems use a newer Python).  Nothing
is run, and the exit code is 2, unless hexary then chooses hashlib and is right.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROOF = """
import hashlib, ssl
empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
answer = hashlib.new("keccak-256").hexdigest()
if answer != empty:
    raise SystemExit(f"keccak-256 of nothing is {empty}, hashlib says {answer}")
import hexary
if hexary.BACKEND.name != "hashlib":
    raise SystemExit(f"hexary hashes with {hexary.BACKEND!r}, not with hashlib")
print(f"hexary {hexary.__version__} hashes with hashlib, {ssl.OPENSSL_VERSION}")
"""


def has_keccak() -> bool:
    """Whether this interpreter's own hashlib knows Keccak-256."""
    try:
        hashlib.new("keccak-256")
    except ValueError:
        return False
    return True


def newer_openssl(folder: Path) -> str:
    """Return the library path of a newer OpenSSL, brought into *folder* if need be."""
    wheel, libraries = folder / "wheel", folder / "lib"
    carried = wheel / "psycopg_binary.libs"
    if not (libraries / "libssl.so.3").exists():
        print(f"Fetching a newer OpenSSL (psycopg-binary) into {folder}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps"]
        pip += ["--disable-pip-version-check", "--only-binary=:all:", "--no-input"]
        subprocess.run([*pip, "--target", wheel, "psycopg-binary"], check=True)
        libraries.mkdir()
        for name in ("libcrypto", "libssl"):  # libssl last: its presence is the mark
            found = sorted(carried.glob(f"{name}-*.so.3")) or sorted(
                carried.glob(f"{name}*.so*")
            )
            if not found:
                raise SystemExit(f"the psycopg-binary wheel carries no {name} any more")
            shutil.copy(found[-1], libraries / f"{name}.so.3")
    return f"{libraries.resolve()}:{carried.resolve()}"


def main() -> None:
    """Check the backend and turn into the command."""
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    environment = dict(os.environ, HEXARY_BACKEND="hashlib")
    environment["HEXARY_REQUIRE_BACKENDS"] = "hashlib,pycryptodome"
    if not has_keccak():
        before = newer_openssl(folder)
        after = environment.get("LD_LIBRARY_PATH", "")
        environment["LD_LIBRARY_PATH"] = f"{before}:{after}" if after else before
    proof = subprocess.run([sys.executable, "-c", PROOF], env=environment, check=False)
    if proof.returncode:
        print(
            "hashlib_with_keccak: this Python's hashlib could not be given keccak-256; "
            "use a Python that is linked with OpenSSL 3.2 or later",
            file=sys.stderr,
        )
        raise SystemExit(2)
    sys.stdout.flush()
    os.execve(command[0], command, environment)


if __name__ == "__main__":
    main()
