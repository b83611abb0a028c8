"""Counting the deals that agree with what a seat knows, for the models of the games."""

from functools import cache


def ways(cards: tuple[int, ...], room: tuple[int, ...], barred: list[set[int]]) -> int:
    """In how many ways the cards can be dealt into hands with so much room; the rest stays in the deck."""

    @cache
    def from_card(number: int, room: tuple[int, ...]) -> int:
        rest = len(cards) - number - sum(room)
        if rest < 0:
            return 0
        if number == len(cards):
            return 1
        into_hands = (
            from_card(number + 1, tuple(size - (place == hand) for place, size in enumerate(room)))
            for hand in range(len(room))
            if room[hand] and cards[number] not in barred[hand]
        )
        return sum(into_hands) + (from_card(number + 1, room) if rest else 0)

    return from_card(0, room)
