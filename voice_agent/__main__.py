"""Entry point of `voice-agent` and `python -m voice_agent`."""

import os


def main() -> None:
    """Runs the command line; Ctrl-C while it is still being imported ends it without a word."""
    try:
        from voice_agent.cli import main as run
    except KeyboardInterrupt:
        os._exit(1)
    run()


if __name__ == "__main__":
    main()
