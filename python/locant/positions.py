"""Position ids as models number them: padded, packed, image and video inputs,
and methods that change ids.

`locant.positions.from_mask(mask)`, `.multimodal([text(2), image(2, 3)], "xd")`,
`.pose(2, 512, chunks=2, range=4096, seed=1)`.  Ids are int64; coordinates,
float64 arrays [T, axes], are what `rotate` takes for encodings of several axes.
include/locant/positions.h and multimodal.h have the formulas and sources.
"""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

import numpy as np

from . import _c
from . import _c_positions as _p
from ._arrays import Array, accept, positions_of, result, view
from ._c import Status
from ._c_positions import Segment
from ._library import Error, lib, make
from ._values import real, seed64, whole, whole64

__all__ = [
    "Segment", "audio", "augment", "cape", "clip", "distances", "frames",
    "from_lengths", "from_mask", "from_offsets", "from_tokens", "grid", "image",
    "longlora", "mrope", "mrope_interval", "multimodal", "packing", "pose",
    "randomized", "selfextend", "spaced", "streaming", "temperatures", "text",
    "tm_audio_tokens", "video"]

_INTEGERS = (4, 5)  # int32, int64


def _choice(kind: Any, name: str, value: str) -> int:
    """The member of an enum by its name in lower case, with "-" for "_"."""
    found = {m.name.lower().replace("_", "-"): int(m) for m in kind}
    if value not in found:
        raise Error(Status.ERR_PARAM, f"locant: {name} is {value!r}, expected "
                    + ", ".join(found))
    return found[value]


def _integers(x: Any, name: str, copy: bool) -> Array:
    """An array of int32 or int64; 'x' may be a list."""
    if isinstance(x, (list, tuple, range)):
        return positions_of(x, name, copy)
    return accept(x, name, copy, codes=_INTEGERS)[0]


def _random(seed: int) -> Any:
    return make(_c.Random, seed=seed64(seed) % 2**64)


# ---------------------------------------------------------- padding, packing

def from_mask(mask: Any, first: int = 0, pad: int = 0, *,
              copy: bool = False) -> Array:
    """Ids of padded rows: first + the number of ones so far - 1 where the mask
    is 1, 'pad' where it is 0.

    mask   int64 or int32 [B, S], of zeros and ones
    first  0; 2 in OPT, padding_idx + 1 in RoBERTa (rows of their tables)
    pad    0 in transformers 5, 1 in 4, padding_idx in RoBERTa

    Returns int64 [B, S].  Errors: ERR_PARAM, ERR_SHAPE, ERR_DTYPE.
    """
    mask = _integers(mask, "mask", copy)
    out = result(None, mask.shape, np.int64)
    lib.locant_positions_from_mask(view(out, "out"), view(mask, "mask"),
                                   whole64(first, "first"),
                                   whole64(pad, "pad"))
    return out


def from_tokens(tokens: Any, pad_token: int, first: int = 0, pad: int = 0, *,
                copy: bool = False) -> Array:
    """from_mask() of the mask token != pad_token.  fairseq and RoBERTa have
    first = pad_token + 1, pad = pad_token."""
    tokens = _integers(tokens, "tokens", copy)
    out = result(None, tokens.shape, np.int64)
    lib.locant_positions_from_tokens(
        view(out, "out"), view(tokens, "tokens"),
        whole64(pad_token, "pad_token"), whole64(first, "first"),
        whole64(pad, "pad"))
    return out


def from_lengths(lengths: Any, tokens: int | None = None, *,
                 copy: bool = False) -> tuple[Array, Array]:
    """Positions and documents of documents packed into one row.

    lengths  int64 or int32 [n], tokens of each document
    tokens   of the row, T; those after the last document are padding, position
             0 of document -1.  Left out: the sum of the lengths

    Returns (positions, documents), int64 [T]; the documents are what
    attention(documents=..) takes.  Errors: ERR_PARAM, ERR_SHAPE, ERR_DTYPE.
    """
    lengths = _integers(lengths, "lengths", copy)
    n = int(lengths.clip(0).sum()) if tokens is None else tokens
    return _packed(lib.locant_positions_from_lengths, lengths, "lengths", n)


