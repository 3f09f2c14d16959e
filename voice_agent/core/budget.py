"""How much one turn may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """`steps`: requests in one turn. A turn that asks what, why and where needs about five; forty is a loop."""

    steps: int = 12


@dataclass(frozen=True)
class Limits:
    """Seconds of silence after which a stage is given up; every one is multiplied by the setting `stage_seconds`."""

    warm_up: float = 60.0
    ears: float = 10.0
    model: float = 30.0
    voice: float = 5.0
    patience: float = 5.0
    receipt: float = 0.3

    def scaled(self, factor: float) -> "Limits":
        """The same limits, each `factor` times as long; how long a barge-in waits is not a matter of patience."""
        return Limits(
            self.warm_up * factor,
            self.ears * factor,
            self.model * factor,
            self.voice * factor,
            self.patience * factor,
            self.receipt,
        )
