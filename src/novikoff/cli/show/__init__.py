"""Results as people see them: on the terminal, as a page, as JSON."""
