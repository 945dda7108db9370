"""The figures of reports, each made from a result as a document."""
