"""PettingZoo's checks on the order of calls, and the two makers that an environment's module offers."""

from collections.abc import Callable, Iterator
from inspect import Signature, signature
from typing import Any, Concatenate, Literal, ParamSpec, overload

from pettingzoo.utils import OrderEnforcingWrapper

from stichwerk.envs.aec import CardGameEnv, LastTuple, LastTupleUnseen
from stichwerk.support.errors import InputError

Arguments = ParamSpec("Arguments")


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's checks on the order of calls, with InputError for what comes before `reset`; a restored
    environment needs none."""

    @property
    def unwrapped(self) -> CardGameEnv:
        return self.env.unwrapped

    @property
    def _has_reset(self) -> bool:
        self.env._check_started()
        return True

    @_has_reset.setter
    def _has_reset(self, value: bool) -> None:
        """Ignore PettingZoo's own flag: the environment knows whether it has been reset."""

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except InputError as error:  # so that `hasattr` and `getattr` go on working
            raise AttributeError(f"{name}: {error}") from None

    @overload
    def last(self, observe: Literal[True] = True) -> LastTuple: ...

    @overload
    def last(self, observe: bool) -> LastTupleUnseen: ...

    def last(self, observe=True):
        return self.env.last(observe)

    def _repr_svg_(self) -> str | None:
        return self.unwrapped._repr_svg_()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        self._has_updated = True  # an iteration may begin anywhere
        return super().agent_iter(max_iter)


def wrap(env: CardGameEnv) -> OrderEnforcing:
    """PettingZoo's checks on the order of calls; actions are checked by the environment itself."""
    return OrderEnforcing(env)


def makers(
    make: Callable[Concatenate[str, Arguments], CardGameEnv], env_id: str
) -> tuple[Callable[Arguments, CardGameEnv], Callable[Arguments, OrderEnforcing]]:
    """`raw_env, env = makers(CardGameEnv, env_id)`: what PettingZoo expects in an environment's module."""

    def raw_env(*args: Arguments.args, **kwargs: Arguments.kwargs) -> CardGameEnv:
        """The bare environment, the faster one; arguments as `CardGameEnv` takes them behind its id."""
        return make(env_id, *args, **kwargs)

    def env(*args: Arguments.args, **kwargs: Arguments.kwargs) -> OrderEnforcing:
        """The environment in PettingZoo's check on the order of calls; arguments as `raw_env` takes them."""
        return wrap(raw_env(*args, **kwargs))

    _, *others = signature(make).parameters.values()
    for maker, made in ((raw_env, CardGameEnv), (env, OrderEnforcing)):
        maker.__signature__ = Signature(others, return_annotation=made)  # type: ignore[union-attr]
    return raw_env, env
