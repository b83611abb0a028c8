"""The notebook runs from top to bottom, in a folder of its own."""

import json
import os
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).with_name("first_steps.ipynb")


def test_the_notebook_is_kept_without_outputs():
    cells = [
        cell
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    assert cells
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)


@pytest.mark.slow
def test_the_notebook_runs(tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    programs = Path(sys.executable).parent  # where `stichwerk` is installed
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    table, compared = (tmp_path / name / "results.json" for name in ("evaluation", "comparison"))
    first_against_random = json.loads(table.read_text(encoding="utf-8"))["pairs"][0]
    assert (first_against_random["a"], first_against_random["b"]) == ("first", "random")
    assert first_against_random["low"] > 0
    assert json.loads(compared.read_text(encoding="utf-8"))["pairs"][0]["low"] > 0, (
        "the trained network is better"
    )
    pictures = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output and {"image/svg+xml", "image/png"} & set(output.data)
    ]
    assert len(pictures) == 3
