"""A Python function of a distance, written down as an expression of formula(..).

The function is called once with objects that record what is done to them:
arithmetic, comparisons, NumPy's functions of one number, numpy.where, clip,
minimum and maximum.  A function that asks for a number instead (an 'if', a call
of math.log, an index) cannot be recorded.
"""
from __future__ import annotations

import inspect
import math
import numbers
from typing import Any, Callable

import numpy as np

from ._c import Status
from ._library import Error

# What names of arguments mean, as in a formula.
NAMES = ("d", "n", "i", "j", "s", "h", "H", "T0")

# How tightly operations bind: a comparison, +, *, unary minus, ^, all else.
_TEST, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(6)

# NumPy's functions by the names of formulas.
_FUNCTIONS = {
    "exp": "exp", "log": "log", "log1p": "log1p", "expm1": "expm1",
    "sqrt": "sqrt", "absolute": "abs", "fabs": "abs", "sign": "sign",
    "floor": "floor", "sin": "sin", "cos": "cos", "tanh": "tanh",
    "minimum": "min", "maximum": "max", "fmin": "min", "fmax": "max",
    "clip": "clamp"}
# Operators: text, level, least level of the left and of the right operand.
_OPERATORS = {
    "add": ("+", _SUM, _SUM, _PRODUCT),
    "subtract": ("-", _SUM, _SUM, _PRODUCT),
    "multiply": ("*", _PRODUCT, _PRODUCT, _UNARY),
    "divide": ("/", _PRODUCT, _PRODUCT, _UNARY),
    "power": ("^", _POWER, _ATOM, _UNARY),
    "less": ("<", _TEST, _SUM, _SUM),
    "less_equal": ("<=", _TEST, _SUM, _SUM),
    "greater": (">", _TEST, _SUM, _SUM),
    "greater_equal": (">=", _TEST, _SUM, _SUM),
    "equal": ("==", _TEST, _SUM, _SUM)}


class Unrecorded(TypeError):
    """The function asked for a number."""


def _number(x: Any) -> Expression:
    """The expression of a number."""
    if isinstance(x, Expression):
        return x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if not isinstance(x, numbers.Real) or math.isnan(x):
        raise Unrecorded(f"found a {type(x).__name__}, expected a number")
    size = "inf" if math.isinf(x) else repr(abs(float(x)))
    negative = x < 0
    return Expression("-" + size if negative else size,
                      _UNARY if negative else _ATOM)


def _operate(name: str, a: Any, b: Any) -> Expression:
    text, level, left, right = _OPERATORS[name]
    return Expression(_number(a).within(left) + text
                      + _number(b).within(right), level)


def _where(test: Any, x: Any, y: Any) -> Expression:
    if not isinstance(test, Expression) or test.level != _TEST:
        raise Unrecorded("numpy.where needs a comparison")
    return _call("if", test, x, y)


def _call(name: str, *arguments: Any) -> Expression:
    inside = ",".join(_number(a).within(_TEST) for a in arguments)
    return Expression(f"{name}({inside})", _ATOM)


class Expression:
    """The text of an expression."""

    __array_priority__ = 1000

    def __init__(self, text: str, level: int = _ATOM) -> None:
        self.text, self.level = text, level

    def within(self, least: int) -> str:
        """The text, in parentheses if it binds less tightly than 'least'."""
        return self.text if self.level >= least else f"({self.text})"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **options: Any) -> Expression:
        name = ufunc.__name__
        if method != "__call__" or options:
            raise Unrecorded(f"numpy.{name} with options")
        if name in _OPERATORS:
            return _operate(name, *inputs)
        if name == "negative":
            negative: Expression = -inputs[0]
            return negative
        if name == "square":
            return _operate("power", inputs[0], 2)
        if name == "reciprocal":
            return _operate("divide", 1, inputs[0])
        if name == "exp2":
            return _operate("power", 2, inputs[0])
        if name in _FUNCTIONS:
            return _call(_FUNCTIONS[name], *inputs)
        raise Unrecorded(f"numpy.{name} is no function of formulas")

    def __array_function__(self, function: Any, types: Any, args: Any,
                           kwargs: Any) -> Expression:
        if function is np.where and len(args) == 3 and not kwargs:
            return _where(*args)
        if function is np.clip and len(args) == 3 and not kwargs:
            return _call("clamp", *args)
        raise Unrecorded(f"numpy.{function.__name__} is no function of "
                         "formulas")

    @property
    def q(self) -> Expression:
        """An array of tokens, at the query."""
        return Expression(self.within(_ATOM) + ".q")

    @property
    def k(self) -> Expression:
        """An array of tokens, at the key."""
        return Expression(self.within(_ATOM) + ".k")

    def __neg__(self) -> Expression:
        return Expression("-" + self.within(_UNARY), _UNARY)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _call("abs", self)

    def __floor__(self) -> Expression:
        return _call("floor", self)

    def __floordiv__(self, other: Any) -> Expression:
        return _call("floor", _operate("divide", self, other))

    def __bool__(self) -> bool:
        raise Unrecorded("a condition is not known yet; numpy.where is")

    def __float__(self) -> float:
        raise Unrecorded("a number is not known yet")

    def __index__(self) -> int:
        raise Unrecorded("a number is not known yet")

    __hash__ = None  # type: ignore[assignment]


def _binary(name: str) -> tuple[Any, Any]:
    return (lambda self, other: _operate(name, self, other),
            lambda self, other: _operate(name, other, self))


for _method, _name in (("add", "add"), ("sub", "subtract"),
                       ("mul", "multiply"), ("truediv", "divide"),
                       ("pow", "power")):
    _forward, _reverse = _binary(_name)
    setattr(Expression, f"__{_method}__", _forward)
    setattr(Expression, f"__r{_method}__", _reverse)
for _method, _name in (("lt", "less"), ("le", "less_equal"),
                       ("gt", "greater"), ("ge", "greater_equal"),
                       ("eq", "equal")):
    setattr(Expression, f"__{_method}__", _binary(_name)[0])


def arguments_of(function: Callable[..., Any],
                 declared: dict[str, str]) -> list[str]:
    """Names of its arguments; each must mean something."""
    found = list(inspect.signature(function).parameters)
    for name in found:
        if name not in NAMES and name not in declared:
            raise Error(
                Status.ERR_PARAM, f"locant: bias has the argument {name!r}, "
                f"expected {', '.join(NAMES)}, or a declaration such as "
                f"{name}='param(heads)'")
    return found


def record(function: Callable[..., Any], names: list[str]) -> str | None:
    """The expression that the function computes; None: it cannot be
    recorded."""
    try:
        made = _number(function(*(Expression(name) for name in names)))
    except TypeError:  # also of math.log and of indices
        return None
    return None if made.level == _TEST else made.text


def tabulate(function: Callable[..., Any], names: list[str], length: int,
             heads: int) -> np.ndarray[Any, Any]:
    """Its values at distances 0 .. length - 1: [length], or [heads, length] if
    it reads the head."""
    rows = heads if "h" in names else 1
    values = np.empty((rows, length))
    for h in range(rows):
        for n in range(length):
            known = {"n": n, "h": h, "H": heads}
            values[h, n] = float(function(*(known[name] for name in names)))
    return values if "h" in names else values[0]
