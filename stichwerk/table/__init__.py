"""Tables at which people play against agents and against each other: `stichwerk play`.

`table.py` plays a game, and `message.py` writes a person's message from the redacted view of the seat.
`protocol.py` has all requests and messages. `words.py` reads and says actions, `opponents.py` chooses the
agents of the other seats, and `terminal.py` shows a table in characters. `ratings.py` asks agents, `study.py`
judges a deal that is over, and `newest.py` plays the newest network of a training.

`cold.py` lets a first start play interpreted; then `serving/processes/` hands tables to a process that has
compiled their games, as `records/saved.py` writes them; `--keep FOLDER` keeps them on disk in the same way.

`serving/` sends the pages in `page/` to browsers, and answers them; `serving/door.py` is the front door.
`positions/` reads the positions in which tables begin, and `records/` writes deals.
"""
