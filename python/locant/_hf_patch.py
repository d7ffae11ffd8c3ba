"""Methods and functions of transformers that locant.hf replaces, and entries
that it adds.

Each replacement works for attn_implementation="locant" and calls the
original for every other one.
"""
from __future__ import annotations

from typing import Any, Callable

_originals: dict[tuple[Any, str], Any] = {}  # by class or module
_entries: list[tuple[dict[str, Any], str]] = []


def method(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace owner.name by make(original), once."""
    if (owner, name) not in _originals:
        _originals[owner, name] = vars(owner).get(name)
        setattr(owner, name, make(getattr(owner, name)))


def entry(table: dict[str, Any], key: str, value: Any) -> None:
    """Add an entry to a table of transformers."""
    table[key] = value
    _entries.append((table, key))


def interface(model: Any) -> None:
    """Say of a class of models that it takes attn_implementation: transformers
    looks for the interface in the source of the class."""
    method(model, "_can_set_attn_implementation",
           lambda _: classmethod(lambda _: True))


def undo() -> None:
    """Restore every original."""
    while _entries:
        table, key = _entries.pop()
        table.pop(key, None)
    while _originals:
        (owner, name), original = _originals.popitem()
        if original is None:  # was inherited
            delattr(owner, name)
        else:
            setattr(owner, name, original)
