"""Policy networks: layers and weights, suits renamed around them, and how actions are picked by scores."""
