"""How wheels are built: which ones, with what ABI, and what is said if that fails."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

setuptools = pytest.importorskip("setuptools", minversion="77")


@pytest.fixture
def set_up(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run setup.py and return what it asks setuptools to build."""

    def run(**variables: str) -> dict[str, Any]:
        asked: dict[str, Any] = {}
        monkeypatch.setattr(setuptools, "setup", asked.update)
        monkeypatch.chdir(checkout)
        monkeypatch.delenv("HEXARY_BUILD", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        runpy.run_path(str(checkout / "setup.py"))
        return asked

    return run


def test_one_wheel_serves_all_versions(set_up) -> None:
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("a free-threaded Python has no stable ABI")
    (extension,) = set_up()["ext_modules"]
    assert extension.py_limited_api
    macros = dict(extension.define_macros)
    assert int(macros["Py_LIMITED_API"], 16) == sys.hexversion >> 16 << 16
    assert "Py_GIL_DISABLED" not in macros


def test_a_free_threaded_python_gets_a_wheel_of_its_own(set_up, monkeypatch) -> None:
    variables = sysconfig.get_config_vars()
    monkeypatch.setitem(variables, "Py_GIL_DISABLED", 1)
    asked = set_up()
    (extension,) = asked["ext_modules"]
    assert not extension.py_limited_api
    macros = dict(extension.define_macros)
    assert macros["Py_GIL_DISABLED"] == "1"
    assert "Py_LIMITED_API" not in macros
    wheel = asked["cmdclass"]["bdist_wheel"](setuptools.Distribution())
    wheel.finalize_options()
    assert not wheel.py_limited_api


@pytest.mark.parametrize(
    ("compiler_type", "standard"),
    [("msvc", "/std:c11"), ("mingw32", "-std=c11"), ("unix", "-std=c11")],
)
@pytest.mark.parametrize("platform", ["win32", "linux"])
def test_flags_are_those_of_the_compiler_whatever_the_platform(
    compiler_type, standard, platform, set_up, monkeypatch
) -> None:
    asked = set_up()
    (extension,) = asked["ext_modules"]
    build_ext = asked["cmdclass"]["build_ext"]
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(build_ext, "build_extension", lambda *_: None)
    command = build_ext(setuptools.Distribution())
    command.extensions = [extension]
    command.compiler = SimpleNamespace(compiler_type=compiler_type)
    command.build_extensions()
    assert standard in extension.extra_compile_args
    assert {flag[0] for flag in extension.extra_compile_args} == {standard[0]}


def test_skip_asks_for_no_extension(set_up, capsys) -> None:
    assert list(set_up(HEXARY_BUILD="skip")) == ["cmdclass"]
    assert "as HEXARY_BUILD=skip says" in capsys.readouterr().err


def test_an_old_setuptools_is_told_apart(set_up, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "setuptools.command.bdist_wheel", None)
    with pytest.raises(SystemExit, match="setuptools 77 or later"):
        set_up()


def test_a_compiler_that_fails_is_told_and_the_rest_is_built(
    source: Path, tmp_path: Path
) -> None:
    """A compiler that is there, but cannot compile this."""
    if sys.platform == "win32":
        pytest.skip("the compiler is not chosen by CC there")
    done = subprocess.run(
        [sys.executable, "setup.py", "build", "--build-base", tmp_path],
        cwd=source,
        env=os.environ | {"HEXARY_BUILD": "auto", "CC": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "building WITHOUT the native accelerator" in done.stderr
    assert "set HEXARY_BUILD=require to make this an error" in done.stderr
    assert list(tmp_path.rglob("hexary/__init__.py"))
    assert not [*tmp_path.rglob("*.so"), *tmp_path.rglob("*.pyd")]
    reason = why_not_built(tmp_path)
    assert reason.lower().startswith("building it failed: command ")
    assert "false" in reason
    assert len(reason) < 200


def why_not_built(folder: Path) -> str:
    """Return what a build below *folder* has recorded."""
    (record,) = folder.rglob("hexary/_native/not_built.txt")
    return record.read_text(encoding="utf-8")


def run_setup(source: Path, *arguments: str | Path, **variables: str) -> str:
    """Run setup.py in a copy of the tree and return what it says."""
    done = subprocess.run(
        [sys.executable, "setup.py", *arguments],
        cwd=source,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_first_error_of_the_compiler_is_recorded(
    source: Path, tmp_path: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("the compiler is not chosen by CC there")
    compiler = tmp_path / "cc"
    compiler.write_text(
        "#!/bin/sh\necho 'In file included from x.c:1:' >&2\n"
        "echo 'y.h:2:10: fatal error: Python.h: No such file' >&2\n"
        "echo 'compilation terminated.' >&2\nexit 1\n",
        encoding="utf-8",
    )
    compiler.chmod(0o755)
    said = run_setup(
        source, "build", "--build-base", tmp_path, HEXARY_BUILD="auto", CC=str(compiler)
    )
    assert "compilation terminated." in said
    assert why_not_built(tmp_path).endswith(
        ": y.h:2:10: fatal error: Python.h: No such file\n"
    )


def test_that_the_accelerator_was_to_be_left_out_is_recorded(
    source: Path, tmp_path: Path
) -> None:
    stale = tmp_path / "lib/hexary/_native/accelerator.abi3.so"
    stale.parent.mkdir(parents=True)
    stale.touch()
    run_setup(source, "build", "--build-base", tmp_path, HEXARY_BUILD="skip")
    assert not stale.exists()
    assert why_not_built(tmp_path) == "HEXARY_BUILD=skip was set when it was built\n"


def test_in_a_source_tree_the_record_goes_when_there_is_an_accelerator(
    source: Path, tmp_path: Path
) -> None:
    """The record of an earlier failure is in no sdist and no wheel either."""
    if sys.platform == "win32":
        pytest.skip("the compiler is not chosen by CC there")
    tree = tmp_path / "tree"
    shutil.copytree(source, tree)
    build_in_place = ("build_ext", "--inplace", "--build-temp", tmp_path / "objects")
    stale = [
        tree / "src/hexary/_native" / f"accelerator{suffix}"
        for suffix in (".abi3.so", ".cpython-313t-x86_64-linux-gnu.so", ".pyd")
    ]
    for each in stale:
        each.touch()
    run_setup(tree, *build_in_place, HEXARY_BUILD="auto", CC="false")
    assert not any(each.exists() for each in stale)
    assert why_not_built(tree / "src").startswith("building it failed")
    run_setup(tree, "sdist", "--dist-dir", tmp_path, HEXARY_BUILD="skip")
    with tarfile.open(*tmp_path.glob("*.tar.gz")) as sdist:
        assert not [name for name in sdist.getnames() if "not_built" in name]
    # A compiler of no work: it leaves empty files.
    compiler = tmp_path / "cc"
    compiler.write_text(
        '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; : > "$2"\n', encoding="utf-8"
    )
    compiler.chmod(0o755)
    linker = {"LDSHARED": str(compiler), "CC": str(compiler)}
    run_setup(tree, *build_in_place, HEXARY_BUILD="require", **linker)
    assert not list(tree.rglob("not_built.txt"))
    assert list(tree.rglob("src/hexary/_native/accelerator*"))


@pytest.fixture(scope="module")
def wheels(checkout: Path) -> dict[str, Any]:
    """The table of the wheels of a release."""
    text = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["tool"]["cibuildwheel"]
    return table


def test_wheels_are_built_for_every_platform_and_never_pure(wheels) -> None:
    assert wheels["linux"]["archs"] == ["x86_64", "aarch64"]
    assert wheels["macos"]["archs"] == ["x86_64", "arm64"]
    assert wheels["windows"]["archs"] == ["AMD64", "ARM64"]
    assert wheels["environment"]["HEXARY_BUILD"] == "require"
    assert wheels["macos"]["environment"]["HEXARY_BUILD"] == "require"
    assert wheels["test-environment"]["HEXARY_REQUIRE_INSTALLED"] == "1"


@pytest.mark.parametrize(
    ("platform", "kinds"),
    [
        *(("linux", ["manylinux_x86_64", "musllinux_aarch64"]),),
        *(("macos", ["macosx_x86_64", "macosx_arm64"]),),
        *(("windows", ["win_amd64", "win_arm64"]),),
    ],
)
def test_cibuildwheel_reads_the_table(platform, kinds, checkout: Path) -> None:
    """Its first wheel of a kind is built, the others are that one, tested again."""
    pytest.importorskip("cibuildwheel", reason="make wheel installs cibuildwheel")
    command = [
        "-m",
        "cibuildwheel",
        "--print-build-identifiers",
        "--platform",
        platform,
    ]
    done = subprocess.run(
        [sys.executable, *command, checkout],
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = done.stdout.split()
    for kind in kinds:
        versions = [name.partition("-")[0] for name in found if name.endswith(kind)]
        assert versions[:3] == ["cp311", "cp312", "cp313"]
    assert not [name for name in found if name.endswith(("i686", "win32"))]


def test_tests_of_an_installed_package_refuse_the_source_tree(
    checkout: Path, tmp_path: Path
) -> None:
    import hexary

    if not Path(hexary.__file__).is_relative_to(checkout / "src"):
        pytest.skip("hexary is installed, so there is nothing to refuse")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--co", "-q", checkout / "tests/unit/hash"],
        cwd=tmp_path,
        env=os.environ | {"HEXARY_REQUIRE_INSTALLED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "hexary is imported from the source tree" in done.stderr
