"""Actions and their names."""

import copy
import pickle

import pytest

from stichwerk.envs.core.actions import Action, card_actions, check_actions, number_actions, suit_actions
from stichwerk.envs.core.cards import Pack

PACK = Pack("ATKQJ9")


def test_names_are_derived():
    assert Action("pass") == "pass"
    assert card_actions("play", ["hA", "c9"]) == ["play hA", "play c9"]
    assert suit_actions("meld") == ["meld s", "meld h", "meld d", "meld c"]
    assert number_actions("bid", range(2, 4)) == ["bid 2", "bid 3"]
    action = Action("play", card="hA")
    assert (action.verb, action.card, action.suit, action.number) == ("play", "hA", None, None)


def test_an_action_has_one_object():
    with pytest.raises(ValueError, match="got hA and 2; expected one card, suit or number"):
        Action("play", card="hA", number=2)


def test_suits_are_renamed():
    assert Action("play", card="hA").in_suits("hsdc") == "play sA"
    assert Action("call", suit="d").in_suits("shcd") == "call c"
    for unsuited in (Action("pass"), Action("bid", number=2)):
        assert unsuited.in_suits("cdhs") == unsuited


def test_actions_cannot_be_changed():
    action = Action("call", suit="s")
    with pytest.raises(TypeError, match="got a change of suit; expected none"):
        action.suit = "h"
    with pytest.raises(TypeError, match="got a change of verb; expected none"):
        del action.verb


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_keep_their_parts(copied):
    for action in (Action("play", card="hA"), Action("bid", number=3), Action("pass")):
        twin = copied(action)
        assert (twin, twin.verb, twin.card, twin.number) == (action, action.verb, action.card, action.number)


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        (["play hA"], "got 'play hA'; expected actions made by `Action`"),
        ([Action("play hA")], "has hA in its verb"),
        ([Action("call s")], "has s in its verb"),
        ([Action("play", card="h7")], "this pack has sA"),
        ([Action("call", suit="x")], "got suit 'x'; expected s, h, d, c"),
        ([Action("pass"), Action("pass")], "'pass' occurs twice"),
    ],
)
def test_wrong_actions(actions, says):
    with pytest.raises(ValueError, match="action") as refusal:
        check_actions(actions, PACK)
    assert says in str(refusal.value)


def test_right_actions():
    check_actions([Action("pass"), *card_actions("play", PACK.names), *suit_actions("call")], PACK)
