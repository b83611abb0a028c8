"""The examples run, briefly."""

from itertools import product
from pathlib import Path

import analysis
import numpy as np
import openspiel_cfr
import pytest
import santase
import sb3_maskable_ppo
import single_file_ppo
import tournament

from stichwerk.envs import InputError, make_game
from stichwerk.envs.sixty_six_v0 import raw_env


def test_single_file_ppo(tmp_path, capsys):
    args = single_file_ppo.Args(minutes=0.01, lanes=32, steps=24, deals=20, out=str(tmp_path / "policy.pt"))
    single_file_ppo.main(args)
    assert "against rules" in capsys.readouterr().out


def test_sb3(tmp_path, capsys):
    sb3_maskable_ppo.main(decisions=1024, lanes=16, measurements=2, deals=20, out=str(tmp_path / "model.zip"))
    assert "against rules" in capsys.readouterr().out
    assert "polyline" in (tmp_path / "model.svg").read_text(encoding="utf-8")


def test_torchrl(tmp_path, capsys):
    import torchrl_dqn  # takes three seconds, which other processes of tests need not spend

    torchrl_dqn.main(
        decisions=60, frames=30, updates=1, batch=8, width=8, deals=20, out=str(tmp_path / "dqn.pt")
    )
    assert "against rules" in capsys.readouterr().out


def test_openspiel(capsys):
    openspiel_cfr.main(iterations=10)
    assert float(capsys.readouterr().out.splitlines()[3].split()[1]) < 0.1


@pytest.mark.parametrize(
    "options",
    [{}, {"env": "gaigel_v0", "others": ("random",)}, {"env": "preferans_v0", "others": ("random",)}],
)
def test_tournament(options, capsys):
    tournament.main(**options, deals=40)
    out = capsys.readouterr().out
    assert "mine" in out
    assert "random" in out


def test_analysis(capsys):
    analysis.main(worlds=3)
    out = capsys.readouterr().out
    assert "meld h" in out
    assert out.count("+/-") >= 5


def test_onnx(tmp_path, capsys):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    import onnx_export

    onnx_export.main(out=Path(tmp_path / "policy.onnx"), deals=30)
    first, second = (line.split(":")[0] for line in capsys.readouterr().out.splitlines()[-2:])
    assert first == second


def test_imitation(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    import imitation

    from stichwerk.commands.export import data

    folder = str(tmp_path / "set")
    data.main(["rules", "--deals", "400", "--out", folder])
    imitation.main(folder, epochs=4, batch=256, width=64, deals=100, out=str(tmp_path / "learner.pt"))
    share = float(capsys.readouterr().out.splitlines()[-1].split()[3].rstrip("%"))
    assert share > 60


def test_santase(tmp_path, capsys):
    """With random weights in a file of that size; under its rules nothing is left to claim."""
    path = tmp_path / santase.WEIGHTS
    path.parent.mkdir(parents=True)
    np.random.default_rng(1).normal(0, 0.1, 36_120).astype("<f4").tofile(path)
    santase.main(tmp_path, ["random"], deals=20)
    assert capsys.readouterr().out.startswith("random ")
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match="got 36,119 numbers; expected 36,120"):
        santase.main(tmp_path, ["random"], deals=20)


def test_the_inputs_of_santase(tmp_path):
    """A deal after an exchange, a closing and a marriage, as the list of the inputs has it."""
    path = tmp_path / "weights.bin"
    np.zeros(36_120, "<f4").tofile(path)
    game = make_game("sixty_six_v0", santase.RULES)
    env = raw_env(rules=santase.RULES)
    forehand = ["d9", "dK", "dQ", "cA", "cK", "h9"]
    dealer = ["c9", "cJ", "hA", "hT", "sA", "sT"]
    rest = [card for card in game.deck if card not in (*forehand, *dealer, "dA")]
    deck = [*forehand[:3], *dealer[:3], *forehand[3:], *dealer[3:], "dA", *rest]
    actions = ["play cA", "play c9", "exchange", "close", "meld d", "play dQ"]
    env.reset(options={"deck": deck, "dealer": 1, "actions": actions})
    out = santase.SantasePlayer(game, path).inputs(env.view("player_1")[0], 1)

    def cards(start: int) -> set[str]:
        return {suit + rank for i, (suit, rank) in enumerate(product("cdhs", "9JQKTA")) if out[start + i]}

    assert cards(0) == {*dealer, rest[1]} - {"c9"}
    assert cards(24) == {"cA", "c9"}
    assert cards(48) == {*game.deck} - {*dealer, rest[1], "cA", "c9", "d9"}
    assert out[72:76].tolist() == [0, 1, 0, 0]
    assert out[76:82].tolist() == [1, 0, 0, 0, 0, 0]
    assert cards(82) == {"dQ"}
    expected = [10 / 12, 0, 51 / 66, -51 / 66, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    np.testing.assert_allclose(out[106:119], expected, rtol=1e-6)
    assert not out[119:].any()
