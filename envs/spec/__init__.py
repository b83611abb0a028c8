"""The parts of a game's declaration: fields, rule options, encodings, a scene; `GameSpec` joins them."""
