"""NumPy arrays as views for the library, without implicit copies."""
from __future__ import annotations

from ctypes import addressof, c_char
from functools import lru_cache
from struct import Struct
from sys import byteorder
from typing import Any

import numpy as np
import numpy.typing as npt

from ._c import MAX_RANK, Status, Tensor
from ._library import Error
from ._values import new, whole64

Array = npt.NDArray[Any]

_pack = Struct("@ii12q").pack
_first_byte: Any = c_char.from_buffer
_ZEROS = [(0,) * (MAX_RANK - rank) for rank in range(MAX_RANK + 1)]
# By locant_dtype.  Codes are plain ints: those of an enum are slower.
_NAMES = {0: "float32", 1: "float16", 2: "bfloat16", 3: "float64",
          4: "int32", 5: "int64", 6: "uint8"}
_BF16 = 2
_DTYPES = {code: np.dtype(name) for code, name in _NAMES.items()
           if code != _BF16}
_CODES = {dtype: code for code, dtype in _DTYPES.items()}
FLOATS = (0, 1, 2, 3)  # F32, F16, BF16, F64
BYTES = 6              # U8
PARAMS = (0, 3)        # F32, F64
_BLOCK = 4096   # positions
_FAR = 1 << 62  # positions from here on have no block


def tensor(data: int, code: int, shape: tuple[int, ...],
           stride: tuple[int, ...]) -> Tensor:
    """A locant_tensor for an address; 'stride' counts elements."""
    layout = _layout(code, 1, shape, stride)
    if layout is None:
        raise Error(Status.ERR_SHAPE, f"locant: rank {len(shape)}, at most "
                    f"{MAX_RANK} is possible")
    return Tensor.from_buffer_copy(data.to_bytes(8, byteorder) + layout)


def code_of(x: Array, name: str, dtype: str | None = None) -> int:
    """The locant_dtype of an array; with 'dtype', uint16 holds bfloat16."""
    found = _CODES.get(x.dtype)
    if dtype is not None and x.dtype == np.uint16:
        if dtype not in ("bfloat16", "bf16"):
            raise Error(Status.ERR_DTYPE, f"locant: dtype is {dtype!r}, "
                        "expected 'bfloat16' for an array of uint16")
        return _BF16
    if found is None and x.dtype.name == "bfloat16" and x.dtype.itemsize == 2:
        found = _CODES[x.dtype] = _BF16  # ml_dtypes
    if found is None:
        hint = ("; say dtype='bfloat16' if that is what the bits are"
                if x.dtype == np.uint16 else "")
        raise Error(Status.ERR_DTYPE, f"locant: {name} has dtype {x.dtype}, "
                    "expected float32, float64, float16, bfloat16, int32 or "
                    f"int64 in this machine's byte order{hint}")
    return found