def from_offsets(offsets: Any, tokens: int | None = None, *,
                 copy: bool = False) -> tuple[Array, Array]:
    """The same from the starts of documents and the end of the last, as in
    "cu_seqlens": int64 or int32 [n + 1]."""
    offsets = _integers(offsets, "offsets", copy)
    n = tokens
    if n is None:
        n = int(offsets[-1]) if offsets.ndim == 1 and offsets.size else 0
    return _packed(lib.locant_positions_from_offsets, offsets, "offsets", n)


def _packed(call: Any, given: Array, name: str,
            tokens: int) -> tuple[Array, Array]:
    shape = (whole(tokens, "tokens"),)
    positions = result(None, shape, np.int64)
    documents = result(None, shape, np.int64)
    call(view(positions, "positions"), view(documents, "documents"),
         view(given, name))
    return positions, documents


def packing(positions: Any, *, copy: bool = False) -> tuple[Array, bool]:
    """Documents as transformers infers them from ids [B, T]: a new one starts
    where an id is not its left neighbour plus 1.  Returns int64 [B, T], and
    whether a row has more than one."""
    at = positions_of(positions, "positions", copy)
    out = result(None, at.shape, np.int64)
    packed = ctypes.c_int()
    lib.locant_positions_packing(view(out, "documents"), ctypes.byref(packed),
                                 view(at, "positions"))
    return out, bool(packed.value)


# ------------------------------------------------------------ images, video

def grid(rows: int, cols: int, frames: int | None = None, *,
         kind: str = "integer", merge: int = 1, prefix: int = 0,
         pretrained: Sequence[float] = (1, 1, 1)) -> Array:
    """Coordinates of the patches of an image (h, w) or, with 'frames', of a
    video (t, h, w), row by row.

    kind        "integer" (i), "centres" ((2i + 1 - n) / n), "pretrained" (i N /
                n), or DINOv3's "longer" and "shorter": centres divided by that
                side
    merge       patches come in blocks of merge x merge
    prefix      rows of zeros before: class token, registers
    pretrained  N for t, h and w

    Returns float64 [prefix + patches, 2 or 3].  Errors: ERR_PARAM.
    """
    if len(pretrained) != 3:
        raise Error(Status.ERR_PARAM, f"locant: pretrained has "
                    f"{len(pretrained)} numbers, expected 3: of t, h and w")
    made = make(_p.Grid, kind=_choice(_p.GridKind, "kind", kind),
                rows=whole(rows, "rows", 1), cols=whole(cols, "cols", 1),
                frames=1 if frames is None else whole(frames, "frames", 1),
                merge=whole(merge, "merge", 1), prefix=whole(prefix, "prefix"),
                pretrained=tuple(real(x, "pretrained") for x in pretrained))
    out = result(None, (prefix + rows * cols * (frames or 1),
                        2 if frames is None else 3), np.float64)
    lib.locant_positions_from_grid(view(out, "out"), made)
    return out


def augment(coords: Array, seed: int, *, shift: float = 0, jitter: float = 1,
            rescale: float = 1, prefix: int = 0) -> Array:
    """DINOv3's augmentation in training, in place: coordinates [N, axes], one
    draw for all patches: shifted by up to 'shift' along each axis, multiplied
    by up to 'jitter' along each and by up to 'rescale' along all.  Returns
    'coords', float64.  Errors: ERR_PARAM, ERR_SHAPE, ERR_DTYPE."""
    coords = result(coords, coords.shape, np.float64, "coords")
    how = make(_p.Augment, shift=real(shift, "shift"),
               jitter=real(jitter, "jitter"), rescale=real(rescale, "rescale"),
               prefix=whole(prefix, "prefix"))
    lib.locant_positions_augment(view(coords, "coords"), how, _random(seed))
    return coords


def text(tokens: int) -> Segment:
    """'tokens' tokens of text."""
    return Segment(kind=_p.SegmentKind.TEXT, tokens=whole64(tokens, "tokens"))


