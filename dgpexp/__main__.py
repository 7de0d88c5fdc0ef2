"""`dgpexp`, and `python -m dgpexp`."""

import sys


def main() -> None:
    """The command line; a Ctrl-C while it is being imported is one too."""
    try:
        from dgpexp.cli.main import main as command_line
    except KeyboardInterrupt:
        print("dgpexp: interrupted.", file=sys.stderr)
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
