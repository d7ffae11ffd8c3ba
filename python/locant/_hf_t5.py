"""The bias of T5, mT5 and UMT5 for locant.hf: by its table, not as a tensor.

compute_bias() of a model that runs with locant returns a Bias instead of an
array of H x T x S; the model passes it from its first layer to the others, as
it would the array, and attend() gives it to the kernels.
"""
from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

import torch

from . import _hf_patch as patch

_families: set[type] = set()  # the attention classes that do this


class Bias(NamedTuple):
    """Replaces a position_bias."""

    spec: str
    table: torch.Tensor  # [buckets, H]


def _by_table(original: Any) -> Any:
    @functools.wraps(original)
    def compute_bias(self: Any, *given: Any, **options: Any) -> Any:
        if self.config._attn_implementation != "locant":
            return original(self, *given, **options)
        sides = "no" if self.is_decoder else "yes"
        return Bias(f"t5(buckets={self.relative_attention_num_buckets},"
                    f"distance={self.relative_attention_max_distance},"
                    f"bidirectional={sides})",
                    self.relative_attention_bias.weight)
    return compute_bias


def register() -> None:
    for name in ("T5", "MT5", "UMT5"):
        low = name.lower()
        module = importlib.import_module(
            f"transformers.models.{low}.modeling_{low}")
        kind = getattr(module, f"{name}Attention")
        patch.method(kind, "compute_bias", _by_table)
        _families.add(kind)


def options_of(module: Any, bias: Any) -> dict[str, Any] | None:
    """Options of attention() for a position_bias; None: it is a tensor, which
    is not supported."""
    if bias is None:
        return {}
    if isinstance(bias, Bias):
        return {"encoding": bias.spec, "params": {"table": bias.table}}
    if type(module) in _families and not module.has_relative_attention_bias:
        return {}  # attention to the encoder: zeros
    return None
