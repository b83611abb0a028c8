"""Portable Preferans Notation, github.com/prefko/portable-preferans-notation, for Preferans of three players.

A file has tags, such as `[Bula 60]`, then a line in brackets for each deal of the match: number, order of
dealing, cards, highest bids, declarer, discards, contract, who defends, doublings, refa, value, first leader,
tricks and summary. Players are 1, 2, 3 for seats 0, 1, 2. Where a deal ends before its cards are played, what
is not known then is left out.

The notation has no place for offers (`trick_offer`), nor for a plain igra that names betl among several
(`igra_may_declare_notrump`): such deals are refused. Three tags are ours: `Rules`, options that differ from
the default preset; `Match`, the score sheet before the first deal if it is not empty; and `Invited`, deals in
which a lone defender took the other along and then doubled, which changes no score. `Result` is the player's
standing.

Source: the page of the notation; docs/rules/preferans.md for the rules.
"""

from stichwerk.envs.bridges.ppn.reading import PpnDeal as PpnDeal
from stichwerk.envs.bridges.ppn.reading import read_ppn as read_ppn
from stichwerk.envs.bridges.ppn.writing import write_ppn as write_ppn
