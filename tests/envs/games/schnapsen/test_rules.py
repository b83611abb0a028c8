"""The presets and options are those of the rules page."""

from dataclasses import fields

import pytest

from stichwerk.envs.games.schnapsen.options import SchnapsenRules

# Each option under each preset; what all presets share stands in the last rows once.
COLUMNS = (
    "schnapsen",
    "schnapsen_tournament",
    "schnapsen_vu",
    "sixty_six",
    "sixty_six_german",
    "sixty_six_bulgarian",
    "sixty_six_greek",
)
PAGE = """
nines                 | False      | False     | False     | True        | True            | True    | True
memory                | full       | table     | full      | table       | full            | full    | full
first_lead_melds      | True       | False     | True      | True        | True            | True    | True
king_leads_marriage   | False      | True      | True      | False       | False           | False   | False
min_stock             | 1          | 3         | 1         | 1           | 1               | 1       | 1
score_at              | close      | close     | close     | end         | end             | end     | end
next_dealer           | alternate  | alternate | alternate | loser       | winner          | winner  | winner
must_head             | True       | True      | True      | True        | True            | False   | False
meld_phase            | always     | always    | always    | open_only   | not_after_close | always  | always
last_trick            | wins       | wins      | wins      | ten         | ten             | ten     | ten
exchange_window       | on_lead    | on_lead   | on_lead   | after_trick | on_lead         | on_lead | on_lead
close_window          | on_lead    | on_lead   | never     | either      | on_lead         | on_lead | on_lead
claim_window          | on_lead    | on_lead   | on_lead   | after_trick | on_lead         | on_lead | on_lead
schneider_max         | 32         | 32        | 32        | 33          | 32              | 32      | 32
claims                | free       | free      | auto      | free        | free            | free    | free
first_marriage_counts | any_later_trick
marriages_count       | at_once    | at_once   | next_trick | at_once    | at_once         | at_once | at_once
unclaimed             | flat1
target                | 7
pack                  | None
hand_size             | None
goal                  | 66
"""


@pytest.mark.parametrize("preset", COLUMNS)
def test_preset(preset):
    rows = [[cell.strip() for cell in line.split("|")] for line in PAGE.strip().splitlines()]
    page = {name: values[COLUMNS.index(preset) if len(values) > 1 else 0] for name, *values in rows}
    rules = SchnapsenRules.make(preset, preset)
    assert {name: str(value) for name, value in rules.as_dict().items()} == page


def test_no_other_presets():
    assert tuple(SchnapsenRules.PRESETS) == COLUMNS


@pytest.mark.parametrize(
    ("options", "size", "in_hand"),
    [
        ({}, 20, 5),
        ({"nines": True}, 24, 6),
        ({"nines": True, "hand_size": 5}, 24, 5),
        ({"hand_size": 6}, 20, 6),
    ],
)
def test_sizes(options, size, in_hand):
    rules = SchnapsenRules(**options)
    assert (len(rules.deck), rules.in_hand) == (size, in_hand)


@pytest.mark.parametrize("option", fields(SchnapsenRules), ids=lambda option: option.name)
def test_every_option_says_what_it_means_and_where_it_is_from(option):
    assert option.metadata["meaning"]
    assert option.metadata["source"]
