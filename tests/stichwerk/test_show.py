"""`stichwerk show`: recorded deals in the terminal, as a page and as pictures."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from stichwerk.commands import show
from stichwerk.envs import CardGameEnv
from stichwerk.envs.records.file import read_file
from stichwerk.envs.records.notation import write_deal
from tests.agents.support import here
from tests.envs.records.test_records import END, played


@pytest.fixture
def record(tmp_path):
    """A deal of Schnapsen, and one of Preferans."""
    text = ""
    for env_id, seed in (("schnapsen_v0", 4), ("preferans_v0", 4)):
        env = played(CardGameEnv(env_id), seed, END)
        text += env.record(players=[f"agent {seat}" for seat in range(env.game.seats)])
    (tmp_path / "deals.jsonl").write_text(text)
    return tmp_path / "deals.jsonl"


def test_deals_are_printed_as_a_text_that_reads_back(record, tmp_path, capsys):
    assert here(show.main, record) == 0
    printed = capsys.readouterr().out
    assert printed == "\n".join(write_deal(*each) for each in read_file(record))
    (tmp_path / "deals.txt").write_text(printed)
    assert list(read_file(tmp_path / "deals.txt"))[1][1] == list(read_file(record))[1][1]


def test_one_step_as_a_seat_sees_it(record, capsys):
    assert here(show.main, record, "--deal", 1, "--step", 2, "--seat", "player_1") == 0
    env = CardGameEnv("schnapsen_v0", render_mode="ansi", render_seat=1)
    (_, deal), _ = read_file(record)
    options = deal.options()
    env.reset(options={**options, "actions": options["actions"][:2]})
    assert capsys.readouterr().out == f"{env.render()}\n"


def test_a_record_of_a_seat_names_no_card_that_it_does_not_know(record, tmp_path, capsys):
    """Neither do the page and the picture of it."""
    (_, deal), _ = read_file(record)
    own = tmp_path / "own.jsonl"
    assert here(show.main, record, "--deal", 1, "--seat", 0, "--jsonl", own) == 0
    page, picture = tmp_path / "own.html", tmp_path / "own.svg"
    assert here(show.main, own, "--html", page, "--svg", picture) == 0
    ((_, known),) = read_file(own)
    assert (known.seat, known.deck == deal.deck) == (0, False)
    capsys.readouterr()
    assert here(show.main, own) == 0
    text = capsys.readouterr().out
    assert "; player_1  ? ? ? ? ?\n" in text
    assert here(show.main, own, "--seat", 1) == 2
    assert "expected player_0, whose record this is" in capsys.readouterr().err


def test_the_page_holds_every_step(record, tmp_path):
    page = tmp_path / "deals.html"
    assert here(show.main, record, "--html", page) == 0
    text = page.read_text()
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    deals = [deal for _, deal in read_file(record)]
    assert [len(each["frames"]) for each in data["deals"]] == [len(deal.moves) + 1 for deal in deals]
    assert data["deals"][0]["title"] == "1. Schnapsen: agent 0, agent 1"
    words = [frame["words"] for frame in data["deals"][1]["frames"]]
    assert words[1:] == [f"player_{move.seat} {move.action}" for move in deals[1].moves]
    assert max(n for each in data["deals"] for f in each["frames"] for n in f["table"]) < len(
        data["elements"]
    )
    assert not re.search(r'(src|href)="(?!#)', text), "nothing from outside"


def test_pictures_are_whole_files(record, tmp_path):
    for words in ((), ("--step", 3)):
        picture = tmp_path / "deal.svg"
        assert here(show.main, record, "--deal", 2, "--svg", picture, *words) == 0
        root = ElementTree.fromstring(picture.read_text())
        assert root.get("viewBox") == "0 0 1120 640"
        moving = root.findall("{*}g")
        assert len(moving) == (0 if words else len(list(read_file(record))[1][1].moves) + 1)


def test_the_title_of_the_page_is_the_name_of_the_file(record, tmp_path):
    """Whatever it is: no part of the template, such as the data, comes in its place."""
    odd = record.rename(tmp_path / "{{DATA}}.jsonl")
    assert here(show.main, odd, "--html", tmp_path / "deals.html") == 0
    assert "<title>Stichwerk: {{DATA}}.jsonl</title>" in (tmp_path / "deals.html").read_text()


def test_files_that_are_no_record(tmp_path, capsys):
    file = tmp_path / "deals"
    for content in (b"", b"\xff\xfe", b"{}", b"[game os:x]", b"hello"):
        file.write_bytes(content)
        assert here(show.main, file) == 2
        err = capsys.readouterr().err
        assert str(file) in err
        assert err.count("\n") == 1
    assert here(show.main, tmp_path / "missing") == 2
