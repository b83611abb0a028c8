"""Let other programs play: an assistant (MCP), a trainer of language models (OpenEnv), a host of engines."""
