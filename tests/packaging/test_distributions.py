"""What is built holds the package and nothing else, and works once installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import hexary


@pytest.fixture(scope="session")
def project(checkout: Path) -> dict[str, object]:
    """The ``[project]`` table of pyproject.toml."""
    table: dict[str, object] = tomllib.loads(
        (checkout / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return table


def in_source_tree(checkout: Path) -> set[str]:
    """Return the files of the package, as they stand in a wheel."""
    source = checkout / "src"
    return {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
    }


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(
    distributions, checkout: Path
) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        names = set(wheel.namelist())
    metadata = {name for name in names if ".dist-info/" in name}
    extensions = {name for name in names if name.endswith((".so", ".pyd"))}
    assert names - metadata - extensions == in_source_tree(checkout)
    assert "hexary/py.typed" in names
    if extensions:
        # One file for this platform, and for all versions of Python from this one on.
        (extension,) = extensions
        assert extension.startswith("hexary/_native/accelerator.")
        oldest = "cp{}{}".format(*sys.version_info[:2])
        assert f"-{oldest}-abi3-" in distributions.wheel.name
    else:
        assert distributions.wheel.name.endswith("-py3-none-any.whl")
    assert any(name.endswith("licenses/LICENSE") for name in metadata)


@pytest.mark.slow
def test_the_wheel_tells_version_licence_and_dependencies(
    distributions, project: dict[str, object]
) -> None:
    with zipfile.ZipFile(distributions.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        metadata = message_from_bytes(wheel.read(name))
    assert metadata["Name"] == "hexary"
    assert metadata["Version"] == hexary.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == project["requires-python"]
    required = [
        line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line
    ]
    assert sorted(required) == project["dependencies"]


@pytest.mark.slow
def test_the_sdist_can_be_built_and_leaves_local_files_out(
    distributions, checkout: Path
) -> None:
    """The wheel was built from it; it holds its sources and what describes them."""
    with tarfile.open(distributions.sdist) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"src/{name}" for name in in_source_tree(checkout)} <= names
    assert {"LICENSE", "README.md", "pyproject.toml", "setup.py"} <= names
    c_files = {
        path.relative_to(checkout).as_posix()
        for folder in ("csrc", "src/hexary/_native")
        for path in (checkout / folder).rglob("*.[ch]")
    }
    assert len(c_files) > 20
    assert c_files <= names
    assert not any(part in name for name in names for part in (".venv", "__pycache__"))


@pytest.mark.slow
def test_the_installed_wheel_works_alone(
    distributions,
    clean_venv,
    checkout: Path,
    tmp_path: Path,
    clean_environment: dict[str, str],
) -> None:
    """With its dependencies only, outside the checkout."""
    clean_venv.install(distributions.wheel)

    def run(program: str, *arguments: str | Path) -> str:
        done = clean_venv.run(program, *arguments, cwd=tmp_path, env=clean_environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout)

    assert hexary.__version__ in run("hexary", "--version")
    assert "pycryptodome" in run("hexary", "backends")
    assert "\nOK: " in run("hexary", "verify", checkout / "fixtures")
    where = "import hexary; print(hexary.__file__)"
    assert "site-packages" in run("python", "-c", where)
    assert run("python", "-m", "hexary", "--version") == run("hexary", "--version")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"HEXARY_BUILD": "skip"}, "as HEXARY_BUILD=skip says"),
        (
            {"HEXARY_BUILD": "auto", "CC": "no-such-compiler"},
            "WITHOUT the native accelerator",
        ),
    ],
    ids=["skip", "no compiler"],
)
def test_without_a_compiler_the_package_is_pure_and_says_so(
    variables, words, build, clean_venv, clean_environment, tmp_path
) -> None:
    if sys.platform == "win32" and "CC" in variables:
        pytest.skip("the compiler is not chosen by CC there")
    distributions, printed = build(**variables)
    assert words in printed
    assert distributions.wheel.name.endswith("-py3-none-any.whl")
    clean_venv.install(distributions.wheel)
    done = clean_venv.run("hexary", "backends", cwd=tmp_path, env=clean_environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no native accelerator" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"HEXARY_BUILD": "perhaps"}, "HEXARY_BUILD='perhaps' is not one of auto"),
        ({"HEXARY_BUILD": "require", "CC": "no-such-compiler"}, "cannot be built"),
    ],
)
def test_a_build_that_cannot_do_what_it_is_told_fails(
    variables, words, source, tmp_path
) -> None:
    if sys.platform == "win32" and "CC" in variables:
        pytest.skip("the compiler is not chosen by CC there")
    pytest.importorskip("setuptools", minversion="77")
    done = subprocess.run(
        [sys.executable, "setup.py", "build", "--build-base", tmp_path],
        cwd=source,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert words in done.stderr


def test_the_version_stands_in_one_place(checkout: Path) -> None:
    """``hexary.__version__``, which pyproject.toml reads off the source."""
    holders = [
        path.relative_to(checkout).as_posix()
        for path in [checkout / "pyproject.toml", *(checkout / "src").rglob("*.py")]
        if f'"{hexary.__version__}"' in path.read_text(encoding="utf-8")
    ]
    assert holders == ["src/hexary/__init__.py"]
