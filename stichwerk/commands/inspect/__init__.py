"""Look into play: the actions an agent takes, the decisions that cost it, the equilibrium of a position."""
