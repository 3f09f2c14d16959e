"""Microphone and speaker of this machine, through PortAudio; on Linux by the sound server's own names."""
