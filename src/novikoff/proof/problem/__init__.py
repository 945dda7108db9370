"""What is to be decided: the vectors of rows and rival classes."""
