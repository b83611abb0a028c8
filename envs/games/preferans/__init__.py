"""Balkan Preferans: an auction, hand games, defenders who come or stay out, kontra, and the score sheet."""

from pathlib import Path

from stichwerk.envs.games.preferans.features import HISTORY, PERFECT, RULES, SUMMARY
from stichwerk.envs.games.preferans.flow import apply, begin_match, deal, draw_start, legal
from stichwerk.envs.games.preferans.hidden import redact, resample
from stichwerk.envs.games.preferans.options import PreferansRules
from stichwerk.envs.games.preferans.scene import scene
from stichwerk.envs.games.preferans.scoring import stakes
from stichwerk.envs.games.preferans.state import ACTIONS, STATE
from stichwerk.envs.games.preferans.text import (
    ACTION_WORDS,
    RULES_TEXT,
    account,
    match_of,
    roles,
    set_match,
    text,
)
from stichwerk.envs.games.preferans.words import VERBS, why_not
from stichwerk.envs.spec.game import GameSpec
from stichwerk.support.language import mark

GAME = GameSpec(
    env_ids={"preferans_v0": "source"},
    title=mark("Balkan Preferans"),
    other_names={"preferans_v0": ("Preferans", "Preference", "Преферанс")},
    rules=PreferansRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    resample=resample,
    encodings={"summary": SUMMARY, "history": HISTORY, "rules": RULES},
    perfect=PERFECT,
    set_match=set_match,
    match_of=match_of,
    text=text,
    rules_text=RULES_TEXT,
    verbs=VERBS,
    why_not=why_not,
    account=account,
    scene=scene,
    stakes=stakes,
    exercises=Path(__file__).with_name("exercises.yaml"),
    begin_match=begin_match,
    redact=redact,
    draw_start=draw_start,
    suits_ranked=True,
    roles=roles,
    action_words=ACTION_WORDS,
)
