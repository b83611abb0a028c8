"""The rule-based players of version 0.1, which never change, so that results against them stay comparable."""
