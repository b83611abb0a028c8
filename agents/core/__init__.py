"""The interface of agents: `Agent` and the turns it answers, and the short texts that name one."""
