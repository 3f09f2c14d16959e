"""A push-to-talk voice assistant for people who write software."""

__version__ = "0.1.0"
