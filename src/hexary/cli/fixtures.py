"""``hexary fixtures``: download public releases of fixtures, and list them."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hexary.fixtures.release import Release

__all__ = ["command"]

_SUM = re.compile("[0-9a-fA-F]{64}")


@click.group("fixtures", short_help="Download public fixtures, and list them.")
def command() -> None:
    """Download public releases of fixtures into the user's cache, and list them."""


@command.command("list", short_help="List the releases that are known.")
def list_releases() -> int:
    """
    List the releases that are known, and where those are that were downloaded.

    Others are fetched by their tag, as eest@TAG or ethereum-tests@TAG.
    """
    from hexary.fixtures.download import cache_folder
    from hexary.fixtures.release import PINNED

    folder = cache_folder()
    for release in PINNED:
        path = os.path.join(folder, release.place)
        state = path if os.path.exists(path) else "not downloaded"
        told = "" if release.sha256 else " (no pinned sum)"
        click.echo(f"{release.name} {release.file}{told}: {state}")
    return 0


@command.command("fetch", short_help="Download a release, checked.")
@click.argument("name", metavar="RELEASE")
@click.option("--file", default="", metavar="NAME", help="Which file of the release.")
@click.option(
    "--sha256", default="", metavar="HEX", help="The sum that the file has to have."
)
@click.option("--no-checksum", is_flag=True, help="Take the file whatever its sum.")
def fetch(name: str, *, file: str, sha256: str, no_checksum: bool) -> int:
    """
    Download a release and print where it is; hexary verify reads it there.

    RELEASE is eest or ethereum-tests, for what is pinned, or one of them with @TAG.
    A download that stopped is resumed. The file has to have the sum that is given,
    else the pinned one, else the one it had before, else the one GitHub keeps of it.
    Where nobody knows one it is taken as it comes, and its sum is printed and
    remembered.
    """
    from hexary.fixtures.download import cache_folder, download, remembered_sha256
    from hexary.fixtures.release import release_named

    if sha256 and not _SUM.fullmatch(sha256):
        raise click.BadParameter("must be 64 hex digits", param_hint="--sha256")
    if sha256 and no_checksum:
        raise click.UsageError("--sha256 and --no-checksum exclude each other")
    release = release_named(name, file=file)
    path = os.path.join(cache_folder(), release.place)
    expected, origin = sha256, "as given"
    if not expected and not no_checksum:
        expected, origin = release.sha256, "as pinned"
    if not expected and not no_checksum:
        expected, origin = remembered_sha256(path), "as remembered"
    if not expected and not no_checksum:
        expected, origin = _published(release), "as published"
    if not expected:
        origin = "not compared, since nobody knows it; remembered from now on"
        if no_checksum:
            origin = "not compared, as asked; remembered from now on"
    show = _show if sys.stderr.isatty() else None
    found = download(
        release.url, path, sha256=expected, mirrors=release.mirrors, on_progress=show
    )
    if show is not None:
        click.echo(err=True)
    click.echo(f"sha256 {found}, {origin}", err=True)
    click.echo(path)
    return 0


def _published(release: Release) -> str:
    """
    Return the sum that GitHub keeps of a file, ``""`` if it keeps none.

    Of what has a mirror it need not even know the file.
    """
    from hexary.errors import FixtureError
    from hexary.fixtures.download import published_sha256

    try:
        return published_sha256(release)
    except FixtureError as error:
        if not release.mirrors:
            raise
        click.echo(f"GitHub tells no sum: {error}", err=True)
        return ""


def _show(done: int, total: int) -> None:
    """Show how far a download is."""
    share = f" of {total / 1e6:,.1f}" if total else ""
    click.echo(f"\r{done / 1e6:,.1f}{share} MB", err=True, nl=False)
