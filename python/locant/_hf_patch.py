"""Methods and functions of transformers that locant.hf replaces.

Each replacement works for attn_implementation="locant" and calls the
original for every other one.
"""
from __future__ import annotations

from typing import Any, Callable

_originals: dict[tuple[Any, str], Any] = {}  # by class or module


def method(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace owner.name by make(original), once."""
    if (owner, name) not in _originals:
        _originals[owner, name] = vars(owner).get(name)
        setattr(owner, name, make(getattr(owner, name)))


def undo() -> None:
    """Restore every original."""
    while _originals:
        (owner, name), original = _originals.popitem()
        if original is None:  # was inherited
            delattr(owner, name)
        else:
            setattr(owner, name, original)
