"""The declaration of a game, and what holds in every position of its play."""

from collections import Counter
from collections.abc import Sequence

from stichwerk.envs.aec import CardGameEnv
from stichwerk.envs.core.cards import NONE
from stichwerk.envs.core.log import log_entries
from stichwerk.envs.engine.engine import engine_for
from stichwerk.envs.engine.lanes import Episode
from stichwerk.envs.spec.game import Game
from stichwerk.envs.testing.playing import Chooser, legal_actions, naming_the_place, over, positions


def check_declaration(game: Game) -> None:
    """Sizes fit, every feature has its place, and options and actions have words."""
    deck = Counter(game.deck)
    assert set(deck) <= set(game.pack.names), (
        f"the deck has {set(deck) - set(game.pack.names)}, the pack has not"
    )
    assert len(set(game.actions)) == len(game.actions), "two actions have one name"
    assert game.sides, "nobody sits at the table"
    for encoding in (*game.encodings.values(), game.perfect):
        names = [feature.name for feature in encoding.features]
        assert len(set(names)) == len(names), f"{encoding.name}: two features have one name"
        for feature in encoding.features:
            parts = {"card": len(game.pack), "suit": 4, "action": len(game.actions), "value": 1}[feature.per]
            assert feature.size % parts == 0, f"{encoding.name}: {feature.name} is no multiple of {parts}"
            assert feature.meaning, f"{encoding.name}: {feature.name} has no meaning"
    for option in getattr(type(game.rules), "__dataclass_fields__", {}).values():
        if option.metadata:
            assert all(option.metadata[part] for part in ("meaning", "source")), f"{option.name} has no words"


def check_play(game: Game, choose: Chooser, episode: Episode = "deal", episodes: int = 5) -> None:
    """Every decision has a legal action, and nobody else has one. The numbers are in their spaces, cards are
    played once, and gains of one side are losses of the others."""
    env = CardGameEnv(game.env_id, game.rules, episode)
    for number in range(episodes):
        with naming_the_place(env, number):
            _check_one_play(env, choose, number)


def _check_one_play(env: CardGameEnv, choose: Chooser, seed: int) -> None:
    game, copies = env.game, Counter(env.game.deck)
    deals_done, played = 0, Counter[str]()
    for agent in positions(env, choose, seed):
        state = env.copy_state()[0]
        if state.deals_done != deals_done:
            deals_done, played = int(state.deals_done), Counter()
        assert state.log_size < len(state.log), "there is no room to write down the next action"
        assert Counter(game.pack.names[card] for card in state.deck[: len(game.deck)]) == copies, (
            "cards are lost"
        )
        _check_one_position(env, agent)
        _check_refusal(env, agent)
        assert not any(env.rewards.values()), "a reward before the end of the episode"
        _check_points(env)
        action = game.actions[log_entries(state)[-1][1]] if state.log_size else None
        if action and action.card is not None:
            played[action] += 1
            assert played[action] <= copies[action.card], f"{action!r} came more often than the card is there"
    if not over(env):
        return
    if env.episode == "deal":  # a match may pay every loser as much as every winner gets
        assert abs(sum(env.rewards.values())) < 1e-9, f"the rewards {env.rewards} do not add up to zero"
        least, most = game.stakes
        assert all(least <= reward <= most for reward in env.rewards.values()), (
            f"the rewards {env.rewards} are outside the stakes, {least} to {most}"
        )
    _check_points(env)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents), (
        "the end has actions"
    )


def _check_points(env: CardGameEnv) -> None:
    """The points of each deal that has just ended add up to zero."""
    for points in zip(*(info["deals"] for info in env.infos.values() if info), strict=True):
        assert abs(sum(points)) < 1e-6, f"the points of a deal, {points}, do not add up to zero"


def _check_one_position(env: CardGameEnv, acting: str) -> None:
    assert env.state_space.contains(env.state()), "the perfect information is outside its space"
    log = log_entries(env.copy_state()[0])
    for agent in env.possible_agents:
        _check_log(env, agent, log)
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen), f"what {agent} observes is outside its space"
        expected = agent == acting
        assert seen["action_mask"].any() == expected, (
            f"{agent} {'has no' if expected else 'has a'} legal action"
        )


def _check_refusal(env: CardGameEnv, acting: str) -> None:
    """An action that is not legal is refused with a reason on one line, without a full stop."""
    game, legal = env.game, [env.game.actions[env.game.action_index[name]] for name in legal_actions(env)]
    view, seat = env.view(acting), env.possible_agents.index(acting)
    others = [action for action in game.actions if action not in legal]
    if others:
        action = others[int(view["log_size"][0]) * 7 % len(others)]
        said = game.why_not(view, seat, legal, action)
        fits = said and said == said.strip(" .\n") and "\n" not in said
        assert fits, f"why_not says {said!r} of {action!r}; expected one line without a full stop"


def _check_log(env: CardGameEnv, agent: str, log: Sequence[tuple[int, int]]) -> None:
    """Each entry of the log is shown, or blank, or its action is one that `leaves_out` names."""
    leaves_out = engine_for(env.game.spec, False).leaves_out
    seat, rules = env.possible_agents.index(agent), env.game.rules_record[0]
    there = [
        (actor, action)
        for actor, action in log
        if actor == seat or not leaves_out(rules, seat, actor, action)
    ]
    shown = log_entries(env.view(agent)[0])
    assert len(shown) == len(there), f"{agent} is shown a log without actions that leaves_out does not name"
    assert all(
        who == actor and action in (NONE, done)
        for (who, action), (actor, done) in zip(shown, there, strict=True)
    ), f"{agent} is shown a log of other actions"
