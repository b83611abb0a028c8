"""The processes beside that which serves: one compiles what tables need, another one goes on with them."""
