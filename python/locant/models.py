"""Real models: golden vectors for other implementations, extensions."""
from __future__ import annotations

from ._vectors import (VectorCase, VectorReport, extend, vectors,
                       verify_vectors)

__all__ = ["VectorCase", "VectorReport", "extend", "vectors",
           "verify_vectors"]
