"""Run checkpoints: logits, losses, continuations, probes."""
from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Array, result, view
from ._c import Status
from ._c_models import MODEL_HIDDEN, Generation, ModelInput
from ._library import Error, lab, lib
from ._model_text import Score, encoded
from ._values import real, seed64, whole

__all__ = ["Model", "ModelInfo", "Score"]

_DTYPES = {"float32": 0, "bfloat16": 2, "float64": 3}
_LONGS = ("ids", "mask", "types", "decoder_ids", "grid", "positions")


@dataclass(frozen=True)
class ModelInfo:
    """What a model is like."""

    model_type: str
    layers: int
    width: int
    vocab: int


def _input(arrays: dict[str, Any]) -> tuple[ModelInput, list[Any]]:
    """The struct, and what must live as long as it."""
    filled, kept = ModelInput(struct_size=ctypes.sizeof(ModelInput)), []
    for name, x in arrays.items():
        if x is None:
            continue
        wanted = np.int64 if name in _LONGS else np.float32
        x = np.ascontiguousarray(x)
        if wanted == np.int64 and x.dtype.kind not in "iub":
            raise Error(Status.ERR_DTYPE, f"locant: {name} has dtype "
                        f"{x.dtype}, expected whole numbers")
        x = np.ascontiguousarray(x, wanted)
        tensor = view(x, name)
        setattr(filled, name, ctypes.pointer(tensor))
        kept += [x, tensor]
    return filled, kept


