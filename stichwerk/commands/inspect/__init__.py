"""Look into the play of an agent: the actions that it chooses, or the decisions that cost it points."""
