"""The server of tables: pages and their connections, answers to requests, and the threads that play."""
