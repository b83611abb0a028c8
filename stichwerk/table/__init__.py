"""Tables at which people play against agents and against each other: `stichwerk play`.

`table.py` plays a game, and `message.py` writes a person's message from the redacted view of the seat.
`protocol.py` has all requests and messages. `words.py` reads and says actions, `opponents.py` chooses the
agents of the other seats, and `terminal.py` shows a table in characters. `ratings.py` asks agents, `study.py`
judges a deal that is over, and `newest.py` plays the newest network of a training.

`serving/` sends the page in `page/` to browsers, and answers it. `positions/` reads the positions in which
tables begin, and `records/` writes deals.
"""
