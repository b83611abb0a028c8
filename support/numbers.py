"""Numbers as people write them in files and on the command line: `20000`, `20_000`, `2e4`."""

import re

DIGITS = r"(?:0|[1-9](?:_?[0-9])*)"
WHOLE = re.compile(rf"([-+]?)({DIGITS})(?:(?:\.([0-9]+))?[eE]\+?([0-9]{{1,2}}))?")


def whole_number(text: str) -> int | None:
    """The whole number that a text stands for, such as `20000`, `20_000`, `2e4` or `1.5e3`; None if it stands
    for none."""
    match = WHOLE.fullmatch(text)
    if match is None:
        return None
    sign, digits, part, power = match.groups()
    part, power = (part or "").rstrip("0"), int(power or 0)
    return int(sign + digits + part) * 10 ** (power - len(part)) if len(part) <= power else None
