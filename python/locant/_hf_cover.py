"""Models of transformers that can run with locant, and those that do.

A model that is not supported raises an error when attn_implementation="locant"
is requested, not later.
"""
from __future__ import annotations

import functools
import gc
import weakref
from typing import Any

from transformers import PreTrainedModel

from . import _hf_patch as patch
from ._hf_mask import refuse

_MASK = "takes its attention mask for a tensor"
_BIAS = "adds a bias to its scores that it makes as a tensor"
_REASONS = {  # by model_type, for models that use the attention interface
    "axk2": _MASK, "beit": _MASK, "doge": _MASK, "hy_v4": _MASK,
    "inkling2_text": _BIAS, "inkling_text": _BIAS, "layoutlm": _MASK,
    "longt5": _BIAS, "markuplm": _MASK, "mistral_large4_text": _MASK,
    "pixtral": _MASK, "switch_transformers": _BIAS}

# Models that have attn_implementation="locant", or once had.
_users: weakref.WeakSet[Any] = weakref.WeakSet()


def _reason(model: Any) -> str | None:
    """Why 'model' is not supported although it uses the interface."""
    return _REASONS.get(model.config.model_type)


def _check(model: Any) -> None:
    why = _reason(model) if model._can_set_attn_implementation() else \
        "computes attention without transformers' attention interface"
    if why:
        raise refuse(f"{type(model).__name__} {why}")


def _checking_new(original: Any) -> Any:
    @functools.wraps(original)
    def checked(self: Any, attn_implementation: Any, *given: Any,
                **more: Any) -> Any:
        if attn_implementation == "locant":
            _check(self)
            _users.add(self)
        return original(self, attn_implementation, *given, **more)
    return checked


def _checking_parts(original: Any) -> Any:
    @functools.wraps(original)
    def set_attn_implementation(self: Any, attn_implementation: Any,
                                *given: Any, **more: Any) -> Any:
        if attn_implementation == "locant":
            _check(self)
            for part in self.modules():
                # Others keep their own attention, and transformers says so.
                if isinstance(part, PreTrainedModel) and \
                        part._can_set_attn_implementation():
                    _check(part)
            _users.add(self)
        return original(self, attn_implementation, *given, **more)
    return set_attn_implementation


def register() -> None:
    patch.method(PreTrainedModel, "_check_and_adjust_attn_implementation",
                 _checking_new)
    patch.method(PreTrainedModel, "set_attn_implementation",
                 _checking_parts)


def check_unused() -> None:
    """Raise an error if models are left that would find no attention, or their
    own attention without its mask and encoding."""
    gc.collect()  # a model is part of cycles
    for model in list(_users):
        if model.config._attn_implementation == "locant":
            raise refuse(f"unregister(): {type(model).__name__} runs with "
                         "locant still" + (
                             ", swapped: undo() that first"
                             if hasattr(model, "locant") else ""))
