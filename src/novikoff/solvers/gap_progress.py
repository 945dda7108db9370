"""The gap as it falls, and when to stop."""

from __future__ import annotations

from ..inputs.clock import Clock

PATIENCE, LAST_PATIENCE = 40, 2000  # looks at the gap that must bring (where no other method is left)
PROGRESS = 0.7  # it down to this part of what it was


class Progress:
    """Notes the gap as it falls, and says when to stop."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.tick = clock.tick  # raises OutOfTime: for work that takes long between two notes
        self.history: list[tuple[float, float]] = []
        self.begin(PATIENCE)

    def begin(self, patience: int) -> None:
        """A method begins, which may get no further for so many notes."""
        self.patience = patience
        self.least: list[float] = []  # the smallest gap of this method up to each note

    def note(self, gap: float) -> bool:
        """Whether the time is over, or the method gets no further."""
        self.history.append((self.clock.seconds, gap))
        self.least.append(min(gap, self.least[-1]) if self.least else gap)
        stuck = len(self.least) > self.patience and self.least[-1] > PROGRESS * self.least[-1 - self.patience]
        return stuck or self.clock.over
