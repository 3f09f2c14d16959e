"""What lasts: the memory of each repository, what it is worth, and how it is erased."""
