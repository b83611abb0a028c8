"""Play that is measured: series of deals, here and on a cluster, tournaments, regret, analysis."""
