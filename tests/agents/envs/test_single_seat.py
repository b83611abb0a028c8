"""Games for libraries that know one agent: Gymnasium's own checks, and the same rewards as at a table."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env as check_for_sb3

from stichwerk.agents import AgentError
from stichwerk.agents.builtin.baselines import RandomAgent
from stichwerk.agents.core.agent import Turns
from stichwerk.agents.envs.gym import SeatVectorEnv
from stichwerk.agents.envs.selfplay import SelfPlayEnv
from stichwerk.agents.external.policies import from_sb3
from stichwerk.envs import IllegalAction, InputError, SetupError, make_game, make_vec
from stichwerk.envs.games import OWN_GAMES
from tests.agents.support import Onlooker, name_of
from tests.envs.support import each_game, python

ID = "stichwerk/Schnapsen-v0"


def first_legal(observation, mask):
    return int(mask.argmax())


@each_game
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_gymnasium_checks_every_game(env_id, episode):
    env = gymnasium.make(name_of(env_id), opponents="random", episode=episode, illegal="replace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # observations without an upper bound
        check_env(env.unwrapped)
        check_for_sb3(env.unwrapped)


def test_every_game_is_registered():
    assert {name_of(env_id) for env_id in OWN_GAMES} <= set(gymnasium.registry)


def test_a_module_before_the_name_is_imported_first():
    program = f'import gymnasium; print(gymnasium.make("stichwerk.envs:{ID}").spec.id)'
    assert python(program) == ID


def arrays_in(thing) -> list[np.ndarray]:
    """All arrays in what an environment returns."""
    if isinstance(thing, np.ndarray):
        return [thing]
    parts = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (tuple, list)) else ()
    return [array for part in parts for array in arrays_in(part)]


MAKERS = {
    "one table": lambda: gymnasium.make(ID, opponents="random"),
    "tables": lambda: gymnasium.make_vec(ID, 3, opponents="random"),
    "tables, next step": lambda: gymnasium.make_vec(ID, 3, opponents="random", autoreset="next_step"),
    "Gymnasium's tables": lambda: gymnasium.make_vec(ID, 3, "sync", opponents="random"),
    "all seats": lambda: make_vec("schnapsen_v0", 3),
    "self-play": lambda: SelfPlayEnv(make_game("schnapsen_v0"), 3, [(RandomAgent("random"), 1.0)], 1),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_what_environments_hand_out_stays_as_it_is(maker):
    """Rows that are kept without a copy differ as the steps did."""
    env, rng = MAKERS[maker](), np.random.default_rng(1)
    kept, then, given = [], [], env.reset()
    for _ in range(60):
        for array in arrays_in(given):
            kept.append(array)
            then.append(array.copy())
        if maker == "all seats":
            masks = given[0]["action_mask"]
        elif maker == "self-play":
            masks = np.stack(env.env_method("action_masks"))
        else:
            masks = given[-1]["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(axis=-1)
        given = env.step(actions)
        if maker == "one table" and given[2]:
            given = env.reset()
    assert all(map(np.array_equal, kept, then))
    assert len({array.tobytes() for array in kept}) > 50


@each_game
def test_random_actions_are_legal_and_episodes_pay(env_id):
    env = gymnasium.make(name_of(env_id), opponents="rules")
    seats = set()
    for episode in range(8):
        _, info = env.reset(seed=1 if episode == 0 else None)
        seats.add(info["seat"])
        ended = False
        while not ended:
            np.testing.assert_array_equal(env.unwrapped.action_masks(), info["action_mask"] == 1)
            action = env.action_space.sample(info["action_mask"])
            _, reward, ended, truncated, info = env.step(action)
            assert ended or reward == 0
            assert not truncated
        assert reward == env.unwrapped.table.rewards[f"player_{info['seat']}"]
        assert not info["action_mask"].any()
    assert seats == set(range(env.unwrapped.table.game.seats))


class Noting(RandomAgent):
    """Keeps the seats that it has played."""

    def __init__(self):
        super().__init__("noting")
        self.seats = set()

    def act(self, turns):
        self.seats |= set(turns.all_seats)
        return super().act(turns)


def play(env, episodes: int) -> set[int]:
    """Random play; the seats played from outside."""
    seats = set()
    for _ in range(episodes):
        _, info = env.reset()
        ended = False
        while not ended:
            seats.add(info["seat"])
            *_, ended, _, info = env.step(env.action_space.sample(info["action_mask"]))
    return seats


def test_the_seat_and_its_partner_can_be_chosen():
    others, partner = Noting(), Noting()
    env = gymnasium.make("stichwerk/Gaigel-v0", opponents=others, partner=partner, seat="player_2")
    assert play(env, 3) == {2}
    sides = np.array(env.unwrapped.table.game.sides)
    assert all(sides[seat] != sides[2] for seat in others.seats)
    assert partner.seats == set(np.flatnonzero(sides == sides[2])) - {2}


def test_opponents_see_no_hidden_cards():
    """`Onlooker` checks every turn."""
    player = Onlooker(RandomAgent("random"))
    play(gymnasium.make(ID, opponents=player), 10)
    assert len(player.seen()[1]) > 10


def test_a_deal_can_be_set():
    env = gymnasium.make(ID, opponents=first_legal, render_mode="ansi")
    deck = list(make_game("schnapsen_v0").deck)
    env.reset(seed=1, options={"deck": deck[::-1], "dealer": 1})
    assert env.unwrapped.table.snapshot()["state"]["deck"] is not None
    assert "player_0" in env.render()
    again = gymnasium.make(ID, opponents=first_legal)
    np.testing.assert_array_equal(
        again.reset(seed=9, options={"deck": deck[::-1], "dealer": 1})[0],
        env.unwrapped.table.observe("player_0")["observation"],
    )


def test_video_tools_find_pictures():
    """Gymnasium's own wrapper collects one array a step, all of one size; a spectator sits in one place."""
    env = gymnasium.make(ID, opponents=first_legal, render_mode="rgb_array_list", render_seat="all")
    _, info = env.reset(seed=1)
    ended, steps = False, 0
    while not ended:
        *_, ended, _, info = env.step(int(info["action_mask"].argmax()))
        steps += 1
    frames = env.render()
    assert len(frames) == steps + 1
    assert {(frame.shape, frame.dtype) for frame in frames} == {((640, 1120, 3), np.dtype(np.uint8))}
    assert any((frame != frames[0]).any() for frame in frames)


