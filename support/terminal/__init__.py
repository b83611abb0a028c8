"""Command lines and what they print: options, progress, streams that cannot hold every character."""
