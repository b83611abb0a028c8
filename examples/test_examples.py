"""The examples run, briefly."""

from pathlib import Path

import analysis
import openspiel_cfr
import pytest
import sb3_maskable_ppo
import single_file_ppo
import torchrl_dqn
import tournament


def test_single_file_ppo(tmp_path, capsys):
    args = single_file_ppo.Args(minutes=0.01, lanes=32, steps=24, deals=20, out=str(tmp_path / "policy.pt"))
    single_file_ppo.main(args)
    assert "against rules" in capsys.readouterr().out


def test_sb3(tmp_path, capsys):
    sb3_maskable_ppo.main(decisions=512, lanes=16, deals=20, out=str(tmp_path / "model.zip"))
    assert "against rules" in capsys.readouterr().out


def test_torchrl(tmp_path, capsys):
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

    from stichwerk.commands.bridges import data

    folder = str(tmp_path / "set")
    data.main(["rules", "--deals", "400", "--out", folder])
    imitation.main(folder, epochs=4, batch=256, width=64, deals=100, out=str(tmp_path / "student.pt"))
    share = float(capsys.readouterr().out.splitlines()[-1].split()[3].rstrip("%"))
    assert share > 60
