"""Train a PPO agent by self-play: `python train.py configs/schnapsen.yaml …` is `stichwerk train …` in a
checkout."""

from stichwerk.commands import run

if __name__ == "__main__":
    run("train")
