"""``hexary fixtures``: download public releases of fixtures, and list them."""

from __future__ import annotations

import os
import re
import sys

import click

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
@click.option(
    "--no-checksum", is_flag=True, help="Take the file if nobody tells its sum."
)
def fetch(name: str, *, file: str, sha256: str, no_checksum: bool) -> int:
    """
    Download a release and print where it is; hexary verify reads it there.

    RELEASE is eest or ethereum-tests, for what is pinned, or one of them with @TAG.
    A download that stopped is resumed. The sum is the pinned one, or the one given, or
    what GitHub keeps of the file.
    """
    from hexary.fixtures.download import cache_folder, download, published_sha256
    from hexary.fixtures.release import release_named

    if sha256 and not _SUM.fullmatch(sha256):
        raise click.BadParameter("must be 64 hex digits", param_hint="--sha256")
    release = release_named(name, file=file)
    expected = sha256 or release.sha256 or ("" if no_checksum else None)
    if expected is None:
        expected = published_sha256(release) if release.is_asset else ""
        if not expected:
            raise click.UsageError(
                "nobody tells the sum of this file: give --sha256, or --no-checksum"
            )
    path = os.path.join(cache_folder(), release.place)
    show = _show if sys.stderr.isatty() else None
    found = download(release.url, path, sha256=expected, on_progress=show)
    if show is not None:
        click.echo(err=True)
    click.echo(f"sha256 {found}", err=True)
    click.echo(path)
    return 0


def _show(done: int, total: int) -> None:
    """Show how far a download is."""
    share = f" of {total / 1e6:,.1f}" if total else ""
    click.echo(f"\r{done / 1e6:,.1f}{share} MB", err=True, nl=False)
