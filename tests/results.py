"""What a run of the command left behind, as the tests of the command line look at it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """What a run of the command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on the standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        assert self.out.count("\n") == 1
        return found
