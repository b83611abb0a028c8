"""What runs any game: one state, many states side by side, copies, set deals, deals played again."""
