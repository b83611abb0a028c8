"""Engines play as agents do, and whatever goes wrong in one is named in a line."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from select import select

import gymnasium
import numpy as np
import pytest

from stichwerk.agents import AgentError, as_agent, make_agent, make_agent_for
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.evaluation.playing.keeper import Keeper
from stichwerk.agents.evaluation.playing.matches import Playing, Series, play_pair
from stichwerk.agents.evaluation.statistics.tallies import DealPoints
from stichwerk.agents.external.protocol import (
    OBSERVATION,
    SAMPLE,
    WANTS,
    Request,
    Requests,
    game_line,
    read_line,
    read_move,
    read_ready,
    read_request,
    schema,
    to_line,
)
from stichwerk.agents.provenance import agents_hash
from stichwerk.commands import eval as evaluation
from stichwerk.envs import CardGameEnv, make_game
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.replay import RecordReplay
from stichwerk.support.errors import InputError
from tests.agents.external.test_program import ends
from tests.agents.support import NOISY, ROOT, command, here, running
from tests.envs.records.test_records import played
from tests.envs.support import each_variant, over, refused, slowly

GAME = make_game("schnapsen_v0")
PYTHON = f"{sys.executable} {ROOT / 'examples' / 'engines' / 'engine.py'}"
SERVED = f"{sys.executable} -m stichwerk serve engine"
MOVES = """
import json, os, sys, time
def send(**message):
    print(json.dumps(message), flush=True)
for number, line in enumerate(sys.stdin):
    message = json.loads(line)
    if message["event"] == "game":
        send(event="ready", protocol=1, name="bot", wants=[])
        continue
    if message["event"] == "end":
        break
    move = {"event": "move", "id": message["id"], "action": message["legal"][-1]}
    %s
    send(**move)
"""


@pytest.fixture
def engine(tmp_path):
    """`engine(line, **settings)`: the text of an agent that plays its last legal action, but for this line of
    Python before it answers."""

    def write(line: str = "pass", **settings) -> str:
        (tmp_path / "bot.py").write_text(MOVES % line)
        return ",".join(
            [f"engine:{sys.executable} {tmp_path}/bot.py", *(f"{k}={v}" for k, v in settings.items())]
        )

    return write


def request_in(env: CardGameEnv) -> Request:
    seen = env.observe(env.agent_selection)
    return Request(
        5, env.possible_agents.index(env.agent_selection), env.view(env.agent_selection), seen["action_mask"]
    )


# Requests


@each_variant
def test_a_request_leads_to_the_view_of_the_seat(variant):
    """And depends on nothing but it."""
    env = variant.env(episode="match")
    twin = variant.env(episode="match")
    requests, replay = Requests(env.game), RecordReplay(env.game)
    for seed, moves in enumerate((0, 4, 11, 40)):
        if over(played(env, seed, moves)):
            continue
        request, agent = request_in(env), env.agent_selection
        observation = env.observe(agent)["observation"]
        line = requests.line(request, 50, WANTS, observation)
        twin.reset()
        twin.set_state(env.resample(agent, seed))
        assert requests.line(request_in(twin), 50, WANTS, observation) == line
        number, seat, view, mask = read_request(read_line(line), replay)
        assert (number, seat, mask.tolist()) == (5, request.seat, request.mask.tolist())
        turns = Turns.one(view, seat, mask)
        for name in env.game.encodings:
            again = Turns(turns.which, request.view, turns.all_seats, turns.all_masks).observation(
                env.game, name
            )
            np.testing.assert_array_equal(turns.observation(env.game, name), again)


def test_the_parts_of_a_request():
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=4)
    leader = env.possible_agents.index(env.agent_selection)
    first = int(request_in(env).mask.argmax())
    env.step(first)
    observation = env.observe(env.agent_selection)["observation"]
    message = read_line(Requests(env.game).line(request_in(env), 50, WANTS, observation))
    (own,) = [hand for hand in message["table"]["hands"] if hand["seat"] == message["seat"]]
    assert message["seat"] != leader
    assert message["moves"] == [[leader, env.game.actions[first]]]
    assert message["hand"] == own["cards"]
    assert {f"play {card}" for card in own["cards"]} >= set(message["legal"])
    assert message[OBSERVATION] == observation.tolist()
    assert sorted(message[SAMPLE]["deck"]) == sorted(env.game.deck)
    assert (message["episode"], message["ms"], message["match"]) == ("deal", 50, {"score": [0, 0]})


@each_variant
def test_every_message_has_the_schema(variant):
    """A host's, of all games, with all parts. Nobody is asked where one action is legal."""
    validate = pytest.importorskip("jsonschema").Draft202012Validator(schema()).validate
    env = variant.env(episode="match")
    validate(read_line(game_line(env.game, 2**64 - 1)))
    for seed, moves in enumerate((0, 4, 11, 40)):
        if over(played(env, seed, moves)) or request_in(env).mask.sum() < 2:
            continue
        observation = env.observe(env.agent_selection)["observation"]
        for wants in ((), WANTS):
            line = Requests(env.game).line(request_in(env), 50, wants, observation if wants else None)
            validate(read_line(line))


