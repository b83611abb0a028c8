"""Balkan Preferans: an auction, hand games, two discards, defenders who come or stay out, kontra, and the score sheet."""

from functools import partial

from stichwerk.envs.core.game import Game
from stichwerk.envs.games.preferans.play import apply, begin_match, begin_situation, deal, legal
from stichwerk.envs.games.preferans.rules import PACK
from stichwerk.envs.games.preferans.rules import PreferansRules as Rules
from stichwerk.envs.games.preferans.state import ACTIONS, RANGES, STATE
from stichwerk.envs.games.preferans.table import roles, set_match, table_text
from stichwerk.envs.games.preferans.views import HISTORY, PERFECT, SUMMARY, redact, resample


def make_game(env_id: str, rules: Rules) -> Game:
    return Game(
        env_id=env_id,
        rules=rules,
        sides=tuple(range(rules.players)),
        actions=ACTIONS,
        pack=PACK,
        deck=PACK.names,
        state=STATE,
        ranges=RANGES[rules.players],
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
        begin_situation=begin_situation,
        suits_ranked=True,
        roles=partial(roles, rules.players),
    )
