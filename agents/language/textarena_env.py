"""Every game of the suite in TextArena, with a language model in each seat (package `textarena`).

    import stichwerk.agents.language.textarena_env
    env = textarena.make("Stichwerk-Schnapsen-v0")

Importing this module registers the environments.
"""

from typing import Any

import numpy as np
import textarena as ta
from textarena.wrappers import LLMObservationWrapper

from stichwerk.agents.language.answers import AnswerError, read_answer
from stichwerk.agents.language.words import CARDS, question, seat_line
from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.games import OWN_GAMES, name_and_version
from stichwerk.envs.spec.options import RuleSpec
from stichwerk.support.errors import InputError


class CardGame(ta.Env):
    """One deal. A player sees what its seat sees; the text of an action is shown to nobody else.

    After `wrong_answers` in a row to one question the player forfeits the deal. Each seat of its side gets
    the least game points that a deal may bring, and the others share them.

    Args:
        game: the environment id, such as "schnapsen_v0"
        rules: a preset, or a dict of options
        wrong_answers: how many lose the deal
    """

    def __init__(self, game: str, rules: RuleSpec = None, wrong_answers: int = 3):
        self.table = CardGameEnv(game, rules)
        self._wrong_answers = wrong_answers

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal; InputError for another number of players than the game has seats."""
        game = self.table.game
        if num_players != game.seats:
            raise InputError(
                f"num_players: got {num_players}; expected {game.seats}, the seats of {game.env_id}"
            )
        self.table.reset(seed=seed)
        while self.table.terminations["player_0"]:  # by its cards
            self.table.reset()
        self._told = [0] * num_players  # actions, to each seat
        self.state = ta.MinimalMultiPlayerState(num_players, error_allowance=self._wrong_answers - 1)
        self.state.reset(player_prompt_function=self._prompt)
        self._ask()

    def _prompt(self, player_id: int, game_state: Any) -> str:
        aim = "Win as many game points as you can in this deal."
        game = self.table.game
        return f"{game.rules_text()}\n\n{CARDS}\n{seat_line(game, player_id)} {aim}"

    def _legal(self) -> list[str]:
        mask = self.table.observe(self.table.agent_selection)["action_mask"]
        return [str(self.table.game.actions[action]) for action in np.flatnonzero(mask)]

    def _ask(self) -> None:
        """Show the table to the player whose turn it is."""
        agent = self.table.agent_selection
        seat = self.table.possible_agents.index(agent)
        view = self.table.view(agent)
        text = question(self.table.game, view, seat, self._legal(), self._told[seat])
        self._told[seat] = int(view[0].log_size)
        self.state.manually_set_current_player_id(seat, force=True)
        self.state.add_observation(text, ta.ObservationType.GAME_BOARD, to_id=seat)

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the action that the text of the present player names."""
        seat = self.state.current_player_id
        self.state.add_observation(action, ta.ObservationType.PLAYER_ACTION, from_id=seat, to_id=seat)
        try:
            name = read_answer(action, self._legal())
        except AnswerError as error:
            if self.state.set_invalid_move(f"{error}."):
                points = dict(enumerate(self.table.game.forfeit(seat).tolist()))
                self.state.set_game_outcome(points, f"player_{seat} forfeits the deal")
            return self.state.step(rotate_player=False)
        self.table.step(name)
        if self.table.terminations["player_0"]:
            points = {each: self.table.rewards[f"player_{each}"] for each in range(self.table.game.seats)}
            self.state.set_game_outcome(points, "the deal is over")
        done, info = self.state.step(rotate_player=False)
        if not done:
            self._ask()
        return done, info


class DealObservationWrapper(LLMObservationWrapper):
    """All that a player has seen of this deal, as one text. TextArena's own wrapper would put all earlier
    deals before it."""

    def reset(self, num_players: int, seed: int | None = None) -> None:
        super().reset(num_players, seed)
        self.full_observations.clear()


def textarena_id(env_id: str) -> str:
    """The id in TextArena: `sixty_six_v0` is `Stichwerk-SixtySix-v0`."""
    name, version = name_and_version(env_id)
    return f"Stichwerk-{name.title().replace('_', '')}-v{version}"


for _env_id in OWN_GAMES:
    ta.register(textarena_id(_env_id), CardGame, default_wrappers=[DealObservationWrapper], game=_env_id)
