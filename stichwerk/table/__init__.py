"""Tables at which people play against agents and against each other: `stichwerk play`.

`table.py` plays a game, and `message.py` writes a person's message from the redacted view of the seat.
`words.py` reads and says actions, `opponents.py` chooses the agents of the other seats, and `terminal.py`
shows a table in characters. `server.py` serves the page in `page/`, for the tables of `rooms.py`, each with
those who look at it (`room.py`). `worker.py` has the threads that play at them, and `playing.py` lets agents
think there; another process compiles what they need (`compiling.py`, `rehearsal.py`). `connections.py` closes
connections that do nothing, and `kept.py` has the records of deals that are over.

`study.py` judges a deal that is over. `position.py` reads start positions, and `exercises.py` those with a
question. `newest.py` plays the newest network of a training.
"""
