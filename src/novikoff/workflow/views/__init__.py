"""Results as people see them: sections of sentences and tables, as text, as a page, in a notebook."""
