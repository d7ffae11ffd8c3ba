"""The figures of the report as matplotlib axes, and as data.

`locant.plot.wavelengths("rope")` draws the figure "wavelengths" of an encoding,
`locant.plot.length("locant-lab")` the figure "length" of the runs in a store;
`locant.plot.names()` lists them all; in Python "-" is written "_".
liblocant_lab computes every number; matplotlib, imported when first needed,
only draws.
"""
from __future__ import annotations

import ctypes
import itertools
import os
from dataclasses import dataclass
from functools import partial
from typing import Any, Sequence

import numpy as np

from ._arrays import Array
from ._c import Status
from ._c_lab import RunVisitor
from ._c_report import FigureKind, FigureTaker, FigureView
from ._encoding import Encoding, encoding_of
from ._library import Callback, Error, lab, lib, make, text
from ._optional import need

__all__ = ["Figure", "Series", "draw", "figure", "figures", "names", "svg"]

_LINES = ("-", "--", ":", "-.", (0, (8, 3)))


@dataclass(frozen=True)
class Series:
    """One line of a figure; NaN leaves a gap.

    x, y       float64 [n]; x is None in bars, strips and points
    low, high  a band or an interval around y, or None
    color      0 .. 9 of the palette, or -1: by order
    """

    label: str
    x: Array | None
    y: Array
    low: Array | None
    high: Array | None
    line: int
    dots: bool
    color: int


@dataclass(frozen=True)
class Figure:
    """The data of one figure: series, or the cells of a heat map."""

    name: str
    kind: FigureKind
    title: str
    x_label: str
    y_label: str
    alt: str
    caption: str
    series: tuple[Series, ...]
    marks: tuple[tuple[float, str], ...]
    log_x: bool
    y_range: tuple[float, float] | None
    cells: Array | None
    diverging: bool
    numbers: bool
    x_first: float
    x_step: float
    y_first: float
    y_step: float
    row_names: tuple[str, ...] | None = None
    col_names: tuple[str, ...] | None = None


def names() -> dict[str, str]:
    """Every figure by name: its title and what it is of ("rotate", ..)."""
    found, at = {}, lab().locant_figure_at
    for i in itertools.count():
        info = at(i)
        if not info:
            break
        info = info.contents
        found[text(info.name)] = f"{text(info.title)} ({text(info.of)})"
    return found


# ------------------------------------------------------------------------ data

def _values(pointer: Any, n: int) -> Array | None:
    if not pointer:
        return None
    return np.array(pointer[:n], np.float64)


def _names(pointer: Any, n: int) -> tuple[str, ...] | None:
    return tuple(text(pointer[i]) for i in range(n)) if pointer else None


def _series(s: Any, kind: FigureKind) -> Series:
    n = 1 if kind == FigureKind.BARS else s.n
    x = _values(s.x, n) if kind == FigureKind.CURVES else None
    y = _values(s.y, n)
    assert y is not None
    return Series(text(s.label), x, y, _values(s.low, n), _values(s.high, n),
                  s.dashed, bool(s.marks), s.color)


def _copied(f: Any, alt: bytes, caption: bytes) -> Figure:
    """A copy of a figure of C, which is valid only during its call."""
    kind = FigureKind(f.kind)
    cells = _values(f.cells, f.rows * f.cols)
    return Figure(
        text(f.name), kind, text(f.title), text(f.x_label), text(f.y_label),
        text(alt), text(caption),
        tuple(_series(f.series[i], kind) for i in range(f.n_series)),
        tuple((f.marks[i].x, text(f.marks[i].label))
              for i in range(f.n_marks)), bool(f.log_x),
        (f.y_min, f.y_max) if (f.y_min, f.y_max) != (0, 0) else None,
        None if cells is None else cells.reshape(f.rows, f.cols),
        bool(f.diverging), bool(f.numbers), f.x_first, f.x_step, f.y_first,
        f.y_step, _names(f.row_names, f.rows), _names(f.col_names, f.cols))


