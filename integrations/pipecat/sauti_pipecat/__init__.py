"""Speech to text for Pipecat pipelines: Kikuyu and Dholuo from a Sauti service."""

from .stt import SautiSTTService, SautiSTTSettings

__all__ = ["SautiSTTService", "SautiSTTSettings"]
