"""Who plays better: matches over duplicate deals, here or on a cluster, and what can be told from them."""
