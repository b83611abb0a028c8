"""Game records: deals as text that people and programs read, and their way back.

`deal` is what a record of one deal holds, and `replay` plays it again and checks every action. `jsonl` writes
records as JSON Lines, and `notation` as a text for people.
"""
