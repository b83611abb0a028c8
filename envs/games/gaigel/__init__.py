"""Gaigel: the Swabian game with a double pack, for three, four or six."""

from pathlib import Path

from stichwerk.envs.games.gaigel.features import HISTORY, PERFECT, RULES, SUMMARY
from stichwerk.envs.games.gaigel.flow import apply, deal, legal
from stichwerk.envs.games.gaigel.hidden import leaves_out, redact, resample
from stichwerk.envs.games.gaigel.match import SCORING, draw_start
from stichwerk.envs.games.gaigel.options import GaigelRules
from stichwerk.envs.games.gaigel.scene import scene
from stichwerk.envs.games.gaigel.scoring import begin_match, stakes
from stichwerk.envs.games.gaigel.state import ACTIONS, STATE
from stichwerk.envs.games.gaigel.text import (
    ACTION_WORDS,
    RULES_TEXT,
    account,
    match_of,
    puzzle_kind,
    roles,
    set_match,
    text,
)
from stichwerk.envs.games.gaigel.words import VERBS, why_not
from stichwerk.envs.spec.game import GameSpec
from stichwerk.support.language import mark

GAME = GameSpec(
    env_ids={"gaigel_v0": "source"},
    title=mark("Gaigel"),
    rules=GaigelRules,
    actions=ACTIONS,
    state=STATE,
    begin_match=begin_match,
    deal=deal,
    legal=legal,
    apply=apply,
    redact=redact,
    leaves_out=leaves_out,
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
    draw_start=draw_start,
    scoring=SCORING,
    stakes=stakes,
    exercises=Path(__file__).with_name("exercises.yaml"),
    card_points="points",
    puzzle_kind=puzzle_kind,
    roles=roles,
    action_words=ACTION_WORDS,
)
