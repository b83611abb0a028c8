"""Gaigel: the Swabian game with a double pack, for three, four or six."""

from functools import partial

from envs.core.game import Game
from envs.games.gaigel.play import ACTIONS, STATE, apply, begin_match, deal, legal, ranges
from envs.games.gaigel.rules import PACK
from envs.games.gaigel.rules import GaigelRules as Rules
from envs.games.gaigel.table import roles, set_match, table_text
from envs.games.gaigel.views import HISTORY, PERFECT, SUMMARY, redact, resample


def make_game(env_id: str, rules: Rules) -> Game:
    return Game(
        env_id=env_id,
        rules=rules,
        sides=rules.sides,
        actions=ACTIONS,
        pack=PACK,
        deck=tuple(name for name in PACK.names for _ in range(2)),
        state=STATE,
        ranges=ranges(rules.players),
        begin_match=begin_match,
        deal=deal,
        legal=legal,
        apply=apply,
        redact=redact,
        resample=resample,
        encodings={"summary": SUMMARY[rules.players], "history": HISTORY[rules.players]},
        perfect=PERFECT[rules.players],
        set_match=set_match,
        table_text=table_text,
        roles=partial(roles, rules.players),
    )
