"""Encodings by their spec, their parameters, the registry."""
from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _c
from ._arrays import PARAMS, Array, accept, view
from ._c import Status, Tensor
from ._library import Error, lib, make, text
from ._values import mapping, new, seed64, string, whole, whole64

Params = Mapping[str, Any]
# (array, name, copy) -> object to keep alive, view for the library
Viewer = Callable[[Any, str, bool], tuple[Any, Tensor]]

_DOORS = {_c.DOOR_INPUT: "input", _c.DOOR_ROTATE: "rotate",
          _c.DOOR_SCORE: "score", _c.DOOR_CONTENT: "content"}
_TRAITS = {_c.TRAIT_RELATIVE: "relative", _c.TRAIT_ISOMETRIC: "isometric",
           _c.TRAIT_LEARNED: "learned", _c.TRAIT_LIMIT: "limit",
           _c.TRAIT_MONOTONE: "monotone", _c.TRAIT_LENGTH: "length",
           _c.TRAIT_READS_X: "reads_x", _c.TRAIT_REAL: "real",
           _c.TRAIT_CAUSAL: "causal"}
# The figure that represents an encoding of each door.
_PICTURES = {"input": "table", "rotate": "cosine", "score": "bias",
             "content": "weights", "any": "attention"}


def _names(bits: int, of: dict[int, str]) -> tuple[str, ...]:
    return tuple(name for bit, name in of.items() if bits & bit)


@dataclass(frozen=True)
class Key:
    """One key of a spec; 'fallback' is its default, as a spec would say it."""

    name: str
    kind: str
    fallback: str
    range: str
    doc: str


@dataclass(frozen=True)
class Variant:
    """A spec that the literature knows under another name."""

    spec: str
    title: str
    used_by: str


