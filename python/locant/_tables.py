"""Learned tables of positions resampled, and cached keys moved."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _c
from ._arrays import FLOATS, PARAMS, Array, accept, positions_of, result, view
from ._c import Status
from ._encoding import Encoding, encoding_of
from ._library import Error, lib, make
from ._values import real, whole


def rerotate(x: Any, old: str | Encoding, old_positions: Any,
             new: str | Encoding, new_positions: Any, *,
             out: Array | None = None, dtype: str | None = None,
             copy: bool = False) -> Array:
    """Keys that 'old' rotated at old_positions, as 'new' would have rotated
    them at new_positions: to shift or divide positions, or to change the base
    or the scaling, in a cache of rotated keys.

    x                             [.., T, D] of float32, float64, float16 or
                                  bfloat16
    old, new                      plain rotations of the same channels
    old_positions, new_positions  int64 [T], or float64 [T] or [T, axes]
    out                           where to write, may be x itself
    dtype                         "bfloat16" where x is uint16 holding its bits

    Returns [.., T, D] of x's dtype.
    Errors: ERR_PARAM (other channels or pairing), ERR_UNSUPPORTED (not a plain
    rotation), ERR_SHAPE, ERR_DTYPE.
    """
    x, code = accept(x, "x", copy, dtype, FLOATS)
    a = positions_of(old_positions, "old_positions", copy)
    b = positions_of(new_positions, "new_positions", copy)
    out = result(out, x.shape, x.dtype)
    lib.locant_encoding_rerotate(
        view(out, "out", code), view(x, "x", code), encoding_of(old).handle,
        view(a, "old_positions"), encoding_of(new).handle,
        view(b, "new_positions"))
    return out


def zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    """Memory for the library to add to."""
    made = result(None, shape, dtype)
    made[...] = 0
    return made


def _how(form: str | None, options: dict[str, Any]) -> _c.Resize:
    made = make(_c.Resize)
    if form is not None:
        forms = {m.name.lower().replace("_", "-"): m for m in _c.ResizeForm}
        if form not in forms:
            raise Error(Status.ERR_PARAM, f"locant: form is {form!r}, expected "
                        + ", ".join(forms))
        lib.locant_resize_set_form(ctypes.byref(made), forms[form])
    for name, value in options.items():
        if value is not None:
            setattr(made, name, value)
    return made


def _options(cubic: bool | None, align_corners: bool | None,
             antialias: bool | None, offset: float | None,
             prefix: int) -> dict[str, Any]:
    return {"kind": None if cubic is None else int(bool(cubic)),
            "align_corners": None if align_corners is None
            else int(bool(align_corners)),
            "antialias": None if antialias is None else int(bool(antialias)),
            "offset": None if offset is None else real(offset, "offset"),
            "prefix": whole(prefix, "prefix")}


def _width(table: Array) -> int:
    if table.ndim != 2:
        raise Error(Status.ERR_SHAPE, f"locant: table has rank {table.ndim}, "
                    "expected [rows, D]")
    return int(table.shape[1])


def resize_1d(table: Any, length: int, form: str | None = None, *,
              cubic: bool | None = None, align_corners: bool | None = None,
              antialias: bool | None = None, offset: float | None = None,
              prefix: int = 0, copy: bool = False) -> Array:
    """A learned table of positions resampled to another length.

    table          float32 or float64 [prefix + m, D]
    length         n, without the prefix
    form           "vit", "hf", "timm", "dinov2", "dinov2-reg", "qwen3vl": how
                   these models resample; options below replace parts of it
    cubic          else linear
    align_corners  first row to first row, last to last
    antialias      as Pillow and PyTorch's antialias=True
    offset         0 .. 1, added to the new size (0.1 in DINOv2)
    prefix         first rows, class tokens, which are copied

    Returns [prefix + n, D].  Errors: ERR_PARAM, ERR_SHAPE, ERR_DTYPE.
    """
    table, _ = accept(table, "table", copy, codes=PARAMS)
    out = result(None, (prefix + whole(length, "length"), _width(table)),
                 table.dtype)
    lib.locant_resize_1d(
        view(out, "out"), view(table, "table"),
        _how(form, _options(cubic, align_corners, antialias, offset, prefix)))
    return out


def resize_2d(table: Any, rows: int, columns: int, form: str | None = None, *,
              from_rows: int = 0, from_columns: int = 0,
              cubic: bool | None = None, align_corners: bool | None = None,
              antialias: bool | None = None, offset: float | None = None,
              prefix: int = 0, copy: bool = False) -> Array:
    """The same of a table of a grid, row by row: from_rows x from_columns (left
    out: a square) to rows x columns."""
    table, _ = accept(table, "table", copy, codes=PARAMS)
    sizes = {"rows": whole(rows, "rows"), "columns": whole(columns, "columns"),
             "from_rows": whole(from_rows, "from_rows"),
             "from_columns": whole(from_columns, "from_columns")}
    out = result(None, (prefix + rows * columns, _width(table)), table.dtype)
    lib.locant_resize_2d(
        view(out, "out"), view(table, "table"),
        _how(form, {**sizes, **_options(cubic, align_corners, antialias, offset,
                                        prefix)}))
    return out


def resize_1d_backward(dout: Any, length: int, form: str | None = None, *,
                       cubic: bool | None = None,
                       align_corners: bool | None = None,
                       antialias: bool | None = None,
                       offset: float | None = None, prefix: int = 0,
                       copy: bool = False) -> Array:
    """The gradient of the table of resize_1d(), for a table of 'length' rows
    after the prefix, given that of its result; options as there."""
    dout, _ = accept(dout, "dout", copy, codes=PARAMS)
    made = zeros((prefix + whole(length, "length"), _width(dout)), dout.dtype)
    lib.locant_resize_1d_backward(
        view(made, "dtable"), view(dout, "dout"),
        _how(form, _options(cubic, align_corners, antialias, offset, prefix)))
    return made


def resize_2d_backward(dout: Any, rows: int, columns: int, from_rows: int,
                       from_columns: int, form: str | None = None, *,
                       cubic: bool | None = None,
                       align_corners: bool | None = None,
                       antialias: bool | None = None,
                       offset: float | None = None, prefix: int = 0,
                       copy: bool = False) -> Array:
    """The gradient of the table of resize_2d()."""
    dout, _ = accept(dout, "dout", copy, codes=PARAMS)
    sizes = {"rows": whole(rows, "rows"), "columns": whole(columns, "columns"),
             "from_rows": whole(from_rows, "from_rows"),
             "from_columns": whole(from_columns, "from_columns")}
    made = zeros((prefix + from_rows * from_columns, _width(dout)), dout.dtype)
    lib.locant_resize_2d_backward(
        view(made, "dtable"), view(dout, "dout"),
        _how(form, {**sizes, **_options(cubic, align_corners, antialias, offset,
                                        prefix)}))
    return made
