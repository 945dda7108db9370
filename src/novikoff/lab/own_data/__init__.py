"""My data: a file of the user's in the lab, with what the table functions say of it."""
