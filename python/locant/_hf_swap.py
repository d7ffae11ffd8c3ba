"""Another encoding in a model of transformers: locant.hf.swap()."""
from __future__ import annotations

import re
from functools import partial
from typing import Any, Iterator

import torch

from . import _encoding
from . import _hf_alibi as alibi
from . import _hf_deberta as deberta
from . import torch as lt
from ._c import Status
from ._library import Error

Tensor = torch.Tensor


def encoding_of(module: Any) -> lt.Encoding | None:
    """The encoding that swap() gave to a layer of attention."""
    # Not as a submodule: it belongs to the model.
    found: lt.Encoding | None = vars(module).get("_locant_encoding")
    return found


class Swapped(torch.nn.ModuleList):
    """The encodings of a model, one for each layer or one for all: its
    submodule "locant", which makes their parameters the model's."""

    # For undo(): the model, its attn_implementation, layers, hooks.
    before: tuple[Any, str, list[Any], list[Any]]

    def project(self) -> None:
        """Set every parameter to the nearest allowed value.  Call it after each
        step of an optimiser."""
        for encoding in self.children():
            assert isinstance(encoding, lt.Encoding)
            encoding.project()

    def undo(self) -> None:
        """Restore the encoding and the attention of the model."""
        model, attention, layers, hooks = self.before
        for layer in layers:
            vars(layer).pop("_locant_encoding", None)
        for hook in hooks:
            hook.remove()
        if getattr(model, "locant", None) is self:
            del model.locant
        if model.config._attn_implementation == "locant":
            model.set_attn_implementation(attention)


def _refuse(what: str) -> Error:
    return Error(Status.ERR_UNSUPPORTED, f"locant.hf.swap: {what}")


def _guard_hook(config: Any, module: Any, given: Any) -> None:
    """Check that the model runs with locant: else it would have no encoding."""
    if config._attn_implementation != "locant":
        raise _refuse("the model was given another encoding, and then "
                      f"attn_implementation={config._attn_implementation!r}; "
                      "expected \"locant\", or undo()")


def _no_rotation_hook(module: Any, given: Any, out: Any) -> Any:
    """The output of a rotary embedding, replaced by cosines 1, sines 0."""
    if not (isinstance(out, tuple) and len(out) == 2 and
            all(isinstance(x, Tensor) and x.is_floating_point()
                for x in out)):
        raise _refuse(f"{type(module).__name__} of the model does not return "
                     "cosines and sines; swap() knows no other rotation")
    return torch.ones_like(out[0]), torch.zeros_like(out[1])


def _add_rows(encoding: Any, x: Tensor, positions: Tensor) -> Tensor:
    """'x' [B, T, W] with the rows at positions [1 or B, T] added."""
    if positions.ndim == 1 or positions.shape[0] == 1:
        return lt.add(x, encoding, positions.reshape(-1))
    return torch.stack([lt.add(part, encoding, at)
                        for part, at in zip(x, positions)])


def _input_hook(encoding: Any, module: Any, given: Any, options: Any) -> Any:
    """The input of the first layer of a model without a table, plus rows."""
    at = options.get("position_ids")
    if at is None or not given:
        raise _refuse(f"{type(module).__name__} of the model is not told the "
                      f"positions that {encoding.spec} needs")
    return (_add_rows(encoding, given[0], at), *given[1:]), options


def _table_hook(encoding: Any, module: Any, given: Any, out: Tensor) -> Tensor:
    """The output of a table of positions, replaced by rows of 'encoding'."""
    nothing = torch.zeros_like(out)
    return nothing if encoding is None else \
        _add_rows(encoding, nothing if out.ndim == 3 else nothing[None],
              given[0]).reshape(out.shape)


def _attention_layers(model: Any) -> list[Any]:
    """Layers of self-attention, in order."""
    found = [m for m in model.modules()
             if re.search("Attention$", type(m).__name__) and not any(
                 re.search("Attention$", type(c).__name__)
                 for c in m.modules() if c is not m)]
    expected = getattr(model.config.get_text_config(), "num_hidden_layers", 0)
    if len(found) != expected:
        raise _refuse(f"{len(found)} modules of attention were found, expected "
                     f"{expected}, one in each layer; swap() is for models of "
                     "one stack of layers")
    return found


