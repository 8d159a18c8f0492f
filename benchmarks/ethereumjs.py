"""A Node process with @ethereumjs/mpt, which is asked to do what is timed."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from measurement import AbsentError

__all__ = ["ask", "session"]

SCRIPT = Path(__file__).with_name("ethereumjs.mjs")
PACKAGES = Path(__file__).resolve().parents[1] / "tests/peers/package.json"


@cache
def session() -> subprocess.Popen[str]:
    """
    Return the process, started once, with the package from npm beside its script.

    Raises:
        AbsentError: if Node, npm or the package cannot be had.
    """
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        raise AbsentError("Node and npm are not installed")
    folder = Path(tempfile.mkdtemp(prefix="hexary-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copy(SCRIPT, folder)
    shutil.copy(PACKAGES, folder / "package.json")
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            timeout=300,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AbsentError("npm install takes too long") from None
    if done.returncode:
        raise AbsentError("npm install failed")
    process = subprocess.Popen(
        [node, SCRIPT.name],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.terminate)
    return process


def ask(do: str, **request: Any) -> Any:
    """Return the answer of the process to a request."""
    process = session()
    if process.stdin is None or process.stdout is None:
        raise AbsentError("its process has no pipes")
    process.stdin.write(json.dumps({"do": do, **request}) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise SystemExit("the process of ethereumjs has ended")
    return json.loads(answer)