def test_a_picture_is_that_of_the_seat_played():
    env = gymnasium.make(ID, opponents=first_legal, render_mode="svg", seat=1)
    env.reset(seed=1)
    table = env.unwrapped.table
    assert env.render() == env.unwrapped._repr_svg_() == table.picture("player_1").svg()
    assert table.picture("player_0").svg() != env.render() != table.picture("all").svg()


def test_illegal_actions_change_nothing():
    env = gymnasium.make(ID)
    observation, info = env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.unwrapped.step(int(info["action_mask"].argmin()))
    np.testing.assert_array_equal(env.unwrapped.table.observe("player_0")["observation"], observation)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_illegal_actions_are_replaced_where_that_is_asked_for(make):
    env = make(ID, illegal="replace")
    for _ in range(20):
        env.reset(seed=1)
        env.step(env.action_space.sample())
    with pytest.raises(InputError, match="'raise' or 'replace'"):
        make(ID, illegal="lose")


def test_actions_by_number_by_name_and_as_networks_answer():
    env = gymnasium.make(ID).unwrapped
    _, info = env.reset(seed=1)
    number = int(info["action_mask"].argmax())
    for action in (env.table.action_names[number], np.array(number), np.int64(number)):
        env.reset(seed=1)
        env.step(action)
        assert env.table.copy_state()[0].log_size > 0
    env.reset(seed=1)
    for action in (number + 0.5, np.array(float(number)), True, [number], "play"):
        with pytest.raises(IllegalAction):
            env.step(action)


@pytest.mark.parametrize("illegal", ["raise", "replace"])
def test_numbers_that_are_not_one_for_each_lane(illegal):
    env = gymnasium.make_vec(ID, 4, illegal=illegal)
    _, info = env.reset(seed=1)
    for actions in (5, [5], [1.0] * 4, [[0]] * 4):
        with pytest.raises(InputError, match=r"whole numbers in shape \(4,\)"):
            env.step(actions)
    env.step(info["action_mask"].argmax(axis=1).tolist())


def test_the_table_may_go_back():
    """What is legal is asked of the table as it stands, and it must be the seat's turn there."""
    env = gymnasium.make(ID, illegal="replace", seat=0).unwrapped
    env.reset(seed=1)
    before, mask = env.table.snapshot(), env.action_masks()
    for number in np.flatnonzero(mask):
        env.step(number)
        env.table.restore(before)
        np.testing.assert_array_equal(env.action_masks(), mask)
        seen = env.step(number)[0]
        twin = gymnasium.make(ID, seat=0).unwrapped
        twin.reset(seed=1)
        np.testing.assert_array_equal(twin.step(number)[0], seen)
        env.table.restore(before)
    while env.table.agent_selection == "player_0":
        env.table.step(int(env.action_masks().argmax()))
    with pytest.raises(InputError, match="got a turn of player_1"):
        env.step(0)


@pytest.mark.parametrize("opponents", ["whist", {"rules": 0.5}, {}, {"rules": -1, "random": 2}, 3])
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_opponents_that_there_are_not(opponents, make):
    with pytest.raises(AgentError):
        make(ID, opponents=opponents)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_shares_that_are_rounded(make):
    env = make(ID, opponents={"rules": 0.3333333, "rules:0.1": 0.3333333, "random": 0.3333333})
    env.reset(seed=1)


