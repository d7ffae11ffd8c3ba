"""Real models: compare their positions, identify conventions, extend them, and
golden vectors for other implementations.

liblocant_lab does it; see docs/guide/models.
"""
from __future__ import annotations

from ._compare import Comparison, Difference, compare
from ._convert import Conversion, convert
from ._identify import Identity, identify
from ._vectors import (VectorCase, VectorReport, extend, vectors,
                       verify_vectors)

__all__ = ["Comparison", "Conversion", "Difference", "Identity", "VectorCase",
           "VectorReport", "compare", "convert", "extend", "identify", "vectors",
           "verify_vectors"]
