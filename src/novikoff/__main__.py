"""``python -m novikoff``, and the command ``novikoff``."""

import sys


def main() -> None:
    """The program; most of its start is imports."""
    try:
        from .cli.process import end_at_once  # Ctrl-C is heard from here on, also within imports

        end_at_once()
    except KeyboardInterrupt:  # within the first milliseconds
        sys.exit(130)
    from .cli.main import main as run  # likewise

    run()


if __name__ == "__main__":
    main()