@dataclass(frozen=True)
class EncodingInfo:
    """One row of the registry, as `locant show NAME` prints it."""

    name: str
    title: str
    formula: str
    source: str
    used_by: str
    pitfalls: str
    gradient: str
    doors: tuple[str, ...]
    traits: tuple[str, ...]
    keys: tuple[Key, ...] = field(repr=False)
    variants: tuple[Variant, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"<{' '.join(self.doors) or 'no door'}: {self.title}>"


@dataclass(frozen=True)
class Parameter:
    """One learned parameter of an encoding.

    name       its key in 'params'
    dims       its shape in words, "[buckets, heads]"
    shape      its shape for the given sizes; 0: depends on a size left out
    rate       learning rate relative to that of weight matrices; 0: data of
               the task, not learned
    per_layer  each layer of a model has its own
    doors      of the part of a sum it belongs to
    """

    name: str
    dims: str
    doc: str
    shape: tuple[int, ...]
    rate: float
    per_layer: bool
    doors: tuple[str, ...]


def _keys(name: bytes) -> tuple[Key, ...]:
    found, made = _c.KeyInfo(), list[Key]()
    for i in itertools.count():
        if not lib.locant_encoding_key(found, name, i):
            break
        made.append(Key(text(found.name), text(found.kind),
                        text(found.fallback), text(found.range),
                        text(found.doc)))
    return tuple(made)


def _variants(first: Any) -> tuple[Variant, ...]:
    made: list[Variant] = []
    while first and first[len(made)].spec is not None:
        v = first[len(made)]
        made.append(Variant(text(v.spec), text(v.title), text(v.used_by)))
    return tuple(made)


def _info(row: Any) -> EncodingInfo:
    return EncodingInfo(
        text(row.name), text(row.title), text(row.formula), text(row.source),
        text(row.used_by), text(row.pitfalls), text(row.gradient),
        _names(row.doors, _DOORS), _names(row.traits, _TRAITS),
        _keys(row.name), _variants(row.variants))


def encodings() -> dict[str, EncodingInfo]:
    """The registry: every encoding by its name, in alphabetical order."""
    found = {}
    for i in itertools.count():
        row = lib.locant_encoding_at(i)
        if not row:
            break
        found[text(row.contents.name)] = _info(row.contents)
    return found


class Encoding:
    """A positional encoding, made from its spec; immutable.

    `Encoding("rope(base=500000)")`, `Encoding("randomized(length=2048)+alibi")`:
    include/locant/encoding.h has the grammar.  Any number of threads may share
    an Encoding.  Encodings are equal if their canonical specs are.

    Errors: ERR_PARAM; the message names the byte of a syntax error, or the
    unknown name or key with the nearest known one, or the value and its range.
    """

    __slots__ = ("handle", "spec", "given", "_open", "_known", "_widths",
                 "_plain", "_layers", "__weakref__")
    handle: ctypes.c_void_p
    spec: str
    given: dict[str, Array]  # values that from_function() has computed

    def __init__(self, spec: str) -> None:
        handle = ctypes.c_void_p()
        lib.locant_encoding_create(ctypes.byref(handle),
                                   string(spec, "spec"))
        self._own(handle)

    @classmethod
    def from_function(cls, bias: Callable[..., Any], length: int = 0,
                      heads: int = 0, **declared: str) -> Encoding:
        """The encoding that adds bias(..) to each score, with no C.

            locant.Encoding.from_function(lambda n: -np.log1p(n))
            locant.Encoding.from_function(
                lambda n, m: np.where(n < 64, -m * n, -np.inf),
                m="param(heads,init=slopes)")

        The names of its arguments say what they are: the distance n, the
        signed distance d, positions i and j, the scaled score s, the head h
        of H (from 0 on), or what 'declared' declares as formula(..) does: a
        parameter, a constant, or an array c of tokens, which has the numbers
        c.q at the query and c.k at the key.

        A function made of arithmetic, comparisons in numpy.where and NumPy's
        functions is recorded as formula(bias=..): its spec can be trained,
        put in a report and used in C.  Any other function of n and h (with
        'if', math.log, a lookup) becomes a table of its values at distances 0
        .. length - 1, for this number of heads if it reads h; later distances
        have the last value.  The table is kept with the encoding ('given'), so
        calls need no params, but the spec alone does not hold it: the lab
        starts it as a learned table.

        Errors: ERR_PARAM.
        """
        from ._trace import arguments_of, record, tabulate
        if not callable(bias):
            raise Error(Status.ERR_PARAM, f"locant: bias is a "
                        f"{type(bias).__name__}, expected a function")
        names = arguments_of(bias, declared)
        expression = record(bias, names)
        if expression is not None:
            keys = {"bias": expression, **declared}
            inside = ",".join(f"{k}={v}" for k, v in keys.items())
            return cls(f"formula({inside})")
        length, heads = whole(length, "length"), whole(heads, "heads")
        if length < 1:
            raise Error(Status.ERR_PARAM, "locant: bias cannot be recorded as "
                        "a formula, expected 'length', the number of distances "
                        "of its table")
        if not set(names) <= {"n", "h", "H"}:
            raise Error(Status.ERR_PARAM, "locant: bias cannot be recorded as "
                        "a formula, and as a table it may read n, h and H "
                        f"only; it reads {', '.join(names)}")
        if heads < 1 and {"h", "H"} & set(names):
            raise Error(Status.ERR_PARAM, "locant: bias reads h or H, expected "
                        "'heads', the number of heads of its table")
        values = tabulate(bias, names, length, heads)
        shape = f"heads,{length}" if values.ndim == 2 else str(length)
        return _restored(f"formula(bias=pick(t,n),t=param({shape}))",
                         {"t": values})

    def _own(self, handle: ctypes.c_void_p) -> None:
        self.handle = handle
        self.spec = text(lib.locant_encoding_spec(handle))
        self.given = {}
        # Caches; None: not asked yet.
        self._open: bool | None = None  # the spec leaves out a length
        self._known: tuple[Parameter, ...] | None = None
        self._widths: dict[int, int] = {}  # rotated_width() by head_dim
        self._plain: bool | None = None
        self._layers: dict[int, Encoding] = {}  # by handle

    def __del__(self, _free: Any = lib.locant_encoding_free) -> None:
        if hasattr(self, "handle"):
            _free(self.handle)

    def __repr__(self) -> str:
        return f"Encoding({self.spec!r})"

    def __str__(self) -> str:
        return self.spec

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Encoding) and self.spec == other.spec
                and self.given.keys() == other.given.keys()
                and all(self.given[k] is other.given[k] for k in self.given))

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.spec, self.given)

    def _repr_svg_(self) -> str | None:
        """A figure for Jupyter; None if this build has no lab."""
        from .plot import svg
        for door, name in _PICTURES.items():
            if door in (*self.doors, "any"):
                try:
                    return svg(name, self, width=420, height=320)
                except Error:
                    continue
        return None

    @property
    def info(self) -> EncodingInfo:
        """Its row of the registry; for a sum, that of its first part."""
        return _info(lib.locant_encoding_info_of(self.handle).contents)

    @property
    def doors(self) -> tuple[str, ...]:
        """Where it enters: any of "input", "rotate", "score", "content"."""
        return _names(lib.locant_encoding_doors(self.handle), _DOORS)

    @property
    def traits(self) -> tuple[str, ...]:
        """Its properties: names of LOCANT_TRAIT_* in lower case."""
        return _names(lib.locant_encoding_traits(self.handle), _TRAITS)

    @property
    def axes(self) -> int:
        """Coordinates of one position: 1, or 2 and 3 for grids and video."""
        return int(lib.locant_encoding_axes(self.handle))

    @property
    def length_limit(self) -> int:
        """n if it is defined at positions 0 .. n - 1; 2**63 - 1 without a
        limit, 0 if the limit is a length that the spec leaves out."""
        return int(lib.locant_encoding_length_limit(self.handle))

    @property
    def chooses_positions(self) -> bool:
        """Whether it chooses positions itself: see ids()."""
        return bool(lib.locant_encoding_chooses_positions(self.handle))

    @property
    def layer_count(self) -> int:
        """The number of layers of the models that it is for, by the list(..)
        or the count of layers(..); 0: any number."""
        return int(lib.locant_encoding_layer_count(self.handle))

    def layer(self, number: int, count: int = 0) -> Encoding:
        """The encoding of layer 'number', from 0, of a model: itself, or one of
        those that layers(..) holds, the same object each time.

        count  layers of the model, from which last(..) counts back; 0: as many
               as layer_count says.  While the number is unknown, last(..)
               stands for no layer.
        """
        found = lib.locant_encoding_layer_of(None, self.handle,
                                             whole64(number, "layer"),
                                             whole64(count, "count"))
        if found == self.handle.value:
            return self
        if found not in self._layers:
            spec = text(lib.locant_encoding_spec(found))
            self._layers[found] = Encoding(spec)
        return self._layers[found]

    def layers(self, count: int = 0) -> tuple[Encoding, ...]:
        """The encodings of all layers of a model.

        count  layers of the model; 0: as many as layer_count says

        Errors: ERR_PARAM: a count that is not layer_count, or 0 where that is
        0, too.
        """
        count = whole64(count, "count")
        known = self.layer_count
        if count < 0 or (known and count not in (0, known)) or \
                not (known or count):
            raise Error(Status.ERR_PARAM, f"locant: count is {count}, expected "
                        f"{known or 'the number of layers'} for {self.spec}")
        count = count or known
        return tuple(self.layer(i, count) for i in range(count))

    def resolve(self, length: int) -> Encoding:
        """The encoding for training on sequences of 'length' positions: a key
        "length" that the spec leaves out becomes 'length'."""
        handle = ctypes.c_void_p()
        lib.locant_encoding_resolve(ctypes.byref(handle), self.handle,
                                    whole64(length, "length"))
        made = Encoding.__new__(Encoding)
        made._own(handle)
        made.given = self.given
        return made

    def resolved(self, length: int) -> Encoding:
        """resolve(), cached; the encoding itself if its spec leaves out no
        length."""
        length = whole64(length, "length")
        if self._open is None:
            self._open = self.resolve(512).spec != self.spec
        return _resolved(self, max(length, 1)) if self._open else self

    def rotated_width(self, head_dim: int) -> int:
        """Channels of a rotated row of head_dim channels."""
        found = self._widths.get(head_dim)
        if found is None:
            found = self._widths[head_dim] = int(
                lib.locant_encoding_rotated_width(
                    self.handle, whole64(head_dim, "head_dim")))
        return found

    @property
    def plain(self) -> bool:
        """Whether it is the same in every call: it has no parameters, and its
        spec leaves out no length."""
        if self._plain is None:
            self._plain = not self.known and self.resolved(2) is self
        return self._plain

    def ids(self, batch: int, tokens: int, seed: int = 0,
            training: bool = False) -> Array:
        """Positions of 'batch' sequences of 'tokens' tokens.

        Returns int64 [batch, tokens], or float64 with the trait "real":
        0 .. tokens - 1, unless the encoding draws positions at random (in
        training, from 'seed') or spreads them out.
        """
        real = lib.locant_encoding_traits(self.handle) & _c.TRAIT_REAL
        out = new((whole(batch, "batch"), whole(tokens, "tokens")),
                  np.float64 if real else np.int64, "ids")
        lib.locant_encoding_ids(view(out, "ids"), self.handle,
                                seed64(seed), int(training))
        return out

    # parameters

    def parameters(self, width: int = 0, heads: int = 0, kv_heads: int = 0,
                   head_dim: int = 0) -> tuple[Parameter, ...]:
        """Its learned parameters for a model of these sizes (0: unknown)."""
        return _parameters(self, *(whole(n, name) for n, name in (
            (width, "width"), (heads, "heads"), (kv_heads, "kv_heads"),
            (head_dim, "head_dim"))))

    @property
    def known(self) -> tuple[Parameter, ...]:
        """parameters(), cached; no sizes of a model are given, so that shapes
        that depend on them have zeros."""
        if self._known is None:
            self._known = self.parameters()
        return self._known

    def init(self, seed: int = 0, dtype: Any = np.float32, *, width: int = 0,
             heads: int = 0, kv_heads: int = 0,
             head_dim: int = 0) -> dict[str, Array]:
        """Initial values of its parameters, drawn from 'seed'.

        Returns name: array of dtype float32 or float64.  Sizes that the shapes
        depend on must be given; ERR_PARAM names the one that is missing.
        """
        values = {}
        seed = seed64(seed)
        for i, p in enumerate(self.parameters(width, heads, kv_heads,
                                              head_dim)):
            if 0 in p.shape:
                raise Error(Status.ERR_PARAM, f"locant: parameter {p.name} "
                            f"{p.dims} of {self.spec} cannot be drawn: its "
                            "size is not known; give width, heads, kv_heads, "
                            "head_dim, or a length in the spec")
            values[p.name] = new(p.shape, dtype, p.name)
            if p.name in self.given:
                values[p.name][...] = self.given[p.name]
                continue
            lib.locant_encoding_param_init(view(values[p.name], p.name),
                                           self.handle, i, seed)
        return values

    def project(self, params: Params) -> None:
        """Set every entry to the nearest allowed value, in place.  Call it
        after each step of an optimiser."""
        params = mapping(params, "params")
        for i, p in enumerate(self.known):
            if p.name in params:
                value, code = accept(params[p.name], f"params[{p.name!r}]")
                lib.locant_encoding_param_project(
                    view(value, p.name, code), self.handle, i)


