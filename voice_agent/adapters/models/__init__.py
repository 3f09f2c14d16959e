"""The model files: which there are, where they lie, and how they get there."""

from voice_agent.adapters.models.files import FetchFailed, ModelFiles, ModelMissing, ModelState, Progress, model_files
from voice_agent.adapters.models.manifest import ModelFilesError, PinnedFile, PinnedModel, UnknownModel

__all__ = [
    "FetchFailed",
    "ModelFiles",
    "ModelFilesError",
    "ModelMissing",
    "ModelState",
    "PinnedFile",
    "PinnedModel",
    "Progress",
    "UnknownModel",
    "model_files",
]