def audio(tokens: int) -> Segment:
    """'tokens' tokens of audio."""
    return Segment(kind=_p.SegmentKind.AUDIO, tokens=whole64(tokens, "tokens"))


def image(rows: int, cols: int) -> Segment:
    """rows x cols tokens of an image."""
    return Segment(kind=_p.SegmentKind.IMAGE, frames=1,
                   rows=whole64(rows, "rows"), cols=whole64(cols, "cols"))


def video(frames: int, rows: int, cols: int, interval: float = 1) -> Segment:
    """frames x rows x cols tokens of a video.  'interval' is the number of ids
    from frame to frame (Qwen2.5-VL: mrope_interval()), or seconds ("tm")."""
    return Segment(kind=_p.SegmentKind.VIDEO, interval=real(interval,
                                                            "interval"),
                   **_sizes(frames, rows, cols))


def frames(count: int, rows: int, cols: int, before: int = 0,
           after: int = 0) -> Segment:
    """Frames with text before (a timestamp) and after each, as in Qwen3-VL."""
    return Segment(kind=_p.SegmentKind.FRAMES, before=whole64(before, "before"),
                   after=whole64(after, "after"), **_sizes(count, rows, cols))


def clip(frames: int, rows: int, cols: int, seconds: float, audio: int,
         before: int = 0, after: int = 0) -> Segment:
    """A video of Qwen2.5-Omni with 'audio' tokens of its sound, in turns;
    'seconds' from frame to frame; 'before' tokens start both, 'after' end
    both."""
    return Segment(kind=_p.SegmentKind.CLIP, interval=real(seconds, "seconds"),
                   tokens=whole64(audio, "audio"),
                   before=whole64(before, "before"),
                   after=whole64(after, "after"), **_sizes(frames, rows, cols))


def _sizes(frames: int, rows: int, cols: int) -> dict[str, int]:
    return {"frames": whole64(frames, "frames"), "rows": whole64(rows, "rows"),
            "cols": whole64(cols, "cols")}


def _array(segments: Sequence[Segment]) -> tuple[Any, int]:
    for one in segments:
        if not isinstance(one, Segment):
            raise Error(Status.ERR_PARAM, f"locant: segments has a "
                        f"{type(one).__name__}, expected text(..), image(..), "
                        "video(..), frames(..), audio(..) or clip(..)")
    return (Segment * len(segments))(*segments), len(segments)


def mrope(segments: Sequence[Segment],
          next: str = "max") -> tuple[Array, int]:
    """Ids (t, h, w) of Qwen2-VL, Qwen2.5-VL and Qwen3-VL.

    segments  text(..), image(..), video(..), frames(..) in order
    next      "max": after a video continue at the largest id + 1, as the paper
              and transformers 4; "grid": at its start + max(rows, cols), as 5

    Returns int64 [tokens, 3], and delta: a later token m of the sequence has
    the id m + delta.  Errors: ERR_PARAM.
    """
    given, n = _array(segments)
    tokens, delta = ctypes.c_int64(), ctypes.c_int64()
    rule = _choice(_p.MropeNext, "next", next)
    lib.locant_mrope_tokens(ctypes.byref(tokens), given, n)
    out = result(None, (tokens.value, 3), np.int64)
    lib.locant_positions_from_segments(view(out, "out"), ctypes.byref(delta),
                                       given, n, rule)
    return out, delta.value


def mrope_interval(tokens_per_second: int, seconds: float) -> float:
    """The interval of video(..) for Qwen2.5-VL, with 'seconds' from frame to
    frame: their product, rounded to float32."""
    out = ctypes.c_double()
    lib.locant_mrope_interval(ctypes.byref(out),
                              whole64(tokens_per_second, "tokens_per_second"),
                              real(seconds, "seconds"))
    return out.value


