"""The checks of OpenSpiel's games: sound games pass, and leaks are found."""

import numpy as np
import pytest

pytest.importorskip("pyspiel")

from stichwerk.envs.openspiel import SpielObserver, SpielState
from stichwerk.envs.testing.outside.spiel import check_spiel
from stichwerk.support.errors import InputError

SMALL = "schnapsen(pack=sA sK sQ hA hK hQ dA dK dQ cA,hand_size=2,goal=20)"


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_sound_games_pass(game):
    report = check_spiel(game, episodes=30, seconds=2)
    assert not report.findings
    assert all(report.looked_at[name] for name in ("copies", "hidden cards", "samples", "returns", "chance"))


def test_the_suites_own_games_pass():
    report = check_spiel(SMALL, episodes=1, seconds=5)
    assert not report.findings
    assert report.looked_at["hidden cards"] > 2
    assert report.looked_at["samples"] > 2


def test_rewards_before_a_chance_node_count_once():
    """Games of solitaire give those of the last card there, and once more when the next one is turned."""
    report = check_spiel("solitaire", episodes=3, seconds=2)
    assert report.looked_at["returns"]
    assert not report.findings


def test_a_tensor_that_tells_hidden_cards_is_found(monkeypatch):
    """The words do not: they are what worlds are told by."""
    honest = SpielObserver.set_from

    def leaky(self, state, player):
        honest(self, state, player)
        if state.record:
            self.tensor[-1] = np.float32(sum(place * card for place, card in enumerate(state.deck)))

    monkeypatch.setattr(SpielObserver, "set_from", leaky)
    report = check_spiel(SMALL, episodes=1, seconds=1)
    assert {each.check for each in report.findings} >= {"hidden cards", "samples"}


def test_samples_that_are_the_true_state_are_found(monkeypatch):
    monkeypatch.setattr(SpielState, "resample_from_infostate", lambda self, player, draw: self.clone())
    report = check_spiel(SMALL, episodes=1, seconds=1)
    assert any("are the true state" in each.says for each in report.findings)


def test_games_without_turns_are_refused():
    with pytest.raises(InputError, match="at the same time"):
        check_spiel("matrix_rps")
