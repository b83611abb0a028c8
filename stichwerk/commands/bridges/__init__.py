"""Commands from and to the tools of others, each called by its own name, such as `stichwerk data`."""
