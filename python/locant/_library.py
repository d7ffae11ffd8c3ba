"""Find and load the libraries; turn a status into an exception, here only."""
from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
from functools import lru_cache
from typing import Any, Callable, TypeVar

from . import _c

Struct = TypeVar("Struct", bound=ctypes.Structure)


class Error(Exception):
    """What the library refuses, and why.

    status    a `locant.Status`, for programs to branch on
    sentence  function, argument, what was found, what was expected
    """

    status: _c.Status
    sentence: str

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(int(status), sentence)  # so that it can be pickled
        self.status = _c.Status(status)
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


def _file(name: str) -> str:
    return f"lib{name}.dylib" if sys.platform == "darwin" else f"lib{name}.so"


def _folders() -> list[str]:
    """Where the libraries may be: LOCANT_LIBRARY alone if it is set."""
    given = os.environ.get("LOCANT_LIBRARY")
    if given:
        return [given if os.path.isdir(given) else os.path.dirname(given)]
    return list(sys.modules[__package__].__path__)


def _find(name: str) -> str | None:
    for folder in _folders():
        path = os.path.join(folder, _file(name))
        if os.path.isfile(path):
            return os.path.abspath(path)
    return None


def _check(status: int, function: Any, arguments: Any) -> int:
    if status:
        if status == _c.Status.ERR_INTERRUPTED and function in _polled:
            signal.raise_signal(signal.SIGINT)  # for Python's own handler
        raise refusal(status)
    return status


def _declare(library: ctypes.CDLL,
             functions: dict[str, tuple[Any, list[Any]]]) -> None:
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.argtypes = arguments
        if result == "status":
            function.errcheck = _check  # its result is an int by default
        else:
            function.restype = result


def quick(name: str) -> Any:
    """A function of pointers and ints, whose status is for refusal() if not 0.

    For calls that last a microsecond.  No arguments are declared, so that ctypes
    passes the bytes that raw() makes of an array in a third of the time of a
    struct, and no result is checked in Python.  Callers pass bytes, c_void_p,
    arrays of structs, None and ints of 32 bits; nothing else arrives whole.
    """
    return lib[name]


def refusal(status: int) -> Error:
    """The error of the call that just returned 'status'."""
    return Error(status, text(lib.locant_last_error()))


def _load_core() -> ctypes.CDLL:
    path = _find("locant")
    if path is None:
        raise ImportError(
            f"locant: no {_file('locant')} in {' or '.join(_folders())}; "
            "install the package with pip, or set LOCANT_LIBRARY to the folder "
            "of a build")
    library = ctypes.CDLL(path)
    library.locant_version.restype = ctypes.c_char_p
    found = text(library.locant_version())
    if found.split(".")[:2] != _c.VERSION_STRING.split(".")[:2]:
        raise ImportError(f"locant: {path} is version {found}, this package "
                          f"is made for {_c.VERSION_STRING}")
    _declare(library, _c.FUNCTIONS)
    return library


class Callback:
    """A Python function for C to call, within a with statement.

    What it raises is kept: C is answered 'stop', and when the with statement
    ends it is raised again instead of what C made of that answer.
    """

    def __init__(self, kind: Any, function: Callable[..., Any],
                 stop: int = 1) -> None:
        self._function, self._stop = function, stop
        self._error: BaseException | None = None
        self.c = kind(self._call)

    def _call(self, *arguments: Any) -> int:
        try:
            return self._function(*arguments) or 0
        except BaseException as error:
            self._error = error
            return self._stop

    def __enter__(self) -> Any:
        return self.c

    def __exit__(self, *_: Any) -> None:
        if self._error is not None:
            raise self._error from None


def text(found: bytes | None) -> str:
    """A C string, or "" for NULL."""
    return (found or b"").decode("utf-8", "replace")


def make(kind: type[Struct], /, **values: Any) -> Struct:
    """A struct as its _INIT macro leaves it, then with these members."""
    made = kind()
    if kind in _c.INIT:
        made.struct_size = ctypes.sizeof(kind)
        for name, value in _c.INIT[kind].items():
            setattr(made, name, value)
    for name, value in values.items():
        setattr(made, name, value)
    return made


@lru_cache(maxsize=None)
def lab() -> ctypes.CDLL:
    """liblocant_lab, loaded when first asked for.

    It needs jansson, SQLite and zlib; where it was not built or they are missing,
    Error with ERR_UNSUPPORTED.
    """
    path = _find("locant_lab")
    if path is None:
        raise Error(_c.Status.ERR_UNSUPPORTED,
                    f"locant: no {_file('locant_lab')} beside "
                    f"{lib._name}; this build has no lab")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Error(_c.Status.ERR_UNSUPPORTED,
                    f"locant: {path} cannot be loaded: {error}") from None
    from ._c_lab import FUNCTIONS
    _declare(library, FUNCTIONS)
    return library


def _poll() -> Any:
    """What long calls ask about ten times a second: was Ctrl-C pressed?

    A function of C, since a Python one would run the handler of the signal
    before its first line, and what that raises would be lost.  It forgets the
    signal, which _check() raises again.
    """
    occurred = ctypes.pythonapi.PyOS_InterruptOccurred
    occurred.argtypes = [ctypes.c_void_p]  # takes none; C callers pass one
    return _c.Poll(occurred)


lib = _load_core()
_polled = (lib.locant_attention_forward, lib.locant_attention_backward)
_asked = _poll()
lib.locant_set_poll(_asked, None)
# A thread that still computes must not ask an interpreter that has ended.
atexit.register(lib.locant_set_poll, _c.Poll(), None)
