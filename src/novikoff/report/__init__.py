"""Results in words: a result as a plain document goes in; text, HTML or a notebook's view comes out.  Imports nothing of the package."""
