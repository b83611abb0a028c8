"""Results as tables on the terminal, as files, as pictures and as pages."""
