"""Schnapsen and Sixty-six: two players, one engine, many national rules."""

from stichwerk.envs.core.game import Game
from stichwerk.envs.games.schnapsen.play import ACTIONS, RANGES, STATE, apply, begin_match, deal, legal
from stichwerk.envs.games.schnapsen.rules import PACK
from stichwerk.envs.games.schnapsen.rules import SchnapsenRules as Rules
from stichwerk.envs.games.schnapsen.table import set_match, table_text
from stichwerk.envs.games.schnapsen.views import HISTORY, PERFECT, SUMMARY, redact, resample


def make_game(env_id: str, rules: Rules) -> Game:
    return Game(
        env_id=env_id,
        rules=rules,
        sides=(0, 1),
        actions=ACTIONS,
        pack=PACK,
        deck=rules.cards,
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
    )