def _visit(name: str, of: str | Encoding, call: Any, runs: Sequence[int],
           view: dict[str, Any]) -> None:
    """Call call(figure, alt, caption, context) for each figure of that name."""
    options = make(FigureView, **view)
    with Callback(FigureTaker, call, Status.ERR_INTERRUPTED) as taker:
        if isinstance(of, Encoding) or not os.path.isdir(of):
            lab().locant_figure_of_encoding(
                name.encode(), encoding_of(of).handle, options, taker, None)
            return
        store = ctypes.c_void_p()
        lab().locant_store_open_readonly(ctypes.byref(store), os.fsencode(of))
        try:
            ids = list(runs) or (
                _ended(store) if name.startswith(("extension", "surface"))
                else _finished(store, name.startswith("task-")))
            lab().locant_figure_of_runs(
                name.encode(), store, (ctypes.c_int64 * len(ids))(*ids),
                len(ids), options, taker, None)
        finally:
            lab().locant_store_close(store)


def _ended(store: ctypes.c_void_p) -> list[int]:
    """Ids of all runs that have ended: any may have the numbers of a report."""
    found: list[int] = []

    def visit(run: Any, _: Any) -> None:
        if run.contents.status in (b"done", b"failed"):
            found.append(run.contents.id)

    with Callback(RunVisitor, visit) as visitor:
        lab().locant_store_runs(store, visitor, None)
    return found


def _finished(store: ctypes.c_void_p, tasks: bool) -> list[int]:
    """Ids of the finished runs, on tasks or on text, that were trained as the
    last one was.  Runs on text that have a parent count only if all have."""
    found: list[tuple[bool, int, Any]] = []  # counts, id, how it was trained

    def visit(run: Any, _: Any) -> None:
        r = run.contents
        if r.status == b"done" and (r.source != b"text") == tasks:
            found.append((tasks or r.parent == 0, r.id, (
                r.model, r.corpus_sha256, r.source, r.steps, r.batch, r.length,
                r.parent == 0)))

    with Callback(RunVisitor, visit) as visitor:
        lab().locant_store_runs(store, visitor, None)
    if not found:
        return []
    last = ([f for f in found if f[0]] or found[:1])[-1][2]
    return [i for _, i, kind in found if kind == last]


def figures(name: str, of: str | Encoding, *, runs: Sequence[int] = (),
            **view: Any) -> list[Figure]:
    """The data of a figure; one for each kind of layer if layers differ.

    name  one of names()
    of    a spec or an Encoding, whose initial values are shown; or the folder
          of a run store, such as "locant-lab"
    runs  ids of runs of a store; left out: all finished ones like the last
          (on a task for "task-..", on text for other figures)
    view  length, position, head, trained, width, heads, factor, seed, as in
          locant_figure_view of include/locant/figure.h; left out: as on the
          page

    Errors: ERR_PARAM (no such figure; not of this encoding), ERR_UNSUPPORTED
    (this build has no lab), ERR_IO.
    """
    found: list[Figure] = []
    _visit(name, of, lambda f, alt, caption, _: found.append(
        _copied(f.contents, alt, caption)), runs, view)
    return found


def svg(name: str, of: str | Encoding, *, runs: Sequence[int] = (),
        width: int = 0, height: int = 0, **view: Any) -> str:
    """The first figure of that name as an SVG document, drawn by the lab.

    width, height  in points; 0: 640 x 400.  Otherwise as figures().
    """
    found: list[str] = []

    def draw(f: Any, alt: bytes, caption: bytes, _: Any) -> None:
        if found:
            return
        f.contents.width, f.contents.height = width, height
        memory, size = ctypes.c_void_p(), ctypes.c_size_t()
        lab().locant_figure_svg(ctypes.byref(memory), ctypes.byref(size), f)
        found.append(ctypes.string_at(memory.value or 0, size.value)
                     .decode("utf-8"))
        lib.locant_release(memory)

    _visit(name, of, draw, runs, view)
    return found[0]


# --------------------------------------------------------------------- drawing

def _color(s: Series, i: int) -> str:
    return f"C{(i if s.color < 0 else s.color) % 10}"


