"""axe-core, a checker of accessibility that `make axe` brings here."""

from pathlib import Path

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
OF_PICTURES = "label-content-name-mismatch"  # a card's letters are part of a picture, which its label tells


def faults(page) -> list[str]:
    """What axe-core finds wrong, a line for each element.

    It requests no style sheets, which a page that is read from the disk may not do.
    """
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")["violations"]
    return [
        f"{each['id']}: {node['html'][:150]} {node['failureSummary'][:300]}"
        for each in found
        for node in each["nodes"]
        if each["id"] != OF_PICTURES or "data-card" not in node["html"]
    ]
