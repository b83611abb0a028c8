"""`stichwerk equilibrium` and the suite `equilibrium` of the bench."""

import json
import shlex

import numpy as np
import pytest

from stichwerk import Deal
from stichwerk.agents import make_agent_for
from stichwerk.agents.equilibrium import solve_equilibrium
from stichwerk.agents.evaluation.bench.equilibrium import ANSWER, SOURCES, Suite, make_file, means_of, summary
from stichwerk.commands.bench import main as bench
from stichwerk.commands.inspect.equilibrium import main
from stichwerk.envs import InputError

SMALL = "{pack: [sA, sK, sQ, hA, hK, hQ], hand_size: 2, goal: 30}"


@pytest.fixture(scope="module")
def suite():
    return Suite()


def test_command_prints_and_writes_the_strategies(capsys, tmp_path):
    out = tmp_path / "solved.json"
    main(["--rules", SMALL, "--laid-open", "0", "--out", str(out), "--depth", "2"])
    printed = capsys.readouterr().out
    assert "approximated: nothing" in printed
    assert "30 worlds (equally likely hands)" in printed
    found = json.loads(out.read_text())
    roots = [each for each in found["decisions"] if not each["path"]]
    assert len(roots) == 10  # two of five cards
    value = sum(each["likely"] * np.dot(each["chances"], each["values"]) for each in roots)
    assert value == pytest.approx(found["value"], abs=0.01)
    assert max(len(each["path"]) for each in found["decisions"]) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "gaigel_v0"], "expected one of schnapsen_v0, sixty_six_v0"),
        (["--worlds", "5"], "expected at most 5"),
        (["--prior", "rules", "--rules", SMALL], "prior: got rules; expected a network"),
        (["--gap", "2"], "gap: got 2"),
        (["--position", "1001"], "position: got 1001; expected a whole number from 1 to 1000"),
        (["--position", "1", "--seed", "2"], "seed: got it with --position"),
        (["--depth", "2"], "depth: got it without --out"),
    ],
)
def test_bad_input_is_refused(words, message):
    with pytest.raises(InputError, match=message):
        main(words)


def test_a_position_of_the_suite_opens_at_the_table(capsys, suite):
    main(["--position", "41", "--gap", "0.5", "--laid-open", "4"])
    printed = capsys.readouterr().out.splitlines()
    (command,) = [line for line in printed if line.startswith("stichwerk play")]
    deal, state = Deal.read(shlex.split(command)[-1]), suite[40].state
    assert deal.state["hand"].tolist() == state["hand"].tolist()
    assert deal.state["points"].tolist() == state["points"].tolist()
    assert any(line.startswith("value for player_") for line in printed)


def test_suite_is_frozen(suite):
    assert suite.hash_of(len(suite)) == "53fed49446e454f5"
    assert len(suite) == 1_000
    solved = [suite[number] for number in range(len(suite))]
    assert all(each.gap <= 0.001 for each in solved)
    assert all(each.state[0]["closed_by"] < 0 and not each.state[0]["over"] for each in solved)


def test_random_play_is_farther_away_than_rules(suite):
    random, rules = (make_agent_for(text, suite.game) for text in ("random", "rules"))
    far, near = ([suite.measure(agent, number) for number in (1, 2)] for agent in (random, rules))
    for one, two in zip(far, near, strict=True):
        assert one.losses[:ANSWER].sum() > two.losses[:ANSWER].sum() > 0
        assert (one.exploited > two.exploited).all()
        # who answers best does more to an agent than who answers as if it played the equilibrium
        assert (two.exploited > [two.losses[:ANSWER].sum() - 0.01, two.losses[ANSWER] - 0.01]).all()
    sampled = [suite.measure(random, number, 200) for number in (1, 2)]
    assert np.isnan(sampled[0].exploited).all()
    expected = sum(each.losses.sum() for each in far)
    assert sum(each.losses.sum() for each in sampled) == pytest.approx(expected, rel=0.3)
    assert next(iter(summary(far))) == "leading: loss"


@pytest.mark.slow  # solves a position of the file again
def test_file_has_what_the_solver_finds(suite, tmp_path):
    make_file(tmp_path / "again.npz", 1, gap=0.01)
    again, first = Suite(tmp_path / "again.npz")[0], suite[0]
    assert again.state.tobytes() == first.state.tobytes()
    assert again.value == pytest.approx(first.value, abs=0.006)
    found = solve_equilibrium(suite.game, first.state, gap=0.002)
    roots = [*found.decisions(0)]
    chances = np.concatenate([each.values for each in roots])
    assert np.abs(chances - first.values[: len(chances)]).mean() < 0.01


def test_distances_are_written_checked_and_listed(capsys, tmp_path):
    out = tmp_path / "random.json"
    bench(["random", "--suite", "equilibrium", "--states", "2", "--hands", "5", "--out", str(out)])
    assert "2 of" in capsys.readouterr().out
    entry = json.loads(out.read_text())
    assert entry["leading: loss"][0] > 0
    assert entry["leading: exploitability"] is None
    words = ["--verify-deals", "0", "--verify-seed", "1"]
    bench(["--verify", str(out), *words, "--by", "Anna"])
    assert "1 of 1 blocks of 10 positions come out the same" in capsys.readouterr().out
    bench(["--leaderboard", str(tmp_path)])
    assert "| 2, 5 decisions a seat |" in (tmp_path / "leaderboard.md").read_text()
    damages = {
        "states": (3, "positions"),
        "hands": (0, "position 1: got"),
        "positions": ("0" * 16, "positions"),
        "leading: loss": ([0.0, 0.1], "leading: loss"),
        "answering: exploitability": ([0.0, 0.1], "answering: exploitability"),
        "distances": ([[0] * 6], "2 rows of 6"),
    }
    for name, (value, message) in damages.items():
        out.write_text(json.dumps({**entry, name: value}))
        with pytest.raises(InputError, match=message):
            bench(["--verify", str(out), *words])
    better = [[0.0] * 4 + [None] * 2] * 2
    out.write_text(json.dumps({**entry, "distances": better, **means_of(better)}))
    with pytest.raises(InputError, match=r"position \d: got .* as measured here"):
        bench(["--verify", str(out), *words])


@pytest.mark.slow  # solves fresh positions
def test_fresh_positions_agree_with_true_distances(capsys, tmp_path):
    out = tmp_path / "rules.json"
    bench(["rules", "--suite", "equilibrium", "--states", "10", "--out", str(out)])
    bench(["--verify", str(out), "--verify-blocks", "0", "--verify-deals", "40", "--verify-seed", "1"])
    assert "in 4 fresh positions agrees with the score of" in capsys.readouterr().out


def test_bench_of_distances_refuses_bad_input():
    with pytest.raises(InputError, match="states: got 1"):
        bench(["random", "--suite", "equilibrium", "--states", "1"])
    with pytest.raises(InputError, match="hands: got it without"):
        bench(["random", "--hands", "1"])
    with pytest.raises(InputError, match="budget: got it with"):
        bench(["random", "--suite", "equilibrium", "--budget", "1ms"])
    assert len(SOURCES) == 4
