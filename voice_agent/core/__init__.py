"""What decides: no threads, no files, no network; only the standard library."""
