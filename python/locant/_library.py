"""Find and load the libraries; turn a status into an exception."""
from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
from functools import lru_cache
from typing import Any, Callable, TypeVar

from . import _c, _c_positions

Struct = TypeVar("Struct", bound=ctypes.Structure)


class Error(Exception):
    """An error of the library.

    status    a `locant.Status`, for programs to branch on
    message   function, argument, what was found, what was expected
    """

    status: _c.Status
    message: str

    def __init__(self, status: int, message: str) -> None:
        super().__init__(int(status), message)  # so that it can be pickled
        self.status = _c.Status(status)
        self.message = message

    def __str__(self) -> str:
        return self.message


def _file(name: str) -> str:
    return f"lib{name}.dylib" if sys.platform == "darwin" else f"lib{name}.so"


def _folders() -> list[str]:
    """Where to look for the libraries: only LOCANT_LIBRARY if it is set."""
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
    """A function with undeclared arguments, for calls that take a microsecond.

    Without declarations ctypes passes the bytes of raw() in a third of the time
    of a struct, and the result is not checked in Python: the caller passes a
    nonzero status to refusal().  Pass only bytes, c_void_p, arrays of structs,
    None and ints of 32 bits; anything else would be truncated.
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
    for part in (_c, _c_positions):
        _declare(library, part.FUNCTIONS)
    return library


class Callback:
    """A Python function for C to call, within a with statement.

    If it raises an exception, C gets 'stop' as its result, and the exception is
    raised again at the end of the with statement.
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
    """A struct with the values of its _INIT macro, changed by 'values'."""
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
    """liblocant_lab, loaded on first use.

    It needs jansson, SQLite and zlib; if they are missing, or it was not built:
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
    from . import _c_lab, _c_models, _c_report
    for part in (_c_lab, _c_models, _c_report):
        _declare(library, part.FUNCTIONS)
    return library


def _poll() -> Any:
    """What a long call asks about ten times a second: was Ctrl-C pressed?

    It is a C function.  A Python function would run the handler of the signal
    before its first line, and the exception would be lost.  The C function
    clears the signal; _check() raises it again.
    """
    occurred = ctypes.pythonapi.PyOS_InterruptOccurred
    occurred.argtypes = [ctypes.c_void_p]  # takes none; C callers pass one
    return _c.Poll(occurred)


lib = _load_core()
_polled = (lib.locant_attention_forward, lib.locant_attention_backward)
_kept_poll = _poll()  # C keeps its address
lib.locant_set_poll(_kept_poll, None)
# A thread that still computes must not call an interpreter that has ended.
atexit.register(lib.locant_set_poll, _c.Poll(), None)
