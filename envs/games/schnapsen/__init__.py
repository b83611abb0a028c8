"""Schnapsen and Sixty-six: two players, one engine, many national rules."""

from pathlib import Path

from stichwerk.envs.games.schnapsen.features import HISTORY, PERFECT, RULES, SUMMARY
from stichwerk.envs.games.schnapsen.flow import apply, deal, legal
from stichwerk.envs.games.schnapsen.hidden import resample
from stichwerk.envs.games.schnapsen.match import SCORING, draw_start
from stichwerk.envs.games.schnapsen.options import SchnapsenRules
from stichwerk.envs.games.schnapsen.scene import scene
from stichwerk.envs.games.schnapsen.scoring import stakes
from stichwerk.envs.games.schnapsen.state import ACTIONS, STATE
from stichwerk.envs.games.schnapsen.text import RULES_TEXT, account, puzzle_kind, text
from stichwerk.envs.games.schnapsen.words import VERBS, why_not
from stichwerk.envs.spec.game import GameSpec
from stichwerk.support.language import mark

GAME = GameSpec(
    env_ids={"schnapsen_v0": "schnapsen", "sixty_six_v0": "sixty_six"},
    title="Schnapsen and Sixty-six",
    titles={"schnapsen_v0": mark("Schnapsen"), "sixty_six_v0": mark("Sixty-six")},
    other_names={"sixty_six_v0": ("66", "Sechsundsechzig")},
    rules=SchnapsenRules,
    actions=ACTIONS,
    state=STATE,
    deal=deal,
    legal=legal,
    apply=apply,
    resample=resample,
    encodings={"summary": SUMMARY, "history": HISTORY, "rules": RULES},
    perfect=PERFECT,
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
)
