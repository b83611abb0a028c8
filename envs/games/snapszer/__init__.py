"""Snapszer: the Hungarian game for four with a called, hidden partner."""

from stichwerk.envs.core.game import Game
from stichwerk.envs.games.snapszer.play import ACTIONS, RANGES, SEATS, STATE, apply, begin_match, deal, legal
from stichwerk.envs.games.snapszer.rules import PACK
from stichwerk.envs.games.snapszer.rules import SnapszerRules as Rules
from stichwerk.envs.games.snapszer.table import roles, set_match, table_text
from stichwerk.envs.games.snapszer.views import HISTORY, PERFECT, SUMMARY, redact, resample


def make_game(env_id: str, rules: Rules) -> Game:
    return Game(
        env_id=env_id,
        rules=rules,
        sides=tuple(range(SEATS)),
        actions=ACTIONS,
        pack=PACK,
        deck=PACK.names,
        state=STATE,
        ranges=RANGES,
        begin_match=begin_match,
        deal=deal,
        legal=legal,
        apply=apply,
        redact=redact,
        resample=resample,
        encodings={"summary": SUMMARY, "history": HISTORY},
        perfect=PERFECT,
        set_match=set_match,
        table_text=table_text,
        roles=roles,
    )