@lru_cache(maxsize=512)
def _layout(code: int, size: int, shape: tuple[int, ...],
            strides: tuple[int, ...]) -> bytes | None:
    """A locant_tensor without its address, for elements of 'size' bytes; None:
    the rank is too large, or a stride is no multiple of 'size'."""
    if len(shape) > MAX_RANK or any(s % size for s in strides):
        return None
    rest = _ZEROS[len(shape)]
    if 0 in shape:  # strides of empty arrays are arbitrary
        strides = (size,) * len(shape)
    return _pack(code, len(shape), *shape, *rest,
                 *(s // size for s in strides), *rest)


@lru_cache(maxsize=512)
def _layout_of_count(n: int) -> bytes:
    return _pack(5, 1, n, *_ZEROS[1], 1, *_ZEROS[1])


def address(x: Array) -> int:
    """Address of its first byte."""
    try:
        return addressof(_first_byte(x))  # fastest
    except (TypeError, ValueError, BufferError):  # read-only, with gaps, empty
        return int(x.__array_interface__["data"][0])


def raw(x: Array, name: str, code: int | None = None) -> bytes:
    """The bytes of a locant_tensor that views 'x'; keep 'x' alive for the
    call."""
    if code is None:
        code = code_of(x, name)
    layout = _layout(code, x.itemsize, x.shape, x.strides)
    if layout is None or not x.flags.aligned:
        if x.ndim > MAX_RANK:
            raise Error(Status.ERR_SHAPE, f"locant: {name} has rank {x.ndim}, "
                        f"at most {MAX_RANK} are possible")
        raise Error(Status.ERR_LAYOUT, f"locant: {name} is not aligned to its "
                    f"elements of {x.itemsize} bytes; pass a copy of it")
    return address(x).to_bytes(8, byteorder) + layout


def view(x: Array, name: str, code: int | None = None) -> Tensor:
    """The same as raw(), as a struct, for functions with declared arguments."""
    return Tensor.from_buffer_copy(raw(x, name, code))


def _as_array(x: Any, name: str, copy: bool) -> Array:
    """An array that shares the memory of 'x'; with 'copy' it may be a copy."""
    if hasattr(x, "__array_interface__") or isinstance(x, (memoryview,
                                                           bytearray)):
        return np.asarray(x)
    if hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    if copy:
        return np.asarray(x)
    raise Error(Status.ERR_PARAM, f"locant: {name} is a {type(x).__name__}, "
                "expected an array; copy=True makes one of it")


def accept(x: Any, name: str, copy: bool = False, dtype: str | None = None,
           codes: tuple[int, ...] = FLOATS,
           strided: bool = False) -> tuple[Array, int]:
    """An input as an array that the library can read, and its locant_dtype.

    An array whose dtype, byte order, alignment or last stride the library
    cannot read is copied if 'copy' is true, else refused.  With 'strided' it
    can read any last stride.
    """
    if type(x) is not np.ndarray:
        x = _as_array(x, name, copy)
    if copy:
        x = _fitting(x, codes, dtype)
    code = code_of(x, name, dtype)
    if code not in codes:
        raise Error(Status.ERR_DTYPE, f"locant: {name} has dtype "
                    f"{_NAMES[code]}, expected "
                    + " or ".join(_NAMES[c] for c in codes)
                    + "; copy=True converts it")
    if not strided and x.ndim and x.strides[-1] != x.itemsize and \
            x.shape[-1] > 1 and x.size:
        raise Error(Status.ERR_LAYOUT, f"locant: {name} has elements "
                    f"{x.strides[-1]} bytes apart in its last dimension, "
                    f"expected {x.itemsize}; copy=True copies it")
    return x, code


def _fitting(x: Array, codes: tuple[int, ...], dtype: str | None) -> Array:
    """'x', or a copy if the library cannot read it."""
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    if _CODES.get(x.dtype) not in codes and dtype is None and \
            x.dtype.name != "bfloat16" and x.dtype.kind in "biuf":
        x = x.astype(_DTYPES[codes[-1]])
    if not x.flags.aligned or x.ndim and x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x


def result(out: Array | None, shape: tuple[int, ...], dtype: Any,
           name: str = "out") -> Array:
    """'out' if the caller gave one that can be written, else new memory."""
    if out is None:
        return new(shape, dtype, name)
    if type(out) is not np.ndarray or out.shape != shape or \
            out.dtype != dtype:
        found = (f"{out.dtype} {list(out.shape)}"
                 if isinstance(out, np.ndarray) else type(out).__name__)
        raise Error(Status.ERR_SHAPE, f"locant: {name} is {found}, expected "
                    f"an array of {np.dtype(dtype)} {list(shape)}")
    if not out.flags.writeable:
        raise Error(Status.ERR_LAYOUT, f"locant: {name} is read-only")
    return out


def positions_of(x: Any, name: str, copy: bool) -> Array:
    """An array of positions, int64 or (real positions) float64; 'x' may be a
    list."""
    if isinstance(x, (list, tuple, range)):
        try:
            x = np.asarray(x, np.float64 if _has_fractions(x) else np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise Error(Status.ERR_PARAM, f"locant: {name} is a "
                        f"{type(x).__name__} that makes no array of positions: "
                        f"{error}") from None
    if copy and isinstance(x, np.ndarray) and x.dtype.kind in "iu":
        x = x.astype(np.int64, copy=False)
    return accept(x, name, copy, codes=(5, 3))[0]


def _has_fractions(x: Any) -> bool:
    if isinstance(x, range):
        return False
    return any(_has_fractions(y) if isinstance(y, (list, tuple))
               else isinstance(y, float) for y in x)


def consecutive(first: int, n: int) -> Array:
    """Positions first .. first + n - 1."""
    if not -2**63 <= first <= 2**63 - n:
        raise Error(Status.ERR_PARAM, f"locant: offset is {first}; {n} "
                    "positions from there on do not fit in 64 bits")
    if n <= 0:
        return np.empty(0, np.int64)
    try:
        return np.arange(first, first + n, dtype=np.int64) \
            if first + n < 2**63 else np.arange(n, dtype=np.int64) + first
    except (ValueError, MemoryError):
        raise Error(Status.ERR_NOMEM, f"locant: no memory for {n} "
                    "positions") from None


@lru_cache(maxsize=16)
def _block(number: int) -> tuple[Array, int]:
    """Two blocks of positions, so that a range of up to one block that starts
    in the first is part of them; and their address."""
    at = consecutive(number * _BLOCK, 2 * _BLOCK)
    return at, address(at)


def consecutive_view(first: int, n: int) -> tuple[Array, bytes]:
    """An array of positions first .. first + n - 1, to be kept alive for the
    call, and a locant_tensor that views them.  A short range is part of a
    cached block, so that a step of decoding makes no array."""
    first = whole64(first, "offset")
    if 0 < n <= _BLOCK and 0 <= first < _FAR:
        at, start = _block(first // _BLOCK)
        start += first % _BLOCK * 8
        return at, start.to_bytes(8, byteorder) + _layout_of_count(n)
    at = consecutive(first, n)
    return at, raw(at, "positions", 5)
