"""What no child process gets of the environment: keys and addresses that belong to this program alone."""

from collections.abc import Mapping

WITHHELD = ("ANTHROPIC_", "CLAUDE_", "VOICE_AGENT_", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
"""A list of what is withheld and not of what is allowed: a build needs more of its environment than anybody knows."""


def without_our_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a child: everything but what belongs to this program alone."""
    return {name: value for name, value in environment.items() if not name.upper().startswith(WITHHELD)}
