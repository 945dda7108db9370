"""The figures of reports, each made from a result as ``--json`` prints it."""
