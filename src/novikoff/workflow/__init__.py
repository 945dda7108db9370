"""From files to a model and everything that is said of it, whoever asks: a command, a page, or Python."""