def multimodal(segments: Sequence[Segment], scheme: str = "qwen3-vl", *,
               delta: float = 2, rate: float = 25, chunk: float = 2,
               first_image: int = 0,
               dtype: Any = np.int64) -> tuple[Array, float]:
    """Ids of text, images, video and audio as a model numbers them.

    segments     in order
    scheme       "qwen3-vl" (t, h, w), "tm" (t, h, w; Qwen2.5-Omni), "xd"
                 (position, width, height, image; HunYuan-VL), "video" (t, h, w;
                 VideoRoPE and HoPE), "flux" (0, row, col), "flux2" (t, h, w,
                 l), "qwen-image" (frame, row, col)
    delta        "video": ids from frame to frame
    rate, chunk  "tm": ids per second; seconds of video and audio in turn
    first_image  "xd": images of earlier rows of the batch
    dtype        int64, or float64: coordinates for rotate()

    Returns ids [tokens, lanes], and the delta of later tokens: token m has the
    id m + delta on all lanes.  Errors: ERR_PARAM (the message names the
    segment; a delta that is not whole with int64).
    """
    given, n = _array(segments)
    ids = make(_p.Ids, scheme=_choice(_p.IdsScheme, "scheme", scheme),
               delta=real(delta, "delta"), rate=real(rate, "rate"),
               chunk=real(chunk, "chunk"),
               first_image=whole64(first_image, "first_image"))
    tokens, lanes = ctypes.c_int64(), ctypes.c_int64()
    later = ctypes.c_double()
    lib.locant_ids_shape(ctypes.byref(tokens), ctypes.byref(lanes), ids, given,
                         n)
    out = result(None, (tokens.value, lanes.value), dtype)
    lib.locant_positions_multimodal(view(out, "out"), ctypes.byref(later), ids,
                                    given, n)
    return out, later.value


def tm_audio_tokens(mel_frames: int) -> int:
    """Audio tokens of Qwen2.5-Omni for so many frames of a spectrogram."""
    out = ctypes.c_int64()
    lib.locant_tm_audio_tokens(ctypes.byref(out),
                               whole64(mel_frames, "mel_frames"))
    return out.value


# ---------------------------------------------------------------- random ids

def randomized(rows: int, tokens: int, range: int, seed: int) -> Array:
    """Each row: 'tokens' distinct ids below 'range', in increasing order, all
    choices equally likely.  Returns int64 [rows, tokens].
    Source: Ruoss et al. 2023, arXiv:2305.16843v1.  Errors: ERR_PARAM."""
    out = result(None, (whole(rows, "rows"), whole(tokens, "tokens")), np.int64)
    lib.locant_positions_randomized(view(out, "out"), whole64(range, "range"),
                                    _random(seed))
    return out


def spaced(tokens: int, range: int) -> Array:
    """Evenly spaced ids from 0 to range - 1, int64 [tokens].
    Errors: ERR_PARAM."""
    out = result(None, (1, whole(tokens, "tokens")), np.int64)
    lib.locant_positions_spaced(view(out, "out"), whole64(range, "range"))
    row: Array = out[0]
    return row


def pose(rows: int, tokens: int, chunks: int, range: int, seed: int) -> Array:
    """PoSE: each row is cut into chunks, with random skips between them, up to
    the length 'range'.  Returns int64 [rows, tokens].
    Source: Zhu et al. 2023, arXiv:2309.10400v3.  Errors: ERR_PARAM."""
    out = result(None, (whole(rows, "rows"), whole(tokens, "tokens")), np.int64)
    lib.locant_positions_pose(view(out, "out"), whole64(chunks, "chunks"),
                              whole64(range, "range"), _random(seed))
    return out


def cape(rows: int, tokens: int, seed: int | None = None, *, step: float = 1,
         global_shift: float = 0, local_shift: float = 0, max_scale: float = 1,
         centred: bool = True) -> Array:
    """CAPE: real positions, step apart; with a seed, as in training, shifted by
    row and by token and scaled by row.  Returns float64 [rows, tokens].
    Source: Likhomanenko et al. 2021, arXiv:2106.03143v3.  Errors: ERR_PARAM."""
    out = result(None, (whole(rows, "rows"), whole(tokens, "tokens")),
                 np.float64)
    how = make(_p.Cape, step=real(step, "step"),
               global_shift=real(global_shift, "global_shift"),
               local_shift=real(local_shift, "local_shift"),
               max_scale=real(max_scale, "max_scale"), centred=bool(centred))
    lib.locant_positions_cape(view(out, "out"), how,
                              None if seed is None else _random(seed))
    return out


