"""What the command line adds to views of results: standard output, JSON, bars, files of pictures."""
