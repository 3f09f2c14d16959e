"""The desk: the assistant, the global hotkey and the side pane put together."""
