"""Every exercise is legal, and its answer is the only best action."""

from dataclasses import replace

import pytest

from stichwerk.agents.search.endgame import ExactPlayer
from stichwerk.agents.solver import solve
from stichwerk.envs.games import GAMES, make_game
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError
from stichwerk.table.positions.exercises import exercise_of, exercises_of
from stichwerk.table.positions.position import position_of
from stichwerk.table.table import Table

EXERCISES = [(game, exercise) for game in map(make_game, GAMES) for exercise in exercises_of(game)]
WORLDS = 40
NODES = 5_000_000


def best(values) -> set[str]:
    highest = max(values.values())
    return {action for action, value in values.items() if value > highest - 1e-9}


QUICK = {"Answer the lead", "Head the trick", "When to close"}


@pytest.mark.parametrize(
    ("game", "exercise"),
    [
        pytest.param(*each, marks=[] if each[1].title in QUICK else pytest.mark.slow, id=each[1].title)
        for each in EXERCISES
    ],
)
def test_the_answer_is_the_only_best_action(game, exercise):
    check_answer(game, exercise)


def check_answer(game, exercise) -> None:
    start = position_of(game, exercise)
    game, seat = start.game, start.seat
    assert start.deal.seat == seat, "its record is that of the seat to act"
    replay, table = RecordReplay(game), Table(game, ["random"] * game.seats, start=start)
    states = replay.check(start.deal)
    legal, view = replay.legal(states), replay.view(states, seat)
    if exercise.proof == "only":
        assert legal == [exercise.answer]
        assert len(game.scene(view, seat).hands[0].cards) > 1
        return
    assert len(legal) > 1
    if exercise.proof == "exact":
        world = ExactPlayer(game).only_world(view, seat, 1)
        assert world is not None, "the seat can tell all cards"
        worlds = [world]
    else:
        worlds = [table.env.resample(f"player_{seat}", seed) for seed in range(WORLDS)]
    for world in worlds:
        assert best(solve(game, world, NODES)) == {exercise.answer}


@pytest.mark.parametrize("env_id", GAMES)
def test_every_game_has_exercises_of_at_least_three_kinds(env_id):
    game = make_game(env_id)
    own = exercises_of(game)
    assert len({each.title for each in own}) >= 3
    assert len({each.position for each in own}) == len(own)
    assert {position_of(game, each).game.env_id for each in own} == {env_id}
    more = len(own) + 1
    with pytest.raises(InputError, match=f"exercise: got {more}; expected 1 to {len(own)}"):
        exercise_of(game, more)


@pytest.mark.parametrize("env_id", GAMES)
def test_the_verdict_on_an_exercise(env_id):
    game = make_game(env_id)
    own = exercises_of(game)
    for exercise, following in list(zip(own, [*range(2, len(own) + 1), None], strict=True))[-3:]:
        start = position_of(game, exercise)
        seats = [None if seat == start.seat else "random" for seat in range(start.game.seats)]
        table = Table(start.game, seats, start=start)
        told = table.message(start.seat)
        asked = {"title": exercise.title, "question": exercise.question, "next": following}
        assert told["exercise"] == asked
        assert told["verdict"] == ""
        assert exercise.why not in str(told)
        for action in table.legal(start.seat):
            table.act(start.seat, str(action))
            verdict = table.message(start.seat)["verdict"]
            assert verdict.startswith("Right. ") == (str(action) == exercise.answer)
            assert verdict.endswith(exercise.why)
            table.undo(start.seat)


def test_an_exercise_is_asked_only_in_the_first_deal_of_a_match(game):
    start = position_of(game, exercises_of(game)[0])
    seats = [None if seat == start.seat else "random" for seat in range(start.game.seats)]
    table = Table(start.game, seats, "match", 1, start=start)
    while not table.result:
        assert table.message(start.seat)["exercise"]
        table.move_agents()
        if not table.result:
            table.act(start.seat, str(table.legal(start.seat)[0]))
    assert table.message(start.seat)["exercise"]
    table.next_deal(start.seat)
    assert table.message(start.seat)["exercise"] is None


def test_a_game_without_exercises_has_none(game):
    game = replace(game, spec=replace(game.spec, exercises=None))
    assert exercises_of(game) == ()
    with pytest.raises(InputError, match="exercise: got 1; expected none, as schnapsen_v0 has no exercises"):
        exercise_of(game, 1)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "exercises.yaml: .*No such file"),
        ("[", "exercises.yaml: "),
        ("- title: x", "exercises.yaml: got .*; expected lists of exercises by environment id"),
        ("schnapsen_v0: [{title: x}]", "schnapsen_v0, exercise 1: got .*; expected answer, position"),
        (
            "schnapsen_v0: [{title: 1, question: x, position: x, answer: x, why: x, proof: only}]",
            "schnapsen_v0, exercise 1: title: got 1; expected text",
        ),
        (
            "schnapsen_v0: [{title: x, question: x, position: x, answer: x, why: x, proof: mine}]",
            "schnapsen_v0, exercise 1: proof: got 'mine'; expected one of only, exact, worlds",
        ),
    ],
)
def test_a_damaged_file_is_named(game, tmp_path, content, fault):
    path = tmp_path / "exercises.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=fault):
        exercises_of(replace(game, spec=replace(game.spec, exercises=path)))


def test_wrong_games_and_illegal_answers_are_refused(game):
    exercise = exercises_of(game)[0]
    with pytest.raises(InputError, match="exercise: got the answer 'continue'; expected "):
        position_of(game, replace(exercise, answer="continue"))
    with pytest.raises(InputError, match="exercise: got a position of schnapsen_v0; expected gaigel_v0"):
        position_of(make_game("gaigel_v0"), exercise)
