"""What every game stands on: cards, tricks, random numbers, rule options, state fields, encodings and
compiled loops."""
