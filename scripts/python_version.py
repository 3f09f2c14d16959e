"""Ends with one sentence on a Python that is too old: imported first by every command, so it must run on old ones."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - that is the point
    sys.exit("voice-agent needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031