@pytest.mark.parametrize("command", [PYTHON, pytest.param(f"{SERVED} rules", marks=pytest.mark.slow)])
def test_messages_of_a_running_engine_have_the_schema(command):
    validate = pytest.importorskip("jsonschema").validate
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    request = Requests(GAME).line(request_in(env), 50, WANTS, np.zeros(1))
    sent = [game_line(GAME, 1), request, to_line("end")]
    done = subprocess.run(shlex.split(command), input=b"".join(sent), capture_output=True, check=True)
    answers = [read_line(line) for line in done.stdout.splitlines()]
    assert [each["event"] for each in answers] == ["ready", "move"]
    for message in (*map(read_line, sent), *answers, read_line(to_line("error", text="no"))):
        validate(message, schema())


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({"protocol": 2}, read_ready),
        ({"wants": ["cards"]}, read_ready),
        ({"wants": "table"}, read_ready),
        ({"event": "go"}, read_ready),
        ({"id": "1"}, read_move),
        ({"action": None}, read_move),
    ],
)
def test_the_schema_refuses_what_the_host_refuses(change, read):
    jsonschema = pytest.importorskip("jsonschema")
    right = (
        {"event": "ready", "protocol": 1, "name": "bot", "wants": []}
        if read is read_ready
        else {"event": "move", "id": 1, "action": "play hA"}
    )
    jsonschema.validate(right, schema())
    read(right)
    with pytest.raises(InputError):
        read({**right, **change})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**right, **change}, schema())


def test_requests_that_are_none(refusals):
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=4)
    message = read_line(Requests(env.game).line(request_in(env), 50, [SAMPLE], None))
    refusals("requests", refused(lambda change: read_request({**message, **change}, RecordReplay(env.game))))


# Playing


@pytest.mark.parametrize("env_id", ["preferans_v0", *slowly("schnapsen_v0")])
def test_an_agent_behind_the_protocol_plays_as_it_is(env_id):
    game = make_game(env_id)
    points = []
    for text in ("rules", f"engine:{SERVED} rules"):
        each = DealPoints()
        play_pair(
            game,
            make_agent(text, env_id),
            make_agent("random", env_id),
            Series(6, 1),
            playing=Playing(deal_points=each),
        )
        points.append(each.rewards().tolist())
    assert points[0] == points[1]


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_clients_in_two_languages_play_the_same():
    javascript = f"node {ROOT / 'examples' / 'engines' / 'engine.mjs'}"
    rules = make_agent_for("rules", GAME)
    results = [
        play_pair(GAME, make_agent_for(f"engine:{each}", GAME, "mine"), rules, Series(40, 1))
        for each in (PYTHON, javascript)
    ]
    assert results[0] == results[1]


def test_an_engine_in_one_environment_and_as_an_opponent(engine):
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    agent = make_agent(engine(), "schnapsen_v0")
    legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    assert agent.act_in(env) == legal[-1]
    seat = gymnasium.make("stichwerk/Schnapsen-v0", opponents=engine())
    seat.reset(seed=1)
    rewards = 0.0
    for _ in range(40):
        _, reward, done, *_ = seat.step(int(seat.unwrapped.action_masks().argmax()))
        rewards += reward
        if done:
            break
    assert rewards != 0


def test_seeds_reach_the_program(engine):
    agent = make_agent_for(engine('sys.exit(str(message["seed"])) if "seed" in message else None'), GAME)
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    first = agent.act_in(env)
    agent.seed(5)
    assert agent.act_in(env) == first


# Faults


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sys.exit('out of cards')", "ended with status 1: 'out of cards'; expected an answer"),
        ("os.kill(os.getpid(), 9)", "ended with status -9; expected an answer"),
        ("move['action'] = 'play xx'", "plays 'play xx', which is not legal here; legal: play"),
        ("move['action'] = 7", "expected the event move with its id and action"),
        ("move['id'] = -3", "got a move with the id -3; expected one of a request"),
        ("move['event'] = 'error'; move['text'] = 'no idea'", "says 'no idea'"),
        ("print('thinking', flush=True)", "got 'thinking', not JSON: "),
        ('print(\'{"event": "move", "event": "move"}\', flush=True)', "'event' 2 times"),
        ("print('[' * 100_000, flush=True)", "too deep"),
        ("print('x' * 2_000_000, flush=True)", "xxx', a line of more than 1,000,000 bytes"),
        ("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "got '�', not UTF-8"),
        ("time.sleep(60)", "got no answer in"),
    ],
)
def test_faults_end_what_is_played(engine, line, expected):
    agent, rules = make_agent_for(engine(line, ms=300), GAME), make_agent_for("rules", GAME)
    with pytest.raises(AgentError) as error:
        play_pair(GAME, agent, rules, Series(2, 1))
    assert expected in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"agent {agent.name}: ")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/no/such/program", "got '/no/such/program', No such file or directory; expected a program"),
        ("'", "No closing quotation"),
        (f"{sys.executable} -c pass", "ended with status 0"),
        (f"{sys.executable} -c \"print('{{}}')\"", "expected a message with its event"),
        (f"{SERVED} ppo:gaigel3", "of another game|gaigel"),
    ],
)
def test_programs_that_do_not_start(command, expected):
    with pytest.raises(AgentError, match=expected):
        play_pair(
            GAME, make_agent_for(f"engine:{command}", GAME), make_agent_for("rules", GAME), Series(2, 1)
        )


