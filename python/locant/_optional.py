"""Packages that only parts of locant need."""
from __future__ import annotations

import importlib
from typing import Any


def need(module: str, part: str, extra: str) -> Any:
    """Import a package; the error of a missing one names the part of locant
    that needs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"locant.{part} needs {module.split('.')[0]}, which cannot be "
            f"imported ({error}); pip install 'locant[{extra}]'") from None
