"""Policy networks: layers and weights, suits renamed around them, the player that asks one, its ONNX file."""