class Model:
    """A checkpoint: a folder with config.json and safetensors, or a .gguf.

    dtype  what it computes with: "float32"; "float64", with angles, norms and
           softmax in double; "bfloat16", float32 on matrices rounded to it
    extension
           positions that its file does not have, for its rotated layers
           without a window: "yarn(factor=4)", "pi(..)", "ntk(..)",
           "dynamic(..)", "longrope(..)", "llama3(..)", "rope(..)",
           "selfextend(..)", "rerope(..)", "streaming(..)" or "window(size=N)"

    The weights stay in the file, which is mapped.

        model = locant.models.Model("~/models/mine")
        model.logits([[1, 5, 7]])            # float32 [1, 3, vocab]
        model.generate([[1, 5, 7]], 16)      # int64 [1, 19]
        model.losses([[1, 5, 7]])            # float64 [1, 2]
        model.score("A text.").loss          # by the tokenizer.json beside it
        model.probe([[1, 5, 7]])["layers"]   # what its heads attend to

    Errors: ERR_IO, ERR_FORMAT (a tensor is missing or has another shape),
    ERR_UNSUPPORTED, ERR_DTYPE.
    """

    __slots__ = ("handle", "info", "_free", "_dtype", "_path")

    def __init__(self, path: str | os.PathLike[str],
                 dtype: str = "float32", *,
                 extension: str | None = None) -> None:
        if dtype not in _DTYPES:
            raise Error(Status.ERR_DTYPE, f"locant: dtype is {dtype!r}, "
                        "expected " + ", ".join(_DTYPES))
        library, handle = lab(), ctypes.c_void_p()
        self._path = os.path.expanduser(os.fspath(path))
        library.locant_model_open_with(
            ctypes.byref(handle), self._path.encode(), _DTYPES[dtype],
            None if extension is None else extension.encode())
        self._free = library.locant_model_close
        self.handle = handle
        self._dtype = np.float64 if dtype == "float64" else np.float32
        found = library.locant_model_info_of(handle)
        self.info = ModelInfo(found.model_type.decode(), found.layers,
                              found.width, found.vocab)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self._free(self.handle)

    def logits(self, ids: Any = None, *, mask: Any = None,
               positions: Any = None, types: Any = None,
               decoder_ids: Any = None, pixels: Any = None, grid: Any = None,
               hidden: bool = False, out: Array | None = None) -> Array:
        """Logits [B, T, vocab] of every token; with 'hidden' the states after
        the final norm, [B, T, width].

        ids          whole numbers [B, T]
        mask         [B, T]: 0 marks padding, on either side
        positions    [B, T], or [A, B, T] for models of A axes
        types        [B, T]: token types
        decoder_ids  [B, S] of an encoder-decoder, whose logits have T = S
        pixels       float32 [B, C, H, W] of models of images, instead of ids;
                     their logits are [B, classes].  Of Qwen-VL beside ids:
                     [N, C, H, W], images of one size, or patches [P, F], the
                     pixel_values of a processor of transformers
        grid         [N, 3] of patches: frames, rows, columns of each image,
                     its image_grid_thw

        Errors: ERR_PARAM (an id beyond the vocabulary; images that are not
        those of ids), ERR_SHAPE, ERR_DTYPE.
        """
        given, kept = _input(dict(
            ids=ids, mask=mask, positions=positions, types=types,
            decoder_ids=decoder_ids, pixels=pixels, grid=grid))
        flags = MODEL_HIDDEN if hidden else 0
        shape = (ctypes.c_int64 * 3)()
        rank = ctypes.c_int()
        lab().locant_model_shape(shape, ctypes.byref(rank), self.handle,
                                 ctypes.byref(given), flags)
        out = result(out, tuple(shape)[:rank.value], self._dtype)
        lab().locant_model_logits(view(out, "out"), None, self.handle,
                                  ctypes.byref(given), flags)
        del kept
        return out

    def losses(self, ids: Any, *, mask: Any = None,
               positions: Any = None) -> Array:
        """What a causal model loses on each token but the first, in nats,
        float64 [B, T - 1]: -ln p(ids[b, t + 1] | ids[b, : t + 1]); NaN where
        the mask hides that token or the one before it.

        Errors: as logits(); ERR_UNSUPPORTED (a model that sees what follows).
        """
        given, kept = _input(dict(ids=ids, mask=mask, positions=positions))
        shape = (ctypes.c_int64 * 3)()
        lab().locant_model_shape(shape, ctypes.byref(ctypes.c_int()),
                                 self.handle, ctypes.byref(given), 0)
        out = result(None, (shape[0], max(shape[1] - 1, 0)), np.float64)
        lab().locant_model_losses(view(out, "out"), self.handle,
                                  ctypes.byref(given))
        del kept
        return out

    def score(self, ids: Any = None, *,
              text: str | Sequence[str] | None = None,
              tokenizer: Any = None, mask: Any = None) -> Score:
        """What a causal model loses on texts, or on ids [B, T] with their mask.

        text       one text, or several
        tokenizer  None: the tokenizer.json in the folder of the model, by the
                   package tokenizers; the path of another one; "bytes": the
                   bytes of UTF-8, for vocabularies of bytes; or an object whose
                   encode(text) gives ids, as of tokenizers or transformers

        Special tokens are those that the tokenizer adds.  The first token of a
        text is not scored.

        Errors: as losses(); ERR_PARAM (not either of ids and text), ERR_IO (no
        tokenizer.json), ERR_SHAPE (a text of less than two tokens);
        ImportError (tokenizers is not installed).
        """
        if (ids is None) == (text is None):
            raise Error(Status.ERR_PARAM,
                        "locant: expected either ids or text")
        if text is not None:
            if mask is not None:
                raise Error(Status.ERR_PARAM, "locant: mask is of ids, and "
                            "there is a text")
            ids, mask = encoded(text, tokenizer, self._path, self.info.vocab)
        ids = np.asarray(ids)
        losses = self.losses(ids, mask=mask)
        seen = np.ones(ids.shape, bool) if mask is None \
            else np.asarray(mask) != 0
        counted = losses[~np.isnan(losses)]
        loss = float(counted.mean()) if counted.size else float("nan")
        return Score(ids, seen, losses, loss)

    def probe(self, ids: Any, *, mask: Any = None, types: Any = None,
              decoder_ids: Any = None, positions: Any = None,
              layer: int | None = None,
              head: int | None = None) -> dict[str, Any]:
        """What heads attend to and which frequencies they use in texts, as
        `locant model probe --json` prints it (docs/guide/models/probe.md).

        layer, head  counted from 0; None: all

        Errors: as logits(); ERR_PARAM (layer, head), ERR_SHAPE (less than two
        tokens), ERR_UNSUPPORTED (a model of images).
        """
        given, kept = _input(dict(ids=ids, mask=mask, types=types,
                                  decoder_ids=decoder_ids,
                                  positions=positions))
        made, size = ctypes.c_void_p(), ctypes.c_size_t()
        lab().locant_model_probe(
            ctypes.byref(made), ctypes.byref(size), self.handle,
            ctypes.byref(given),
            -1 if layer is None else whole(layer, "layer"),
            -1 if head is None else whole(head, "head"))
        del kept
        try:
            found: dict[str, Any] = json.loads(
                ctypes.string_at(made, size.value))
        finally:
            lib.locant_release(made)
        return found

    def generate(self, ids: Any, tokens: int, *, mask: Any = None,
                 positions: Any = None, decoder_ids: Any = None,
                 pixels: Any = None, grid: Any = None, top_k: int = 0,
                 top_p: float = 1.0,
                 temperature: float | None = None, seed: int = 0,
                 ignore_end: bool = False) -> Array:
        """The ids and 'tokens' new ones, int64 [B, T + tokens]: the most likely
        tokens, or draws if top_k, top_p or temperature says so.

        decoder_ids  of an encoder-decoder, [B, S]: what is continued, instead
                     of the start token
        pixels, grid  images in the ids, as of logits()
        top_k        draw from the k most likely tokens; 0: from all
        top_p        from the fewest that have this probability together
        temperature  logits are divided by it; 1 for draws unless given
        seed         of the draws
        ignore_end   go on after the end token; else a row is padded then

        Errors: as logits().
        """
        given, kept = _input(dict(ids=ids, mask=mask, positions=positions,
                                  decoder_ids=decoder_ids, pixels=pixels,
                                  grid=grid))
        if temperature is None:
            temperature = 1.0 if top_k or top_p < 1 else 0.0
        choice = Generation(
            struct_size=ctypes.sizeof(Generation), top_k=whole(top_k, "top_k"),
            top_p=real(top_p, "top_p"),
            temperature=real(temperature, "temperature"),
            seed=seed64(seed) % 2**64, ignore_end=int(bool(ignore_end)))
        shape = (ctypes.c_int64 * 2)()
        lab().locant_model_prompt(shape, self.handle, ctypes.byref(given))
        new = whole(tokens, "tokens")
        out = result(None, (shape[0], shape[1] + new), np.int64)
        lab().locant_model_generate(view(out, "out"), self.handle,
                                    ctypes.byref(given),
                                    ctypes.byref(choice))
        del kept
        return out
