"""Schnapsen and Sixty-six as the columns of The Schnapsen Log print positions, psellos.com/schnapsen.

A diagram has captions, in one line or in several:

    Concealed cards: ♠A ♥AQ ♣Q ♦KQ Your cards: ♠— ♥TJ ♣AK ♦A Trump: ♠J Stock: Open, 1 face-down card
    Game points: Tibor 4, You 4 Trick points: Tibor 20, You 25 On lead: You

Game points are those that are still needed. You are seat 0. The other captions are ours, for what columns
tell in prose and for whole deals:

- `Game`, `Rules`: other than Schnapsen by its default rules
- `Opponent's cards`, `Face-down cards` (top first) instead of concealed cards
- `Tricks`, `Marriages: You ♥`, `Waiting points`: what marriages bring with the next trick. Without
  `Marriages` some are found that explain the trick points
- `Exchanged: Tibor ♠A`: who took which turned-up card
- `Closed by`, `Points then`, `Tricks then`: at the moment of closing
- `Dealer`, and `Play`: actions after the position

A diagram has no past. One is searched, and played by the rules: which cards each has taken, and the order in
which they were dealt, need not be those of the deal that was printed.

Source: psellos.com/schnapsen/blog/diagrams.html; docs/rules/schnapsen.md for the rules.
"""

from stichwerk.envs.bridges.diagrams.reading import is_diagram as is_diagram
from stichwerk.envs.bridges.diagrams.reading import read_diagrams as read_diagrams
from stichwerk.envs.bridges.diagrams.writing import write_diagram as write_diagram
from stichwerk.envs.bridges.diagrams.writing import write_diagrams as write_diagrams
