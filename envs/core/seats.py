"""Seats counted round the table, without divisions, as every observation asks for many. `rules` have
`players`."""

from stichwerk.envs.jit.compiled import compiled


@compiled
def wrapped(rules, number):
    """A seat counted past the last one, less than once round the table: the number modulo players."""
    return number - rules.players if number >= rules.players else number


@compiled
def turns_after(rules, first, seat):
    """The number of turns from the first seat to this one."""
    return seat - first + (rules.players if seat < first else 0)
