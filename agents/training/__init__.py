"""Learning by self-play: configuration, learner, PPO, run folder."""
