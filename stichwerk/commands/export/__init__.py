"""Write for other tools: data sets, networks as ONNX, puzzles, and records in other notations."""