# ------------------------------------------------- caches, groups, distances

def streaming(seen: int, sinks: int, recent: int) -> tuple[Array, Array]:
    """StreamingLLM: the tokens that stay in the cache after 'seen' tokens, and
    their positions, the indices in the cache.  Two int64 [kept].
    Source: Xiao et al. 2023, arXiv:2309.17453v4.  Errors: ERR_PARAM."""
    kept = ctypes.c_int64()
    given = (whole64(seen, "seen"), whole64(sinks, "sinks"),
             whole64(recent, "recent"))
    lib.locant_streaming_kept(ctypes.byref(kept), *given)
    tokens = result(None, (kept.value,), np.int64)
    positions = result(None, (kept.value,), np.int64)
    lib.locant_positions_streaming(view(tokens, "tokens"),
                                   view(positions, "positions"), *given)
    return tokens, positions


def selfextend(positions: Any, group: int, window: int, *,
               copy: bool = False) -> tuple[Array, Array]:
    """SelfExtend: positions of queries and of keys in grouped attention, two
    int64 of the shape of 'positions' [B, T].
    Source: Jin et al. 2024, arXiv:2401.01325v3.  Errors: ERR_PARAM."""
    at = positions_of(positions, "positions", copy)
    q, k = result(None, at.shape, np.int64), result(None, at.shape, np.int64)
    lib.locant_positions_selfextend(
        view(q, "q_out"), view(k, "k_out"), view(at, "positions"),
        whole64(group, "group"), whole64(window, "window"))
    return q, k


def longlora(tokens: int, group: int, form: str = "roll") -> Array:
    """LongLoRA: the group of each token, for the first half of the heads and
    for the others.  form "roll" or "cut".  Returns int64 [2, tokens].
    Source: Chen et al. 2023, arXiv:2309.12307v3.  Errors: ERR_PARAM."""
    out = result(None, (2, whole(tokens, "tokens")), np.int64)
    lib.locant_positions_longlora(view(out, "groups"), whole64(group, "group"),
                                  _choice(_p.LongloraForm, "form", form))
    return out


def distances(q_positions: Any, k_positions: Any, kind: str, window: int, *,
              group: int = 1, factor: float = 1, sinks: int = 0,
              dtype: Any = np.float64, copy: bool = False) -> Array:
    """The distance that each query uses for each key: "rerope", "leaky"
    (factor), "selfextend" (group), "streaming" (sinks).  Returns [T, S].
    Errors: ERR_PARAM."""
    q = positions_of(q_positions, "q_positions", copy)
    k = positions_of(k_positions, "k_positions", copy)
    out = result(None, (q.size, k.size), dtype)
    form = make(_p.DistanceForm, kind=_choice(_p.DistanceKind, "kind", kind),
                window=whole64(window, "window"), group=whole64(group, "group"),
                factor=real(factor, "factor"), sinks=whole64(sinks, "sinks"))
    lib.locant_distances(view(out, "out"), form, view(q, "q_pos"),
                         view(k, "k_pos"))
    return out


def temperatures(positions: Any, kind: str = "llama4", *, scale: float = 0.1,
                 length: int = 8192, dtype: Any = np.float64,
                 copy: bool = False) -> Array:
    """The factor of the query at each position: "llama4", "ministral", "logn",
    "inkling".  length: floor_scale of Llama 4, or the trained length.  Returns
    [T].  Errors: ERR_PARAM."""
    at = positions_of(positions, "positions", copy)
    out = result(None, at.shape, dtype)
    form = make(_p.TemperatureForm,
                kind=_choice(_p.TemperatureKind, "kind", kind),
                scale=real(scale, "scale"), length=whole64(length, "length"))
    lib.locant_temperatures(view(out, "out"), form, view(at, "positions"))
    return out
