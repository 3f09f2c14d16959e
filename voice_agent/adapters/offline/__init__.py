"""The embedded brain: a model without a network, from a few skills over the same tools."""
