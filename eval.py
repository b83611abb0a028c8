"""Compare agents over duplicate deals: `python eval.py --agents rules random …` is `stichwerk eval …` in a
checkout."""

from stichwerk.commands import run

if __name__ == "__main__":
    run("eval")
