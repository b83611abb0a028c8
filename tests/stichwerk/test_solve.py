"""`stichwerk analyse --exact`, which solves a set deal, and what it refuses."""

import numpy as np
import pytest

from stichwerk.agents.solver import best_line, solve
from stichwerk.commands import analyse
from stichwerk.envs import CardGameEnv, make_game, schnapsen_v0, snapszer_v0
from stichwerk.support.errors import InputError
from stichwerk.support.parsing import parse_yaml
from tests.envs.records.test_records import END, played


def main(words: list[str]) -> None:
    analyse.main(["--exact", *words])


SMALL = ["--rules", "{pack: [sA, sK, sQ, sJ, hT, hQ], hand_size: 1, goal: 30}", "--deck"]
DECK = ["sA", "hT", "sJ", "sK", "hQ", "sQ"]


@pytest.mark.parametrize("dealer", ["1", "player_1"])
def test_values_are_printed(dealer, capsys):
    main([*SMALL, *DECK, "--dealer", dealer])
    lines = capsys.readouterr().out
    assert "player_0 to act" in lines
    assert "play sA" in lines


def test_actions_are_played_first(capsys):
    main([*SMALL, *DECK, "--dealer", "1", "--actions", "play sA"])
    assert "player_1 to act" in capsys.readouterr().out


def test_cards_and_the_best_line_are_printed(capsys):
    """The line pays what the best action is worth."""
    main([*SMALL, *DECK, "--dealer", "1"])
    *cards, best = (
        line for line in capsys.readouterr().out.splitlines() if line[:4] in ("play", "stoc", "best")
    )
    assert cards[0] == "player_0  ♠A"
    game = make_game("schnapsen_v0", parse_yaml(SMALL[1]))
    env = CardGameEnv("schnapsen_v0", parse_yaml(SMALL[1]))
    env.reset(options={"deck": DECK, "dealer": 1})
    values = solve(game, env.copy_state())
    line = best_line(game, env.copy_state(), values)
    assert best == f"best line: {'; '.join(f'player_{move.seat} {move.action}' for move in line)}"
    for move in line:
        env.step(move.action)
    assert env.rewards["player_0"] == max(values.values())


def test_positions_of_a_record(tmp_path, capsys):
    """By default before the last move of a deal that is over; the record's moves are legal there."""
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=4)
    while not env.terminations["player_0"]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(mask.argmax()))
    record = tmp_path / "deal.jsonl"
    record.write_text(env.record())
    (deal,) = env.deals()
    main(["--record", str(record)])
    last = capsys.readouterr().out
    assert deal.moves[-1].action in last
    main(["--record", str(record), "--step", str(len(deal.moves) - 3)])
    assert deal.moves[-3].action in capsys.readouterr().out
    with pytest.raises(InputError, match="got no deal 2"):
        main(["--record", str(record), "--deal", "2"])
    with pytest.raises(InputError, match="step: got 99; expected at most"):
        main(["--record", str(record), "--step", "99"])


def test_records_of_one_seat(tmp_path, capsys):
    """Solved where the seat can tell all cards, as in Schnapsen when the stock is exhausted."""
    env = played(CardGameEnv("schnapsen_v0"), 4, END)
    whole, own = tmp_path / "whole.jsonl", tmp_path / "own.jsonl"
    whole.write_text(env.record())
    own.write_text(env.record(seat=1))
    with pytest.raises(InputError, match="record: got one of player_1, who cannot tell all cards here; expe"):
        main(["--record", str(own), "--step", "0"])
    main(["--record", str(own)])
    printed = capsys.readouterr().out
    main(["--record", str(whole)])
    assert capsys.readouterr().out == printed


@pytest.mark.slow
def test_naming_is_worth_what_follows():
    """Forehand's partner is whoever holds the card, so a name is worth the best lead that follows."""
    env = snapszer_v0.raw_env()
    env.reset(seed=1)
    deal = env.copy_state()
    for name, value in list(solve(env.game, deal).items())[:3]:
        env.set_state(deal)
        env.step(name)
        assert max(solve(env.game, env.copy_state()).values()) == value


def test_what_can_be_solved():
    env = schnapsen_v0.raw_env()
    env.reset(seed=1)
    state = env.copy_state()
    assert solve(env.game, state[0]) == solve(env.game, state)
    other = snapszer_v0.raw_env()
    other.reset(seed=1)
    for wrong in (state["hand"], other.copy_state()[0], np.int64(3)):
        with pytest.raises(InputError, match="expected one record"):
            solve(env.game, wrong)
    untrue = [env.view(agent) for agent in env.possible_agents] + [state.copy() for _ in range(2)]
    untrue[-1]["top"], untrue[-2]["hand"][0, 0] = -60, 0
    for wrong in untrue:
        with pytest.raises(InputError, match="got one that no play leads to"):
            solve(env.game, wrong)
    state["over"] = 1
    with pytest.raises(InputError, match="the deal is over"):
        solve(env.game, state)
