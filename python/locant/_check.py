"""What is wrong with a model's positions?  `locant.models.check`."""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any

from ._c import Status
from ._c_models import CheckOptions, Finding, Findings, Stack
from ._library import Error, lab, make, text

__all__ = ["check"]

_STACKS = {"hf4": Stack.HF4, "hf5": Stack.HF5, "vllm": Stack.VLLM,
           "llama.cpp": Stack.LLAMACPP, "mlx": Stack.MLX}
_SEVERITIES = ("note", "warning", "error")


def _finding(f: Finding) -> dict[str, Any]:
    computes = {"hf4": f.hf4, "hf5": f.hf5, "vllm": f.vllm,
                "llama.cpp": f.llama_cpp, "mlx": f.mlx}
    return {"id": text(f.id), "severity": _SEVERITIES[f.severity],
            "key": text(f.key), "sentence": text(f.sentence),
            "stacks": [s for s, number in _STACKS.items()
                       if f.stacks >> number & 1],
            "computes": {s: text(t) for s, t in computes.items() if t},
            "mend": text(f.mend), "fixes": bool(f.fixes)}


def _plain(value: Any) -> Any:
    item = getattr(value, "item", None)  # numbers of numpy and torch
    return item() if item is not None else str(value)


def _keys(config: Any) -> bytes:
    if hasattr(config, "to_dict"):
        config = config.to_dict()
    if not isinstance(config, dict):
        raise Error(Status.ERR_PARAM, "locant: the model is a "
                    f"{type(config).__name__}, expected a path, a dict, or a "
                    "configuration of transformers")
    return json.dumps(config, default=_plain).encode()


def _read(found: Findings, model: Any, options: CheckOptions) -> None:
    if isinstance(model, (str, os.PathLike)):
        path = os.fsencode(os.path.expanduser(model))
        lab().locant_model_check(ctypes.byref(found), path,
                                 ctypes.byref(options))
        return
    keys = _keys(model)
    lab().locant_model_check_text(ctypes.byref(found), keys, len(keys),
                                  b"config", ctypes.byref(options))


def check(model: Any, stack: str | None = None, *,
          other: str | os.PathLike[str] | None = None,
          adapter: str | os.PathLike[str] | None = None,
          length: int = 0) -> list[dict[str, Any]]:
    """Faults in how a model's files say its positions, errors first.

    model    a path (a folder, config.json, params.json or .gguf), a dict with
             the keys of a config.json, or a configuration of transformers
    stack    only what concerns this program: "hf4", "hf5", "vllm", "llama.cpp"
             or "mlx"
    other    the same model as another file, to compare pairing and windows
    adapter  folder of a LoRA adapter that is to be used with it
    length   tokens of a text that is to be read; 0: not told

    A finding is a dict: "id" of the check, "severity" ("error", "warning",
    "note"), "key", "sentence", "stacks" that it concerns, what each of them
    "computes", how to "mend" it, and whether `locant model check --fix` does
    ("fixes").

    >>> import locant.models
    >>> yarn = {"rope_type": "yarn", "factor": 4.0}
    >>> config = {"model_type": "qwen2", "rope_theta": 1e6,
    ...           "rope_scaling": yarn}
    >>> [f["id"] for f in locant.models.check(config)]
    ['L01']

    Errors: ERR_IO, ERR_FORMAT (a file that cannot be read; an unknown
    model_type), ERR_UNSUPPORTED (this build has no lab), ERR_PARAM.
    """
    if stack is not None and stack not in _STACKS:
        raise Error(Status.ERR_PARAM, f"locant: stack is {stack!r}, expected "
                    + ", ".join(_STACKS))
    options = make(CheckOptions,
                   stack=_STACKS[stack] if stack else Stack.TRUE,
                   length=length,
                   other=os.fsencode(other) if other is not None else None,
                   adapter=os.fsencode(adapter) if adapter is not None
                   else None)
    found = Findings()
    _read(found, model, options)
    try:
        return [_finding(found.at[i]) for i in range(found.n)]
    finally:
        lab().locant_findings_free(ctypes.byref(found))
