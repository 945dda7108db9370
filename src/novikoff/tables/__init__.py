"""What can be asked of a table, one file each: what is asked, what is done, the result."""
