"""Tables at which people play against agents and against each other: `stichwerk play`.

`table.py` plays a game, `message.py` makes what a person is sent from the redacted view of the seat,
`words.py` reads and says actions, `opponents.py` chooses who plays the other seats, and `terminal.py` shows a
table in characters. `server.py` serves the page in `page/`, for the tables of `rooms.py`, and `worker.py` is
the thread that plays at them. `study.py` judges a deal that is over, `position.py` reads positions to begin
in, `exercises.py` those that come with a question, and `newest.py` plays the newest network of a training.
"""
