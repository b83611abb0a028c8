"""Data sets of decisions as Parquet files, for offline learning and imitation: written from the games of any
agents or from records, and read again as arrays."""
