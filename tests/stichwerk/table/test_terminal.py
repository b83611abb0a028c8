"""`stichwerk play --terminal`: whole deals of every game, fed by standard input, once in a real process."""

import io
import random
import re
import sys
from contextlib import redirect_stdout

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stichwerk.agents.language.answers import AnswerError
from stichwerk.commands import play
from stichwerk.envs.core.cards import pretty
from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.envs.render.names import in_face
from stichwerk.table.table import Table
from stichwerk.table.terminal import Terminal
from stichwerk.table.words import read_action, short_names
from tests.agents.support import complaints, here
from tests.started import start


@pytest.fixture
def terminal(tmp_path, monkeypatch, capsys):
    """`terminal(lines, *words)`: what the command prints to stdout when it is fed these lines."""
    monkeypatch.chdir(tmp_path)

    def run(lines, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert here(play.main, *words, "--terminal") == 0
        out, err = capsys.readouterr()
        assert not complaints(err)
        return out

    return run


def in_a_process(lines, *words):
    with start("-m", "stichwerk", "play", *words, "--terminal") as process:
        out, err = process.communicate("".join(f"{line}\n" for line in lines), timeout=300)
    assert process.returncode == 0, err
    assert not complaints(err)
    return out


@pytest.mark.parametrize(("env_id", "real"), [*((env_id, False) for env_id in GAMES), ("preferans_v0", True)])
def test_deals_are_played_by_number(env_id, real, terminal, tmp_path):
    """Also some of the numbers that are not in the list, which are refused."""
    terminal = in_a_process if real else terminal
    rng = random.Random(1)
    lines = [str(rng.choice((1, 1, 2, 3))) for _ in range(150)]
    out = terminal(lines, env_id, "--against", "random", "--seed", 3, "--record", "own.jsonl")
    assert "  1:" in out or "\n1:" in out
    assert re.search(r"The deal is over. You get [+-]?[\d.]+ game points.\n", out)
    game, first = next(iter(read_file(tmp_path / "own.jsonl")))
    assert game.env_id == env_id
    assert first.points is not None
    RecordReplay(game).check(first)


def test_commands(terminal):
    lines = ["help", "?", "hint", "table", "log", "play", "1", "log", "undo", "undo", "nonsense", "quit"]
    out = terminal(lines, "schnapsen", "--against", "rules", "--seed", 1)
    told = ("A number, a name, or", "20 cards, from the highest down", "Hint: Play ", "  you: ")
    for words in (*told, "got 'nonsense'; expected a number from 1 to", "expected one to take back."):
        assert words in out, words
    assert "player_0" not in out, "the own seat is called you"


def test_a_decision_is_played_again(capsys):
    table = Table(make_game("schnapsen_v0"), [None, "rules"], seed=1)
    told: list[str] = []

    def lines():
        moves: list[str] = []
        for _ in range(10):
            while not table.result:
                yield "1"
            yield "review"
            if moves := re.findall(r"^move (\d+), ", told[-1], re.MULTILINE):
                break
            yield ""
        yield f"again {moves[0]}"
        yield "again 99"
        assert terminal.table.begun_at == int(moves[0]) - 1
        assert terminal.table.deals()[-1].deck in [deal.deck for deal in table.deals()]
        yield "1"
        yield "table"
        yield "back"
        assert terminal.table is table

    script = lines()

    def ask() -> str | None:
        told.append(capsys.readouterr().out)
        return next(script, None)

    terminal = Terminal(table, ask)
    terminal.run()
    out = "".join(told)
    assert "again: got '99'; expected " in out
    assert " cost" in out


def test_a_printed_line_can_be_opened(terminal):
    out = terminal(["1", "line"], "schnapsen", "--against", "rules", "--seed", 1)
    (line,) = (each for each in out.splitlines() if each.startswith("[game schnapsen_v0] | "))
    again = terminal(["log", *["1"] * 60, "", "log"], "--position", line, "--against", "rules")
    assert "Enter plays the position again." in again
    (first,) = {each.strip() for each in out.splitlines() if each.startswith("  you: ")}
    assert again.count(first) >= 2


def test_an_illegal_card_is_explained(terminal):
    cards = [f"{suit}{rank}" for suit in "shdc" for rank in "ATKQJ"]
    assert "is not in your hand" in terminal(cards, "schnapsen", "--seed", 1)


def test_enter_deals_the_next_deal(terminal):
    lines = [*["1"] * 60, "review", "", "review", *["1"] * 60]
    out = terminal(lines, "schnapsen", "--against", "random", "--seed", 2)
    assert re.search(r"move \d+, .* gains \d", out) or "No decision clearly cost anything." in out
    assert "review: got it during a deal" in out
    assert "the deal is over: Enter deals the next one" in out
    assert "game points in 2 deals." in out or "deals. Enter" in out


def test_an_action_is_read_by_number_name_or_beginning():
    game = make_game("schnapsen_v0")
    legal = [game.actions[game.action_index[name]] for name in ("play hA", "play sT", "close")]
    for text, name in {
        "1": "play hA",
        "play hA": "play hA",
        "hA": "play hA",
        "♥A": "play hA",
        "c": "close",
        "sQ": "play sQ",
        "claim": "claim",
    }.items():
        assert read_action(game, text, legal) == name
    for text in ("", "0", "4", "play", "xyz"):
        with pytest.raises(AnswerError):
            read_action(game, text, legal)


@pytest.mark.parametrize("env_id", GAMES)
def test_no_two_actions_have_one_label(env_id):
    game = make_game(env_id)
    labels = [game.label(action) for action in game.actions]
    assert len({*labels}) == len(labels)


def test_cards_are_named_and_read_in_other_faces(capsys):
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=3)
    table.move_agents()
    card = next(action.card for action in table.legal(0) if action.verb == "play")
    words = in_face(pretty(card), "german")
    lines = iter([words.upper(), "quit"])
    Terminal(table, lambda: next(lines), face="german").run()
    out = capsys.readouterr().out
    assert f":{words}" in out
    assert not set(out) & set("♠♥♦♣")
    assert any(move.action == f"play {card}" for move in table.deals()[-1].moves)