# Side by side


@each_game
def test_a_vector_of_lanes(env_id):
    lanes = 12
    env = gymnasium.make_vec(name_of(env_id), lanes, opponents={"rules": 0.5, "random": 0.5})
    rng, total, done = np.random.default_rng(1), 0, 0
    observation, info = env.reset(seed=1)
    for _ in range(60):
        assert env.observation_space.contains(observation)
        mask = env.unwrapped.action_masks()
        np.testing.assert_array_equal(mask, info["action_mask"] == 1)
        kept = observation.copy()
        new, rewards, terminations, truncations, info = env.step(
            (rng.random(mask.shape) * mask).argmax(axis=1)
        )
        np.testing.assert_array_equal(observation, kept, "arrays stay as they were")
        observation = new
        assert not truncations.any()
        assert not rewards[~terminations].any()
        total += abs(rewards).sum()
        done += terminations.sum()
    assert done > lanes
    assert total > 0


def test_a_seed_starts_a_vector_again():
    env = gymnasium.make_vec(ID, 6, opponents="random")
    played = []
    for seed in (5, None, 5):
        observation, info = env.reset(seed=seed)
        for _ in range(9):
            last = observation, *env.step(info["action_mask"].argmax(axis=1))
            observation, info = last[1], last[5]
        played.append(last)
    np.testing.assert_array_equal(played[0][1], played[2][1])
    assert (played[0][1] != played[1][1]).any()
    with pytest.raises(InputError, match="set deals"):
        env.reset(options={"dealer": 0})


def test_seats_move_on_with_every_reset():
    env = gymnasium.make_vec(ID, 2, opponents="random")
    seats = [env.reset(seed=seed)[1]["seat"].tolist() for seed in (1, None, None, 1)]
    assert seats == [[0, 1], [1, 0], [0, 1], [0, 1]]


def test_opponents_of_vectors_without_seed_are_not_alike():
    """Each draws a seed of its own, for its opponents too."""
    drawn = []
    for _ in range(2):
        env = gymnasium.make_vec(ID, 1, opponents="random").unwrapped
        env.reset()
        drawn.append(env.opponents[0].random.integers(2**62))
    assert drawn[0] != drawn[1]


def test_steps_before_reset_and_after_the_end():
    with pytest.raises(InputError, match="call reset"):
        gymnasium.make_vec(ID, 2).step(np.zeros(2, np.int64))
    env = gymnasium.make(ID).unwrapped
    with pytest.raises(InputError, match="call reset"):
        env.step(0)
    with pytest.raises(InputError, match="call reset"):
        env.action_masks()
    play(env, 1)
    with pytest.raises(InputError, match="call reset"):
        env.step(0)


def test_gymnasiums_own_vector_of_tables():
    env = gymnasium.make_vec(ID, 3, "sync", opponents="random")
    _, info = env.reset(seed=1)
    for _ in range(30):
        _, _, terminations, _, info = env.step(info["action_mask"].argmax(axis=1))
        if terminations.any():
            break
    assert terminations.any()


# Learning libraries


def test_maskable_ppo_learns_in_it_and_plays():
    env = gymnasium.make(ID, opponents="rules")
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=1)
    model.learn(128)
    agent = from_sb3(model, make_game("schnapsen_v0"))
    table = env.unwrapped.table
    table.reset(seed=1)
    assert len(agent.act(Turns.at(table))) == 1


def test_a_refused_reset_changes_nothing():
    wrong = {"deck": ["hA"]}
    env, twin = (gymnasium.make(ID, opponents={"rules": 0.5, "random": 0.5}).unwrapped for _ in range(2))
    with pytest.raises(SetupError):
        env.reset(options=wrong)
    with pytest.raises(InputError, match="call reset"):
        env.step(0)
    for each in (env, twin):
        each.reset(seed=1)
    for seed in (None, 2):
        with pytest.raises(SetupError):
            env.reset(seed=seed, options=wrong)
    assert env.seat == twin.seat == 0
    for _ in range(6):
        for each in (env, twin):
            each.ended = False
        while not env.ended:
            action = int(env.action_masks().argmax())
            (seen, reward, env.ended, _, _), (other, *_) = env.step(action), twin.step(action)
            np.testing.assert_array_equal(seen, other)
        assert reward == twin.table.rewards[f"player_{twin.seat}"]
        np.testing.assert_array_equal(env.reset()[0], twin.reset()[0])


def test_a_reset_in_the_middle_of_episodes_begins_at_decisions():
    """In Preferans for four many deals end before the learner is to act."""
    settings = {"rules": {"players": 4}, "autoreset": "next_step"}
    env = SeatVectorEnv("preferans_v0", 16, "rules", **settings)
    for steps in range(20):
        _, info = env.reset(seed=steps)
        assert not env.at_end.any()
        for _ in range(steps % 5 + 1):
            *_, info = env.step(info["action_mask"].argmax(axis=1))
