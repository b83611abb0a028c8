"""Learning by self-play: configuration, opponent pool, learner, run folder."""
