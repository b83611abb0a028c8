"""What every game stands on: cards, tricks, random numbers, rule options, encodings and compiled loops."""
