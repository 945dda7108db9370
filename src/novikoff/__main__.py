"""``python -m novikoff``: the command line."""

from .cli.main import main

main()
