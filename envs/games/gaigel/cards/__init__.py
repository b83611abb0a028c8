"""The cards of Gaigel: sets of a double pack, hands, and tricks."""
