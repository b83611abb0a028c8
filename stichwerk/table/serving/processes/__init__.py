"""The processes beside the one that serves: one compiles what tables need, another takes over the tables."""
