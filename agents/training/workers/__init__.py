"""Several workers of one training: processes of this machine, or of a Ray cluster."""