def test_columns_align_for_any_seat_names(capsys):
    names = ["player_0", "a name that is long", "b"]
    table = Table(make_game("preferans_v0"), [None, "random", "random"], seed=4, names=names)
    lines = iter(["quit"])
    Terminal(table, lambda: next(lines)).run()
    shown = capsys.readouterr().out.splitlines()
    sheet = [line for line in shown if re.search("100 +0  -$", line)]
    assert [re.split(" {2,}", line)[0] for line in sheet] == ["you", "a name that is long", "b"]
    assert len({len(line) for line in sheet}) == 1
    starts = {line[:20].rstrip(): line[21:22] for line in shown if re.match("(a name|b|table|turn) ", line)}
    assert starts.keys() >= {"a name that is long", "b", "table", "turn"}
    assert " " not in starts.values()
    assert not any(line.startswith("last ") for line in shown)


TEMPLATES = st.sampled_from(
    [r"C:\Users\1\agent", r"\g<0>", "{0}", "%s", "[red]", "$1", "player_0", "a+b", "♥A"]
)


@pytest.mark.parametrize("face", ["french", "german"])
@settings(max_examples=30, deadline=None)
@given(parts=st.lists(TEMPLATES | st.text(st.characters(exclude_categories=["C", "Z"])), min_size=1))
@example(parts=[r"python:C:\agents\mine"])
def test_agents_may_have_any_name(face, parts):
    """A name is no pattern, no template and no card: it is printed as it is."""
    name = "".join(parts) or "-"
    table = Table(make_game("schnapsen_v0"), [None, "random"], seed=1, names=("me", name))
    lines = iter(["1", "log", "table", None])
    with redirect_stdout(io.StringIO()) as out:
        Terminal(table, lambda: next(lines), in_colour=True, face=face).run()
    (called,) = {*short_names(["me", name])} - {"me"}
    assert f", seat 1 is {name}\n" in out.getvalue()
    assert f"\n  {called}: " in out.getvalue()
    assert "player_1" not in out.getvalue().replace(name, "").replace(called, "")
