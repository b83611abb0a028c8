"""Statistics of results: tallies, intervals, sequential tests, ratings, best responses."""