def _restored(spec: str, given: dict[str, Array]) -> Encoding:
    made = Encoding(spec)
    made.given = given
    return made


@lru_cache(maxsize=256)
def _made(spec: str) -> Encoding:
    return Encoding(spec)


@lru_cache(maxsize=256)
def _resolved(encoding: Encoding, length: int) -> Encoding:
    return encoding.resolve(length)


@lru_cache(maxsize=256)
def _parameters(e: Encoding, width: int, heads: int, kv_heads: int,
                head_dim: int) -> tuple[Parameter, ...]:
    sizes = make(_c.Sizes, width=width, heads=heads, kv_heads=kv_heads,
                 head_dim=head_dim)
    found, made = _c.ParamInfo(), list[Parameter]()
    for i in itertools.count():
        if not lib.locant_encoding_param(found, e.handle, i, sizes):
            break
        made.append(Parameter(
            text(found.name), text(found.dims), text(found.doc),
            tuple(found.shape[:found.rank]), found.rate,
            bool(found.per_layer), _names(found.doors, _DOORS)))
    return tuple(made)


def encoding_of(spec: str | Encoding | None) -> Encoding:
    """The encoding of a spec, cached; None: "none"."""
    if isinstance(spec, Encoding):
        return spec
    if isinstance(spec, str):
        return _made(spec)
    if spec is None:
        return _made("none")
    raise Error(Status.ERR_PARAM, f"locant: encoding is a "
                f"{type(spec).__name__}, expected a spec or an Encoding")


