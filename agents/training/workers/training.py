"""The workers of a training: the first has the run folder, all have lanes and the same network."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from stichwerk.agents.training.callback import chance_of_its_own
from stichwerk.agents.training.config import TrainConfig
from stichwerk.agents.training.learner import Learner
from stichwerk.agents.training.workers.peers import Part, Peers, WorkerLost, leading


@contextmanager
def with_workers(learner: Learner) -> Iterator[None]:
    """Let the other workers of a learner's config, if it has any, learn with it.

    Raises:
        WorkerLost: one of them has died. An error in one of them is raised as it was there.
    """
    execution = learner.config.execution
    if execution.workers == 1:
        yield
        return
    parts = [Part(rank, execution.workers, _follow, learner.config) for rank in range(1, execution.workers)]
    try:
        with ExitStack() as ends:
            with chance_of_its_own():
                peers = ends.enter_context(leading(parts, execution.cluster))
            _join(learner, peers)
            yield
    except WorkerLost as lost:
        raise WorkerLost(f"{lost}; the same command with --resume continues") from None
    finally:
        learner.ppo.peers = Peers()


def _follow(peers: Peers, config: TrainConfig) -> None:
    _join(Learner(config, config.game.make(), peers.rank), peers)
    peers.follow()


def _join(learner: Learner, peers: Peers) -> None:
    learner.ppo.peers, peers.subject = peers, learner