def _curves(ax: Any, f: Figure) -> None:
    for i, s in enumerate(f.series):
        ax.plot(s.x, s.y, linestyle=_LINES[s.line], color=_color(s, i),
                marker="o" if s.dots else None, markersize=4,
                label=s.label or None)
        if s.low is not None and s.high is not None:
            ax.fill_between(s.x, s.low, s.high, color=_color(s, i), alpha=0.2,
                            linewidth=0)
    if f.log_x:
        ax.set_xscale("log", base=2)
    for x, label in f.marks:
        ax.axvline(x, color="0.5", linewidth=1, linestyle="--")
        ax.annotate(label, (x, 1), xycoords=("data", "axes fraction"),
                    fontsize="small", va="top")
    if any(s.label for s in f.series):
        ax.legend(fontsize="small")


def _heatmap(ax: Any, f: Figure) -> None:
    assert f.cells is not None
    rows, cols = f.cells.shape
    x, y = f.x_step or 1, f.y_step or 1
    options: dict[str, Any] = {"cmap": "viridis"}
    if f.diverging:
        bounds = np.array(f.y_range) if f.y_range else f.cells[
            np.isfinite(f.cells)]
        largest = float(np.nanmax(np.abs(bounds), initial=0)) or 1.0
        options = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
    elif f.y_range:
        options.update(vmin=f.y_range[0], vmax=f.y_range[1])
    image = ax.imshow(f.cells, aspect="auto", interpolation="nearest", extent=(
        f.x_first - x / 2, f.x_first + x * (cols - 0.5),
        f.y_first + y * (rows - 0.5), f.y_first - y / 2), **options)
    ax.figure.colorbar(image, ax=ax)
    if f.row_names:
        ax.set_yticks(range(rows), f.row_names)
    if f.col_names:
        ax.set_xticks(range(cols), f.col_names)
    if f.numbers and max(rows, cols) <= 16:
        for (i, j), value in np.ndenumerate(f.cells):
            ax.text(f.x_first + x * j, f.y_first + y * i, f"{value:.2g}",
                    ha="center", va="center", fontsize="x-small")


def _labelled(ax: Any, f: Figure) -> None:
    """Bars, strips and points: one row for each label."""
    for i, s in enumerate(f.series):
        color = _color(s, i)
        if f.kind == FigureKind.BARS:
            ax.barh(i, s.y[0], color=color)
        elif s.low is not None and s.high is not None:
            ax.errorbar(s.y, [i] * len(s.y), fmt="o", color=color, xerr=(
                s.y - s.low, s.high - s.y))
        else:
            ax.plot(s.y, [i] * len(s.y), "o", color=color)
    ax.set_yticks(range(len(f.series)), [s.label for s in f.series])
    ax.invert_yaxis()
    for x, label in f.marks:
        ax.axvline(x, color="0.5", linewidth=1, linestyle="--")


def draw(figure: Figure, ax: Any = None) -> Any:
    """Draw a Figure on 'ax' (new axes if left out); returns the axes.

    Errors: ImportError without matplotlib.
    """
    if ax is None:
        pyplot = need("matplotlib.pyplot", "plot", "plot")
        ax = pyplot.subplots(layout="constrained")[1]
    kinds = {FigureKind.CURVES: _curves, FigureKind.HEATMAP: _heatmap}
    kinds.get(figure.kind, _labelled)(ax, figure)
    ax.set_title(figure.title)
    if figure.kind in kinds:
        ax.set_xlabel(figure.x_label)
        ax.set_ylabel(figure.y_label)
        if figure.y_range and figure.kind == FigureKind.CURVES:
            ax.set_ylim(figure.y_range)
    else:
        ax.set_xlabel(figure.y_label)
    return ax


def figure(name: str, of: str | Encoding, ax: Any = None, *,
           runs: Sequence[int] = (), **view: Any) -> Any:
    """Draw the figure 'name' of an encoding or of a store of runs.

    Returns matplotlib axes, or a list of them if layers differ and there is a
    figure for each kind.  The rest is as in figures().
    """
    if ax is None:
        need("matplotlib.pyplot", "plot", "plot")
    found = figures(name, of, runs=runs, **view)
    if len(found) == 1:
        return draw(found[0], ax)
    return [draw(f, ax) for f in found]


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and name.replace("_", "-") in names():
        return partial(figure, name.replace("_", "-"))
    raise AttributeError(f"module 'locant.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *(n.replace("-", "_") for n in names())])
