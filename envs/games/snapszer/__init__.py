"""Snapszer: the Hungarian game for four with a called, hidden partner."""

from pathlib import Path

from stichwerk.envs.games.snapszer.features import HISTORY, PERFECT, SUMMARY
from stichwerk.envs.games.snapszer.flow import apply, deal, legal
from stichwerk.envs.games.snapszer.hidden import redact, resample
from stichwerk.envs.games.snapszer.match import SCORING, draw_start
from stichwerk.envs.games.snapszer.options import SnapszerRules
from stichwerk.envs.games.snapszer.scene import scene
from stichwerk.envs.games.snapszer.scoring import stakes
from stichwerk.envs.games.snapszer.state import ACTIONS, STATE
from stichwerk.envs.games.snapszer.text import RULES_TEXT, account, match_of, roles, set_match, text
from stichwerk.envs.games.snapszer.words import VERBS, why_not
from stichwerk.envs.spec.game import GameSpec
from stichwerk.support.language import mark

GAME = GameSpec(
    env_ids={"snapszer_v0": "snapszer"},
    title=mark("Snapszer"),
    rules=SnapszerRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    redact=redact,
    resample=resample,
    encodings={"summary": SUMMARY, "history": HISTORY},
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
    roles=roles,
)
