"""The side pane: the conversation, cards and state of the assistant on a terminal."""
