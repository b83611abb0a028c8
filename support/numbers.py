"""Numbers as people write them (`20000`, `20_000`, `2e4`), and as tables show them: no more digits than their
intervals bear."""

import re
from math import floor, isfinite, log10

DIGITS = r"(?:0|[1-9](?:_?[0-9])*)"
WHOLE = re.compile(rf"([-+]?)({DIGITS})(?:(?:\.([0-9]+))?[eE]\+?([0-9]{{1,2}}))?")


def whole_number(text: str) -> int | None:
    """The whole number of a text, such as `20000`, `20_000`, `2e4` or `1.5e3`; None if it is not one."""
    match = WHOLE.fullmatch(text)
    if match is None:
        return None
    sign, digits, part, power = match.groups()
    part, power = (part or "").rstrip("0"), int(power or 0)
    return int(sign + digits + part) * 10 ** (power - len(part)) if len(part) <= power else None


def in_value(value: float, margin: float | None = None, of_match: bool = False) -> str:
    """The value of an action: game points such as `+0.21 ± 0.05`, or in percent of the probability to win a
    match, such as `+2.1 ± 0.5 %`. Infinite margins are not known."""
    unit, form = (100, ".1f") if of_match else (1, ".2f")
    text = f"{value * unit:+{form}}"
    if margin is not None:
        text += f" ± {format(margin * unit, form) if isfinite(margin) else '–'}"
    return f"{text} %" if of_match else text


def digits_for(margin: float) -> int:
    """The number of decimals for an interval: its first two digits."""
    return 3 if margin <= 0 else min(max(1 - floor(log10(margin)), 0), 4)


def split_points(mean: float, margin: float | None) -> list[str]:
    """A mean and half of its interval as two cells, with no more digits than the interval bears."""
    if margin is None:
        return [f"{mean:+z.2f}", "–"]
    digits = digits_for(margin)
    return [f"{mean:+z.{digits}f}", f"{margin:.{digits}f}"]


def in_points(mean: float, margin: float | None, signed: bool = True) -> str:
    """A mean and half of its interval as one text, such as `+0.21 ± 0.05`."""
    value, half = split_points(mean, margin)
    return f"{value if signed else value.lstrip('+')} ± {half}"
