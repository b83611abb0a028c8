"""The machine: its hardware, sockets, browser, and other machines by Ray."""
