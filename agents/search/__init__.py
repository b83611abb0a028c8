"""Players that think ahead: they sample worlds that agree with what they know, and try actions in them."""
