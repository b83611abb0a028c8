"""What a game declares: fields, rule options, encodings, a scene, and the `GameSpec` that joins them."""
