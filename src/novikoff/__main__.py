"""``python -m novikoff``, and the command ``novikoff``."""

import sys


def main() -> None:
    """The program.  Ctrl-C ends it in words, while it imports what it needs, too."""
    try:
        from .cli.main import main as run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("novikoff: interrupted. Nothing was written.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
