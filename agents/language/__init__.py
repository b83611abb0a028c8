"""Games as text, for language models: the rules in short, what a seat sees, and answers in free text."""

from stichwerk.agents.language.answers import AnswerError, read_answer
from stichwerk.agents.language.game import Reply, TextGame

__all__ = ["AnswerError", "Reply", "TextGame", "read_answer"]
