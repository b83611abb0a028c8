"""The vocabulary of a rule author: cards, tricks, seats, deals, the log, random numbers, texts."""