def test_faults_lose_their_deals(engine, tmp_path):
    """A deal of which a fault is made pays what the most can cost; the others are played on."""
    text = engine("if number == 3: sys.exit('tired')", forfeits="yes")
    agent, points = make_agent_for(text, GAME), DealPoints()
    keeper = Keeper(GAME, tmp_path / "deals.jsonl")
    with keeper:
        play_pair(
            GAME,
            agent,
            make_agent_for("rules", GAME),
            Series(4, 1),
            playing=Playing(deal_points=points, keeper=keeper),
        )
        keeper.finish()
    rewards = points.rewards()
    assert agent.faults.deals > 0
    assert "'tired'" in agent.faults.first
    deals = [deal for _, deal in read_file(tmp_path / "deals.jsonl")]
    unfinished = [deal for deal in deals if deal.points is None]
    assert len(unfinished) == agent.faults.deals
    assert (rewards == -3).any(axis=2).sum() >= agent.faults.deals
    assert (rewards.sum(axis=2) == 0).all()


def test_restarts_leave_no_children(engine, tmp_path):
    pids = tmp_path / "pids"
    child = "subprocess.Popen(['sleep', '600'], start_new_session=True, stdout=subprocess.DEVNULL)"
    line = f"import subprocess; print({child}.pid, file=open({str(pids)!r}, 'a')); sys.exit('tired')"
    agent = make_agent_for(engine(line, forfeits="yes"), GAME)
    play_pair(GAME, agent, make_agent_for("rules", GAME), Series(3, 1))
    agent.close()
    started = [int(word) for word in pids.read_text().split()]
    assert len(started) > 1
    assert all(map(ends, started))


def test_what_a_forfeit_costs():
    assert GAME.forfeit(1).tolist() == [3, -3]
    assert make_game("snapszer_v0").forfeit(2).tolist() == [3, 3, -9, 3]
    assert make_game("gaigel_v0", {"players": 4}).forfeit(2).tolist() == [-2, 2, -2, 2]


def test_a_match_cannot_be_forfeited(engine):
    agent = make_agent_for(engine("sys.exit('tired')", forfeits="yes"), GAME, "bot")
    with pytest.raises(AgentError, match="agent bot gave up a match; expected it to play to the end"):
        play_pair(GAME, agent, make_agent_for("rules", GAME), Series(2, 1, episode="match"))


def test_programs_end_with_their_agents(engine, tmp_path):
    """Also one that does not end by itself, with its children."""
    agent = make_agent_for(engine(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"), GAME)
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    agent.act_in(env)
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, 0)
    del agent
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the program still runs")


def test_results_know_the_program(engine):
    before = agents_hash([engine()])
    assert agents_hash([engine()]) == before
    assert agents_hash([engine("move['action'] = message['legal'][0]")]) != before


def test_evaluations_tell_lost_deals(engine, capsys):
    bot = engine("if number == 3: sys.exit('tired')", forfeits="yes")
    assert here(evaluation.main, f"bot={bot}", "rules", "--deals", 4) == 0
    assert "bot lost" in capsys.readouterr().out


# The command


def test_the_command_refuses_what_is_no_message(tmp_path):
    lines = json.dumps({"event": "game", "protocol": 1, "env": "schnapsen_v0", "rules": {}}) + "\nhm\n"
    status, out, err = command("-m", "stichwerk", "serve", "engine", "rules", given=lines, cwd=tmp_path)
    assert status == 2
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["ready", "error"]
    assert err.startswith("error: got ")
    assert err.count("\n") == 1


@pytest.fixture
def program(tmp_path):
    """`stichwerk serve engine random`, whose input stays open."""
    with running("-m", "stichwerk", "serve", "engine", "random", cwd=tmp_path) as process:
        yield process


def test_a_request_that_comes_with_the_game_is_answered(program):
    env = CardGameEnv("schnapsen_v0")
    env.reset(seed=1)
    request = Requests(GAME).line(request_in(env), 50, (SAMPLE,), None)
    program.stdin.write((game_line(GAME, 1) + request).decode())
    program.stdin.flush()
    for event in ("ready", "move"):
        assert select([program.stdout], [], [], 60)[0]
        assert json.loads(program.stdout.readline())["event"] == event


def test_an_engine_whose_agent_prints_and_reads_plays_on(tmp_path, monkeypatch):
    (tmp_path / "noisy.py").write_text(NOISY)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    agent = make_agent_for(f"engine:{SERVED} python:noisy:make", GAME)
    first = as_agent(lambda observation, mask: int(mask.argmax()), GAME)
    assert play_pair(GAME, agent, first, Series(4, 1)).mean == 0


def test_the_command_ends_while_its_input_is_open(program):
    program.stdin.write("hm\n")
    program.stdin.flush()
    assert program.wait(60) == 2
    assert program.stderr.read().startswith("error: got ")
