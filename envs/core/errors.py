"""What can be wrong with what a caller gives. Every message names the value and says what is allowed, in one line."""


class InputError(ValueError):
    """Something given to the suite is wrong; the commands print the message and exit with status 2."""


class RulesError(InputError):
    """An unknown preset, field or value of a rule option."""


class SetupError(InputError):
    """An impossible deck, dealer, match state or action in a set deal."""


class IllegalAction(InputError):  # noqa: N818 - the name is part of the public interface
    """An action that the seat to act may not play; the message names action, seat and legal actions."""