class Bound:
    """An encoding with its parameters as the library takes them.

    encoding  resolved for the length of the call
    views     array of locant_tensor, or None
    values    the parameters' arrays in order, which keeps them alive
    """

    __slots__ = ("encoding", "views", "values")

    def __init__(self, encoding: Encoding, values: Sequence[Any],
                 views: Sequence[Tensor]) -> None:
        self.encoding = encoding
        self.values = values
        self.views = (Tensor * len(views))(*views) if views else None


def _numpy_view(x: Any, name: str, copy: bool) -> tuple[Any, Tensor]:
    array, code = accept(x, f"params[{name!r}]", copy, None, PARAMS)
    return array, view(array, name, code)


def bind(spec: str | Encoding | None, params: Params | None, length: int,
         sizes: dict[str, int], *, copy: bool = False,
         viewer: Viewer = _numpy_view) -> Bound:
    """An encoding and its parameters for one call.

    A length that the spec leaves out becomes 'length', unless the shape of a
    given parameter determines it.  Data of the task (rate 0) that is not given
    takes its initial value; a missing learned parameter is ERR_PARAM.
    """
    e, params = encoding_of(spec), mapping(params, "params")
    if not e.known:
        if params:
            raise Error(Status.ERR_PARAM, f"locant: params has "
                        f"{next(iter(params))!r}, but {e.spec} has no "
                        "parameters")
        return Bound(e.resolved(length), (), ())
    return _bind_params(e, params, length, sizes,
                        lambda x, name: viewer(x, name, copy))


