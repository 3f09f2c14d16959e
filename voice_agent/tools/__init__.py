"""What acts for the model: typed, bounded, read-only tools."""
