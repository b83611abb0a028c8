"""Players that search, and what they search with."""
