"""Equilibria of public states of Schnapsen and Sixty-six: what perfect play is where cards are still hidden.

solve_equilibrium(game, state)     the value, both strategies by hand, and the gap that is left

A public state is what both seats know. It is solved for all hands that it allows at once.
"""

from stichwerk.agents.equilibrium.solve import Decision, Equilibrium, solve_equilibrium

__all__ = ["Decision", "Equilibrium", "solve_equilibrium"]
