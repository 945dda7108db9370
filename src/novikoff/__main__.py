"""``python -m novikoff``, and the command ``novikoff``."""

import sys


def main() -> None:
    """The program; most of its start is imports."""
    try:
        from .cli.interrupts import end_at_once

        end_at_once()
    except KeyboardInterrupt:  # within the first milliseconds
        sys.exit(130)
    from .cli.main import main as run

    run()


if __name__ == "__main__":
    main()
