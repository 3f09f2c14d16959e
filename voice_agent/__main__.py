"""Entry point of `voice-agent` and `python -m voice_agent`."""

from voice_agent.cli import main

if __name__ == "__main__":
    main()
