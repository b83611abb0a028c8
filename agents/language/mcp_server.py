"""A server of the Model Context Protocol: an assistant that speaks it can play a seat (package `mcp`)."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from stichwerk import __version__
from stichwerk.agents import make_agent_for
from stichwerk.agents.language.game import TextGame
from stichwerk.envs.games import find_game, make_game
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError, quoted
from stichwerk.support.extras import from_extra

ABOUT = """\
Trick-taking card games against computer players. Call new_deal, then act until the deal is over. look shows
the table again; hint tells the action of a computer player. A seed is for one game and one seat."""


class DealServer:
    """The tools of the server: one deal at a time, for one client.

    A client that names a seed plays it in one game and from one seat: from another it would see cards that
    were hidden before. It may begin the deal again.

    Args:
        env: the environment id of deals for which the client names none
        opponents: the agent of the other seats
        hint: the agent whose action `hint` tells
        rules: a preset, or a dict of options, for deals of `env`

    Raises:
        InputError: the game, its rules or an agent is unknown or does not fit.
    """

    def __init__(
        self, env: str = "schnapsen_v0", opponents: str = "rules", hint: str = "rules", rules: RuleSpec = None
    ):
        self._usual = make_game(env, rules)
        self._opponents, self._hint = opponents, hint
        for agent in (opponents, hint):
            make_agent_for(agent, self._usual)
        self._game: TextGame | None = None
        self._played: dict[int, tuple[str, int]] = {}  # by seed: the environment id and the seat

    def new_deal(self, env: str | None = None, seat: int | str | None = None, seed: int | None = None) -> str:
        """Deal a new game; returns the rules in short, the table, and the legal actions.

        env: the game, such as schnapsen_v0, sixty_six_v0, snapszer_v0, gaigel_v0 or preferans_v0
        seat: the seat to play, by number from 0 or as player_0
        seed: the same seed gives the same cards; it is for one game and one seat
        """
        if env is not None and ":" in env:  # MODULE:ID would import a module
            raise InputError(f"env: got {quoted(env)}; expected an environment id")
        wanted = self._usual.env_id if env is None else find_game(env)[0]
        game = self._usual if wanted == self._usual.env_id else make_game(wanted)
        played, place = self._played.get(seed, ("", 0)) if seed is not None else ("", 0)
        if seat is None and played == wanted:
            seat = place
        dealt = TextGame(game.address, seat, self._opponents, seed, rules=game.rules)
        question = dealt.reset()
        if played and (played, place) != (wanted, dealt.seat):
            raise InputError(
                f"seed: got {seed} for {wanted} from seat {dealt.seat}; "
                f"expected another one, since it was dealt in {played} to seat {place}"
            )
        if seed is not None:
            self._played[seed] = wanted, dealt.seat
        self._game = dealt
        return question

    def look(self) -> str:
        """Show the table and the legal actions once more."""
        return self._dealt().look()

    def act(self, action: int | str) -> str:
        """Play an action, by number or name; returns what the others do, and the next question."""
        return self._under_way().answer(action).text

    def hint(self) -> str:
        """Tell the action that a computer player would play."""
        return self._under_way().hint(self._hint)

    def _dealt(self) -> TextGame:
        if self._game is None:
            raise InputError("no deal is under way: call new_deal")
        return self._game

    def _under_way(self) -> TextGame:
        if not self._dealt().legal:
            raise InputError("the deal is over: call new_deal")
        return self._dealt()

    def make(self) -> Any:
        """The `MCPServer` with these tools, whose `run()` serves standard input and output; MissingExtra
        without the package `mcp`."""
        server = from_extra("mcp.server", "mcp").MCPServer(
            "stichwerk", version=__version__, instructions=ABOUT
        )
        for tool in (self.new_deal, self.look, self.act, self.hint):
            server.tool(structured_output=False)(_telling_errors(tool))
        return server


def _telling_errors(tool: Callable[..., str]) -> Callable[..., str]:
    """The tool with errors of input as those whose message the client sees."""
    tool_error = from_extra("mcp.server.mcpserver.exceptions", "mcp").ToolError

    @wraps(tool)
    def call(*given: Any, **named: Any) -> str:
        try:
            return tool(*given, **named)
        except InputError as error:
            raise tool_error(str(error)) from None

    return call