def _sizes(config: Any) -> dict[str, Any]:
    try:
        width, heads = config.hidden_size, config.num_attention_heads
        return {"width": width, "heads": heads, "kv_heads": getattr(
            config, "num_key_value_heads", None) or heads,
            "head_dim": getattr(config, "qk_head_dim", None) or  # DeepSeek
            getattr(config, "head_dim", None) or width // heads}
    except RuntimeError:  # Gemma 4
        raise _refuse("the heads of the model do not have one size in all "
                      "layers") from None


def _checked(spec: Any) -> _encoding.Encoding:
    encoding = _encoding.encoding_of(spec)
    why = ("has several axes" if encoding.axes != 1 else
           "chooses positions itself" if encoding.chooses_positions else
           "reads the input of each layer" if "reads_x" in encoding.traits
           else "adds to the input of some layers"
           if encoding.layer(0) is not encoding and "input" in encoding.doors
           else None)
    if why:
        raise _refuse(f"{encoding.spec} {why}, which swap() cannot give it")
    return encoding


def _made(encoding: _encoding.Encoding, config: Any, layers: int, seed: int,
          length: int | None) -> Iterator[lt.Encoding]:
    """An encoding for each layer, or a single one if all layers share its
    parameters.  Layers of one kind share parameters that are not per layer."""
    if length is None:
        length = getattr(config, "max_position_embeddings", None)
    firsts: dict[int, lt.Encoding] = {}
    for i, part in enumerate(encoding.layers(layers)):
        first = firsts.get(id(part))
        shared = [p.name.replace(".", "_") for p in part.known
                  if not p.per_layer]
        alone = len(shared) == len(part.known)
        if first is not None and alone:
            yield first
            continue
        made = lt.Encoding(part, length=length, seed=seed + i,
                           **_sizes(config))
        first = firsts.setdefault(id(part), made)
        for name in shared:
            setattr(made, name, getattr(first, name))
        yield made
        if alone and part is encoding:
            break


def _hooks(model: Any, encoding: Any, layers: list[Any]) -> Iterator[Any]:
    """Hooks that switch off the model's encoding and add the rows of the new
    one if it has an input door."""
    input_encoding = encoding if "input" in _encoding.encoding_of(
        encoding.spec).doors else None
    yield layers[0].register_forward_pre_hook(
        partial(_guard_hook, model.config))
    # their forward() is ours
    found = isinstance(layers[0], alibi.ATTENTION + deberta.ATTENTION)
    for path, m in model.named_modules():
        if type(m).__name__.endswith("RotaryEmbedding"):
            found = True
            yield m.register_forward_hook(_no_rotation_hook)
        elif path.split(".")[-1] in ("wpe", "position_embeddings") and \
                isinstance(m, torch.nn.Embedding):
            found = True
            yield m.register_forward_hook(partial(_table_hook, input_encoding))
            input_encoding = None
    if not found:
        raise _refuse(f"{type(model).__name__} has no encoding that swap() can "
                     "take out: expected a rotary embedding or a table of "
                     "positions")
    if input_encoding is not None:
        first = next(m for m in model.modules()
                     if any(c is layers[0] for c in m.children()))
        yield first.register_forward_pre_hook(
            partial(_input_hook, input_encoding), with_kwargs=True)


def swap(model: Any, encoding: Any, *, length: int | None = None,
         seed: int = 0) -> Swapped:
    """Try another positional encoding in a model.

    model     of transformers, of one stack of layers with a rotary embedding
              or a table of positions (Llama, Gemma, Qwen, Mistral, GPT-NeoX,
              GPT-2, BERT, ..); its own encoding is switched off, and it runs
              with attn_implementation="locant"
    encoding  a spec; "none": no encoding; "layers(local=rope,global=none)":
              different encodings in different layers
    length    what a length that the spec leaves out becomes; that of the model
              (max_position_embeddings) if left out
    seed      the encoding's parameters are drawn from

    In attention, positions are indices in the sequence, including the cache,
    counted from the first token after left padding; packed sequences start
    again at 0.  Rows of the input door are those of the model's
    position_ids.  Learned parameters are the model's, below "locant":
    model.parameters() and state_dict() have them.  A second swap() replaces the
    first.

    Returns the encodings; undo() gives the model its own back.
    Errors: ERR_UNSUPPORTED for a model or an encoding that is not supported.
    """
    from .hf import register
    checked = _checked(encoding)
    before = getattr(model, "locant", None)
    if isinstance(before, Swapped):
        before.undo()
    layers = _attention_layers(model)
    made = Swapped(_made(checked, model.config, len(layers), seed, length))
    hooks: list[Any] = []
    made.before = (model, model.config._attn_implementation, layers, hooks)
    try:
        hooks.extend(_hooks(model, made[0], layers))
        register()
        model.set_attn_implementation("locant")
    except BaseException:
        made.undo()
        raise
    for i, layer in enumerate(layers):
        vars(layer)["_locant_encoding"] = made[i % len(made)]
    model.locant = made
    return made
