"""
Build of the C accelerator; all else about the package stands in pyproject.toml.

The environment variable ``HEXARY_BUILD`` says what becomes of it:

``auto``     (the default) build it; where that fails, say so and install pure Python
``require``  build it, or fail
``skip``     do not try

Where there is no accelerator afterwards, ``_native/not_built.txt`` in the package says
why; ``hexary backends`` shows it.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    sys.exit("hexary is built with setuptools 77 or later: pip install -U setuptools")

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "HEXARY_BUILD"
CHOICES = ("auto", "require", "skip")
HERE = Path(__file__).parent

choice = os.environ.get(VARIABLE) or "auto"
if choice not in CHOICES:
    sys.exit(f"{VARIABLE}={choice!r} is not one of {', '.join(CHOICES)}")

OLDEST = sys.version_info[:2]
"""
The oldest Python that the build serves: the one whose headers it is made with.

Code for the stable ABI of 3.11 takes the headers of 3.11.  Those of 3.13 leave out what
older versions need, reference counts of ``None`` among it, whatever they are asked for.
"""

RECORD = "hexary/_native/not_built.txt"
"""Below the folder of packages: why there is no accelerator, where there is none."""

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
"""
Such a build of Python has no stable ABI: its wheel serves one version, and Python turns
its global lock on when it loads the accelerator, which counts on it.
"""


def announce(message: str) -> None:
    """Tell the person who builds."""
    print(f"hexary: {message}", file=sys.stderr)  # noqa: T201  # it speaks to a person


def version() -> str:
    """Return the package's version, read from its source."""
    source = (HERE / "src/hexary/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', source, re.MULTILINE)
    if found is None:
        sys.exit("src/hexary/__init__.py has no __version__")
    return found[1]


def compile_arguments(compiler_type: str) -> list[str]:
    """Return what a compiler of a type is told beside Python's own flags."""
    if compiler_type == "msvc":
        return ["/std:c11", "/O2"]
    return [
        "-std=c11",
        "-O3",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Werror=implicit-function-declaration",
    ]


def macros() -> list[tuple[str, str | None]]:
    """Return the macros to define."""
    defined: list[tuple[str, str | None]] = [("HEXARY_VERSION", f'"{version()}"')]
    if FREE_THREADED:
        # Its pyconfig.h says so, on Windows not even that, too late for binding.h.
        defined.append(("Py_GIL_DISABLED", "1"))
    else:
        defined.append(("Py_LIMITED_API", "0x{:02X}{:02X}0000".format(*OLDEST)))
    return defined


def accelerator() -> Extension:
    """Return the extension: the binding and the library below it."""
    folders = (HERE / "csrc", HERE / "src/hexary/_native")
    files = [path.relative_to(HERE) for folder in folders for path in folder.iterdir()]
    return Extension(
        "hexary._native.accelerator",
        sources=sorted(str(path) for path in files if path.suffix == ".c"),
        depends=sorted(str(path) for path in files if path.suffix == ".h"),
        include_dirs=["csrc"],
        define_macros=macros(),
        py_limited_api=not FREE_THREADED,
    )


def record(packages: Path, reason: str) -> None:
    """
    Keep why there is no accelerator in *packages*, or that there is one if empty.

    One that an earlier build has left there is removed: it may be of other sources.
    """
    file = packages / RECORD
    if not reason:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("so", "pyd"):
        for stale in file.parent.glob(f"accelerator*.{suffix}"):
            stale.unlink()
    file.write_text(reason + "\n", encoding="utf-8")


@contextmanager
def overheard(lines: list[str]) -> Iterator[None]:
    """Add what is written to standard error to *lines*, and pass it on at the end."""
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)  # the compiler is another process
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)
            said.seek(0)
            text = said.read()
            os.write(2, text)
            lines += text.decode(errors="replace").splitlines()


def failure(error: Exception, lines: list[str]) -> str:
    """Return why a build failed, in one line: with the first error told, if any."""
    why = " ".join(str(error).split())
    if len(why) > 120:  # it may be the whole command
        why = f"{why[:50]} … {why[-50:]}"
    told = [line.strip() for line in lines if "error" in line.lower()]
    return f"{why}: {told[0][:200]}" if told else why


class BuildPackage(build_py):
    """Build what is Python, and say so if that is to be all."""

    def run(self) -> None:
        """Build; without an accelerator record why there is none."""
        super().run()
        if choice == "skip":
            packages = HERE / "src" if self.editable_mode else Path(self.build_lib)
            record(packages, f"{VARIABLE}=skip was set when it was built")


class BuildAccelerator(build_ext):
    """Build the accelerator, or go on without it where that is allowed."""

    failed = ""

    def run(self) -> None:
        """Build, and record why there is no accelerator or that there is one."""
        super().run()
        record(HERE / "src" if self.inplace else Path(self.build_lib), self.failed)

    def build_extensions(self) -> None:
        """Build, now that the compiler is chosen: on Windows there is more than one."""
        for extension in self.extensions:
            extension.extra_compile_args = compile_arguments(
                self.compiler.compiler_type
            )
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Build; under ``auto`` a failure is told and leaves a pure package."""
        lines: list[str] = []
        try:
            with overheard(lines):
                super().build_extension(extension)
        except Exception as error:
            # Whatever a missing or broken compiler raises.
            if choice == "require":
                announce(f"the native accelerator cannot be built: {error}")
                raise
            announce(
                f"building WITHOUT the native accelerator: {error}; the package works, "
                f"in pure Python (set {VARIABLE}=require to make this an error)"
            )
            self.extensions.remove(extension)
            self.failed = f"building it failed: {failure(error, lines)}"
        else:
            announce("the native accelerator was built")

    def copy_extensions_to_source(self) -> None:
        """Copy what was built, which may be nothing."""
        self.extensions = [
            extension
            for extension in self.extensions
            if Path(self.build_lib, self.get_ext_filename(extension.name)).exists()
        ]
        super().copy_extensions_to_source()


class Wheel(bdist_wheel):
    """A wheel for this version and later ones, or for every platform if it is pure."""

    def finalize_options(self) -> None:
        """Name the stable ABI that the accelerator needs."""
        if choice != "skip" and not FREE_THREADED:
            self.py_limited_api = "cp{}{}".format(*OLDEST)
        super().finalize_options()

    def get_tag(self) -> tuple[str, str, str]:
        """Return the wheel's tags; it is asked for when all else is built."""
        if self.distribution.get_command_obj("build_ext").extensions:
            return super().get_tag()
        self.root_is_pure = True
        return ("py3", "none", "any")


if choice == "skip":
    announce(f"building without the native accelerator, as {VARIABLE}=skip says")
    setup(cmdclass={"build_py": BuildPackage})
else:
    setup(
        ext_modules=[accelerator()],
        cmdclass={"build_ext": BuildAccelerator, "bdist_wheel": Wheel},
    )
