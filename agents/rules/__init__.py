"""Rule-based players, one file a game: compiled functions from a redacted view to an action."""

from collections.abc import Callable

from stichwerk.agents.rules import gaigel, preferans, schnapsen, snapszer

# Environment id -> `choose(rules, view, seat) -> action`.
PLAYERS: dict[str, Callable] = {
    "schnapsen_v0": schnapsen.choose,
    "sixty_six_v0": schnapsen.choose,
    "snapszer_v0": snapszer.choose,
    "gaigel_v0": gaigel.choose,
    "preferans_v0": preferans.choose,
}
