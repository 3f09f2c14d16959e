"""What touches the world: one third-party family a module."""
