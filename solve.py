"""Solve a set deal with all cards known: `python solve.py …` is `stichwerk solve …` in a checkout."""

from stichwerk.commands import run

if __name__ == "__main__":
    run("solve")
