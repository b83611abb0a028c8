"""The deals of tables as records: for those who play, and in a file."""
