"""From files to a model and everything that is said of it, for a command, a page, or Python."""
