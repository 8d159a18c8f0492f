"""``hexary backends``: which keccak runs here, and why the others do not."""

from __future__ import annotations

import json

import click

from hexary import hash as hashing

__all__ = ["command"]


@click.command("backends")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(as_json: bool) -> None:
    """
    Show the keccak backends, in the order in which they are tried.

    Every one is loaded and has to hash known messages. HEXARY_BACKEND in the
    environment forces one of them; unset or auto takes the first that works.
    """
    reports = hashing.probe_backends()
    if as_json:
        click.echo(json.dumps([report._asdict() for report in reports], indent=2))
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hexary.cli.terminal import Printer

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in ("backend", "", "version", "self-test", "detail"):
        table.add_column(title, overflow="fold")
    for report in reports:
        state = "in use" if report.in_use else "usable" if report.usable else "unusable"
        why = f"{report.reason}; to fix it, {report.remedy}"
        table.add_row(
            report.name,
            state,
            report.version or "-",
            report.self_test,
            report.detail if report.usable else why,
            style="bold" if report.in_use else None,
        )
    Printer().table(table)
