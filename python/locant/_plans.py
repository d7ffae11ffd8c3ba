"""Position plans of real models; see models.py."""
from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from typing import Any

from ._c import Status
from ._c_models import Stack
from ._library import Error, lab, lib

__all__ = ["Layer", "Plan", "QKNorm", "Tower", "plan", "spec"]

_STACKS = {"true": Stack.TRUE, "hf4": Stack.HF4, "hf5": Stack.HF5,
           "vllm": Stack.VLLM, "llama.cpp": Stack.LLAMACPP, "mlx": Stack.MLX}


@dataclass(frozen=True)
class QKNorm:
    """Norm of queries and keys: kind "rms", "layer" or "l2", over each "head",
    "all" heads at once, or "each" head with weights of its own."""

    kind: str
    over: str
    after_rotation: bool
    plus_one: bool
    epsilon: float


@dataclass(frozen=True)
class Layer:
    """How one layer uses positions; `scale` multiplies q . k before the factor
    of the spec, `score_factor`.  None: there is none."""

    spec: str
    attention: str
    heads: int
    kv_heads: int
    qk_dim: int
    v_dim: int
    scale: float
    scale_from: str
    score_factor: float
    softcap: float | None
    mask: str
    chunk: int | None
    grid_window: int | None
    sinks: bool
    qk_norm: QKNorm | None
    keys_of: int | None
    wavelengths: tuple[float | None, ...]


@dataclass(frozen=True)
class Tower:
    """The layers of a "text", "encoder", "decoder" or "vision" tower; `spec` is
    that of all layers in one, None if one spec cannot say it."""

    name: str
    spec: str | None
    input: str
    input_scale: float
    ids: str
    layers: tuple[Layer, ...]


@dataclass(frozen=True)
class Plan:
    """A position plan; `json` is its JSON as parsed, of the schema in
    docs/guide/models."""

    family: str
    dialect: str
    pairing: str
    pairing_assumed: bool
    hash: str
    towers: tuple[Tower, ...]
    json: dict[str, Any]

    @property
    def spec(self) -> str | None:
        """The spec of the first tower."""
        return self.towers[0].spec


def _layers(tower: dict[str, Any]) -> tuple[Layer, ...]:
    found: list[Any] = [None] * tower["layers"]
    for group in tower["groups"]:
        values = {k: v for k, v in group.items()
                  if k not in ("layers", "rotation", "qk_norm")}
        norm, rotation = group["qk_norm"], group["rotation"]
        layer = Layer(**values, qk_norm=norm and QKNorm(**norm),
                      wavelengths=tuple(rotation["wavelengths"])
                      if rotation else ())
        for number in group["layers"]:
            found[number] = layer
    return tuple(found)


def _tower(found: dict[str, Any]) -> Tower:
    return Tower(found["name"], found["spec"], found["input"],
                 found["input_scale"], found["ids"], _layers(found))


def _keys(config: Any) -> dict[str, Any]:
    """The keys of a dict or of a configuration object."""
    if isinstance(config, dict):
        return config
    to_dict = getattr(config, "to_dict", None)
    if to_dict is None:
        raise Error(Status.ERR_PARAM, "locant: the model is a "
                    f"{type(config).__name__}, expected a path, a dict, or a "
                    "configuration of transformers")
    return dict(to_dict())


def _text(keys: dict[str, Any]) -> bytes:
    def plain(value: Any) -> Any:
        item = getattr(value, "item", None)  # numbers of numpy and torch
        return item() if item is not None else str(value)
    try:
        return json.dumps(keys, default=plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Error(Status.ERR_PARAM,
                    f"locant: the configuration is no JSON: {error}") from None


def _read(config: Any, stack: Stack) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    if isinstance(config, (str, os.PathLike)):
        path = os.fsencode(os.path.expanduser(config))
        lab().locant_plan_read(ctypes.byref(handle), path, stack)
    else:
        keys = _keys(config)
        text = _text(keys)
        name = str(keys.get("model_type", "config"))
        lab().locant_plan_parse(ctypes.byref(handle), text, len(text),
                                name.encode("utf-8", "replace"), stack)
    return handle


def _json(handle: ctypes.c_void_p) -> dict[str, Any]:
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    lab().locant_plan_json(ctypes.byref(text), ctypes.byref(size), handle)
    try:
        found: dict[str, Any] = json.loads(ctypes.string_at(text, size.value))
        return found
    finally:
        lib.locant_release(text)


def plan(config: Any, *, stack: str = "true") -> Plan:
    """The position plan of a model: a path, a dict of keys, or a configuration
    of transformers.

    stack  the program that reads it: "true" (what it means), "hf4", "hf5",
           "vllm", "llama.cpp", "mlx"

    Errors: ERR_IO, ERR_FORMAT (a key of the wrong type or an impossible value),
    ERR_UNSUPPORTED (an unknown family; this build has no lab), ERR_PARAM.
    """
    if stack not in _STACKS:
        raise Error(Status.ERR_PARAM, f"locant: stack is {stack!r}, expected "
                    + ", ".join(_STACKS))
    handle = _read(config, _STACKS[stack])
    try:
        found = _json(handle)
    finally:
        lab().locant_plan_free(handle)
    return Plan(found["family"], found["dialect"], found["pairing"],
                found["pairing_assumed"], found["hash"],
                tuple(_tower(t) for t in found["towers"]), found)


def spec(config: Any, *, stack: str = "true") -> str:
    """The spec of all layers of a model, as plan(config).spec; of an encoder
    with a decoder, that of the encoder.

    Errors: as plan(); ERR_UNSUPPORTED (more kinds of layers than one spec can
    name).
    """
    found = plan(config, stack=stack)
    if found.spec is None:
        raise Error(Status.ERR_UNSUPPORTED, "locant: the layers of this "
                    f"{found.family} have more encodings than one spec can "
                    "name; see plan(config).towers")
    return found.spec
