"""The same loop in dual form: weights known by the rows that span them, and rows by a kernel."""
