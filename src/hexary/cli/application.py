"""
The command with its subcommands, and what becomes of an error that reaches the top.

A subcommand is imported when it is asked for, so ``hexary keccak`` loads neither the
verifier nor the table printer.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from hexary.cli.streams import OUTPUT, drop_output, escaped, prepare_streams, tell
from hexary.errors import HexaryError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["application", "main"]

_COMMANDS = {
    "verify": "hexary.cli.verify",
    "fixtures": "hexary.cli.fixtures",
    "root": "hexary.cli.root",
    "diff": "hexary.cli.diff",
    "state": "hexary.cli.state",
    "trie": "hexary.cli.trie",
    "keccak": "hexary.cli.keccak",
    "rlp": "hexary.cli.rlp",
    "proof": "hexary.cli.proof",
    "tx": "hexary.cli.tx",
    "block": "hexary.cli.block",
    "header": "hexary.cli.header",
    "backends": "hexary.cli.backends",
}
"""Name of each subcommand, in the order of the help, → the module that has it."""

_FAULT = 2
"""Exit code where the input or the call is at fault."""

_DEFECT = 70
"""Exit code for a defect of hexary (EX_SOFTWARE of sysexits.h)."""

_INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of SIGINT."""

_BROKEN_PIPE = 141
"""Exit code after the reader of the output went away: 128 and SIGPIPE."""


class _LazyGroup(click.Group):
    """A group that imports a subcommand when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it
        """Return the names in the order of the help."""
        return list(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click calls it
        cmd_name: str,
    ) -> click.Command | None:
        """Import a subcommand."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a subcommand; of a name that there is not, tell which are like it."""
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            # click compares with commands that it has loaded, and here has none.
            from difflib import get_close_matches

            alike = get_close_matches(name, _COMMANDS)
            nearest = f" Did you mean {' or '.join(alike)}?" if alike else ""
            raise click.UsageError(f"No such command {name!r}.{nearest}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(
    import_module("hexary").__version__, "-V", "--version", message="hexary %(version)s"
)
def application() -> None:
    """
    Ethereum tries, RLP and keccak: verify fixtures, compute roots and hashes,
    decode transactions and blocks.

    Exit codes: 0 done, 1 a check failed, 2 the input or the call is at fault.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command line and return its exit code; no error leaves a traceback.

    Args:
        arguments: what follows the command's name, ``sys.argv[1:]`` by default.
    """
    prepare_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes stdout once more at exit, which must not fail again.
        drop_output(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return _BROKEN_PIPE
        tell(f"error: {OUTPUT}: {error.strerror}")
        return _FAULT
    return code


def _run(given: list[str]) -> int:
    """Run the command line; turn every error but those of output into an exit code."""
    try:
        with application.make_context("hexary", given) as context:
            code = application.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except HexaryError as error:
        tell(f"error: {error}")
        return _FAULT
    except (KeyboardInterrupt, click.Abort):
        tell("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename == OUTPUT:
            raise
        place = f"{escaped(os.fsdecode(error.filename))}: " if error.filename else ""
        tell(f"error: {place}{error.strerror or error}")
        return _FAULT
    except MemoryError:
        tell("error: there is not enough memory for this input")
        return _FAULT
    # A user has no use for a traceback; what is left here is a defect of hexary.
    except Exception as error:
        if os.environ.get("HEXARY_TRACEBACK"):
            raise
        where = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        tell(
            f"internal error: {type(error).__name__}: {escaped(str(error))}{where}\n"
            "This is a defect of hexary. Set HEXARY_TRACEBACK=1 to see where."
        )
        return _DEFECT
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> None:
    """Tell an error of the call, as click does, but on lines that no name can forge."""
    told = error
    # The help of a group that was called without a subcommand is our own text.
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        told = click.UsageError(
            escaped(error.format_message()), ctx=getattr(error, "ctx", None)
        )
    try:
        told.show()
    except OSError:
        drop_output(sys.stderr)
