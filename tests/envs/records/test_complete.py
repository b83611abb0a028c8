"""Deals completed from what is known of them: all that is given holds, and the rest differs by the seed."""

import random
from dataclasses import replace

import pytest

from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.records.complete import PartialDeal, complete
from stichwerk.envs.records.deal import DealRecord
from stichwerk.envs.records.replay import RecordReplay, hidden_moves
from stichwerk.envs.spec.game import Game
from stichwerk.envs.spec.scene import SPECTATOR
from stichwerk.support.errors import InputError
from tests.envs.support import choose, each_variant, over, refused

SCHNAPSEN = make_game("schnapsen_v0")


def held(game: Game, deal: DealRecord) -> tuple[int, tuple[str, ...]]:
    """The seat to act at the end of a record, and its cards."""
    states = RecordReplay(game).check(deal)
    hands = {hand.seat: hand.cards for hand in game.scene(states, SPECTATOR).hands}
    return int(states[0].seat), hands[int(states[0].seat)]


def somewhere(env: CardGameEnv, seed: int, moves: int) -> DealRecord | None:
    """A deal after so many random moves; None if it was over before."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    for _ in range(moves):
        if over(env):
            return None
        env.step(choose(env, rng))
    return None if over(env) else env.deals()[-1]


@each_variant
def test_what_is_given_holds(variant):
    """The actions, the seat to act and its hand, whoever deals, in any game."""
    env = variant.env()
    for seed, moves in ((1, 2), (2, 12), (3, 7), (4, 0)):
        if (deal := somewhere(env, seed, moves)) is None:
            continue
        seat, hand = held(env.game, deal)
        actions = tuple(move.action for move in deal.moves)
        found = complete(env.game, PartialDeal(actions=actions, seat=seat, hand=hand), seed)
        assert sorted(held(env.game, found)[1]) == sorted(hand)
        assert (found.seat, found.match) == (seat, deal.match)
        hidden = hidden_moves(env.game, found, RecordReplay(env.game).seen(found))
        pairs = zip(found.moves, actions, strict=True)
        assert all(move.action == action for n, (move, action) in enumerate(pairs) if n not in hidden)
        assert len(hidden) < max(len(actions), 1)


def test_the_seed_draws_the_rest():
    """What the seat to act does not know differs; what is given for it does not."""
    partial = PartialDeal(hand=("sA", "hT"), trump="h", seat=0)
    deals = [complete(SCHNAPSEN, partial, seed) for seed in range(6)]
    assert complete(SCHNAPSEN, partial, 0) == deals[0]
    assert len({deal.deck for deal in deals}) == len(deals)
    for deal in deals:
        seat, hand = held(SCHNAPSEN, deal)
        assert seat == 0
        assert {"sA", "hT"} <= {*hand}
        assert RecordReplay(SCHNAPSEN).check(deal)[0].trump == 1


@pytest.mark.parametrize(
    ("env_id", "card"), [("schnapsen_v0", "hJ"), ("sixty_six_v0", "c9"), ("gaigel_v0", "d7")]
)
def test_the_turned_up_card(env_id, card):
    game = make_game(env_id)
    for seed in range(3):
        (state,) = RecordReplay(game).check(complete(game, PartialDeal(trump=card), seed))
        assert game.pack.names[state.turned_up] == card


def test_a_deck_with_gaps():
    """Known cards keep their places; with all of them known the record is one of all cards."""
    deck = complete(SCHNAPSEN, PartialDeal(), 1).deck
    gaps = ("?", deck[1], "?", "?", deck[4])
    found = complete(SCHNAPSEN, PartialDeal(deck=gaps, dealer=1), 2)
    whole = complete(SCHNAPSEN, PartialDeal(deck=deck, dealer=1), 2)
    assert (whole.deck, whole.dealer, whole.seat) == (deck, 1, None)
    own = [place for place in (1, 4) if deck[place] in held(SCHNAPSEN, whole)[1]]
    assert own
    assert all(found.deck[place] == deck[place] for place in own)


def test_actions_that_are_not_known():
    game = make_game("preferans_v0")
    auction = ("bid 2", "pass", "pass", "discard ?", "?", "declare 2")
    found = complete(game, PartialDeal(actions=auction), 1)
    assert [move.action.split()[0] for move in found.moves] == [word.split()[0] for word in auction[:4]] + [
        "discard",
        "declare",
    ]


def test_what_cannot_be(refusals):
    def completed(given: dict) -> None:
        known = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        complete(make_game(known.pop("env")), PartialDeal(**known), 1)

    refusals("partial_deals", refused(completed))


def test_cards_that_exclude_each_other():
    """A card that was played is not held any more; the search for a deal ends."""
    partial = PartialDeal(actions=("play sA", "play hT"), hand=("sA",))
    with pytest.raises(InputError, match=r"in the nearest player_. does not hold sA"):
        complete(SCHNAPSEN, partial, 1)
    full = complete(SCHNAPSEN, PartialDeal(), 1)
    known = PartialDeal(deck=full.deck, dealer=0, actions=("exchange",))
    with pytest.raises(InputError, match="action 1, 'exchange', is not legal for player_1"):
        complete(SCHNAPSEN, replace(known, trump=""), 1)
