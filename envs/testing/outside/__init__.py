"""Checks of environments that are not the suite's: of PettingZoo's interface and OpenSpiel's, and of RLCard's
by an adapter. They need nothing but these interfaces, and play at random from a seed."""
