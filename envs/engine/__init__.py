"""The engine of all games: one state, many states side by side, copies, set deals, deals played again."""
