"""What every game stands on: cards, tricks, random numbers, rule options, encodings and compiled loops."""

from stichwerk.envs.core.compile_cache import notice_all_changes

notice_all_changes()