def _bind_params(e: Encoding, params: Params, length: int,
                 sizes: dict[str, int], viewer: Any) -> Bound:
    names = [p.name for p in e.known]
    for name in params:
        if name not in names:
            raise Error(Status.ERR_PARAM, f"locant: params has {name!r}, but "
                        f"the parameters of {e.spec} are {', '.join(names)}")
    if not any(0 in p.shape and p.name in params
               for p in e.parameters(**sizes)):
        e = e.resolved(length)
    values, views = [], []
    for i, p in enumerate(e.known):
        if p.name in params:
            value, viewed = viewer(params[p.name], p.name)
        elif p.name in e.given:
            value = e.given[p.name]
            viewed = view(value, p.name)
        elif p.rate == 0:
            value = _task_data(e, i, sizes)
            viewed = view(value, p.name)
        else:
            raise Error(Status.ERR_PARAM, f"locant: {e.spec} has the learned "
                        f"parameter {p.name} {p.dims}; give it in params, for "
                        "instance from Encoding.init()")
        values.append(value)
        views.append(viewed)
    return Bound(e, values, views)


def _task_data(e: Encoding, i: int, sizes: dict[str, int]) -> Array:
    """The initial value of parameter i, which is data of the task."""
    p = e.parameters(**sizes)[i]
    if 0 in p.shape:
        raise Error(Status.ERR_PARAM, f"locant: parameter {p.name} {p.dims} of "
                    f"{e.spec} is data of the task; give it in params")
    value = np.empty(p.shape, np.float64)
    lib.locant_encoding_param_init(view(value, p.name), e.handle, i, 0)
    return value
