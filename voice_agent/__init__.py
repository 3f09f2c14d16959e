"""A push-to-talk voice assistant for people who write software."""

import os

__version__ = "0.1.0"

# Set before anything imports the libraries that read them: what is said stays on this machine, and so does that it was.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
