"""Write for other tools: data sets, examples, networks as ONNX, puzzles, and records in other notations."""
