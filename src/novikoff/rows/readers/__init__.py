"""Files of any format as blocks of rows."""
