"""Gaigel: the Swabian game with a double pack, for three, four or six."""

from functools import partial

from stichwerk.envs.core.game import Game
from stichwerk.envs.games.gaigel.play import apply, deal, legal
from stichwerk.envs.games.gaigel.rules import PACK
from stichwerk.envs.games.gaigel.rules import GaigelRules as Rules
from stichwerk.envs.games.gaigel.scoring import begin_match
from stichwerk.envs.games.gaigel.state import ACTIONS, STATE, ranges
from stichwerk.envs.games.gaigel.table import roles, set_match, table_text
from stichwerk.envs.games.gaigel.views import HISTORY, PERFECT, SUMMARY, redact, resample


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
