"""Real models: check and compare their positions, and identify conventions.

liblocant_lab does it; see docs/guide/models.
"""
from __future__ import annotations

from ._check import check
from ._compare import Comparison, Difference, compare
from ._identify import Identity, identify

__all__ = ["Comparison", "Difference", "Identity", "check", "compare",
           "identify"]
