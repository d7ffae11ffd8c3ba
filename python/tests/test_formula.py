"""formula(..) and Encoding.from_function()."""
import copy
import math
import pickle
import unittest

import locant
import numpy as np

from_function = locant.Encoding.from_function


class Formulas(unittest.TestCase):
    def test_is_an_encoding(self):
        e = locant.Encoding("formula( bias = -m * log1p(a*n), "
                            "m=param(heads, init=1.5), a=param(heads) )")
        self.assertEqual(str(e), "formula(bias=-m*log1p(a*n),"
                         "m=param(heads,init=1.5),a=param(heads))")
        self.assertEqual([p.name for p in e.parameters(heads=2)], ["m", "a"])
        params = {"m": np.array([1.5, 0.5]), "a": np.array([0.5, 2.0])}
        got = locant.bias(e, 2, 6, 6, params=params)
        want = locant.bias("kerple", 2, 6, 6,
                           params={"p": params["m"], "a": params["a"]})
        np.testing.assert_array_equal(got, want)

    def test_error_names_the_column(self):
        with self.assertRaisesRegex(locant.Error,
                                    "column 17: log1p takes 1 argument"):
            locant.Encoding("formula(bias=-m*log1p(n,2),m=param(one))")


class Functions(unittest.TestCase):
    def test_recorded(self):
        for function, declared, spec in (
                (lambda n: -np.log1p(n), {}, "formula(bias=-log1p(n))"),
                (lambda d: 1 - (d - (2 - d)) / 4, {},
                 "formula(bias=1-(d-(2-d))/4)"),
                (lambda n: (-n) ** 2 * -0.5 - 2 ** -n, {},
                 "formula(bias=(-n)^2*-0.5-2^-n)"),
                (lambda n, h, H: -n * 2 ** (-8 * (h + 1) / H), {},
                 "formula(bias=-n*2^(-8*(h+1)/H))"),
                (lambda n, m: np.where(n < 64, -m * n, -np.inf),
                 {"m": "param(heads,init=slopes)"},
                 "formula(bias=if(n<64,-m*n,-inf),m=param(heads,init=slopes))"),
                (lambda n: -np.clip(np.maximum(n, 3), 1, 9) * np.float32(0.5),
                 {}, "formula(bias=-clamp(max(n,3),1,9)*0.5)"),
                (lambda i, j: np.cos(j) - abs(i - j) / 8, {},
                 "formula(bias=cos(j)-abs(i-j)/8)")):
            e = from_function(function, **declared)
            self.assertEqual(e.spec, spec)
            self.assertEqual(e.given, {})

    def test_reads_scores_and_tokens(self):
        gates = "scan(heads,map=linear,law=logsigmoid)"
        e = from_function(lambda c: c.q - c.k, c=gates)
        self.assertEqual(e.spec, f"formula(bias=c.q-c.k,c={gates})")
        self.assertEqual(from_function(lambda s, n: -np.tanh(s) * n).spec,
                         "formula(bias=-tanh(s)*n)")
        with self.assertRaisesRegex(locant.Error,
                                    "column 14: 'n' is not an array of tokens"):
            from_function(lambda n: n.k)

    def test_tokens_are_those_of_fox(self):
        r = np.random.default_rng(1)
        q, k, v = r.standard_normal((3, 1, 2, 9, 4), dtype=np.float32)
        x = r.standard_normal((1, 9, 5), dtype=np.float32)
        w = r.standard_normal((2, 5)), r.standard_normal(2)
        got = locant.attention(
            q, k, v, "formula(bias=c.q-c.k,c=scan(heads,map=linear,"
            "law=logsigmoid))", True, dict(zip(("c.weight", "c.bias"), w)), x=x)
        want = locant.attention(q, k, v, "fox", True,
                                dict(zip(("weight", "bias"), w)), x=x)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

    def test_value_is_that_of_the_function(self):
        def f(n, h):
            return -np.tanh(n / 7) * (h + 1) + np.exp(-n) - np.sqrt(n) // 2
        got = locant.bias(from_function(f), 3, 40, 40, dtype=np.float64)
        n = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
        want = np.stack([f(n, h) for h in range(3)])
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-15)

    def test_table(self):
        e = from_function(lambda n: -math.sqrt(n) if n < 9 else -3.0, 32)
        self.assertEqual(e.spec, "formula(bias=pick(t,n),t=param(32))")
        got = locant.bias(e, 2, 50, 50, dtype=np.float64)
        n = np.abs(np.subtract.outer(np.arange(50), np.arange(50)))
        np.testing.assert_array_equal(
            got, np.stack([np.where(n < 9, -np.sqrt(n), -3)] * 2))

    def test_table_of_heads_in_attention(self):
        rng = np.random.default_rng(1)
        q, k, v = rng.standard_normal((3, 1, 2, 9, 4)).astype(np.float32)
        table = from_function(lambda n, h: -math.log(n + 1) * (h + 1),
                              length=16, heads=2)
        e = from_function(lambda n, h: -np.log(n + 1) * (h + 1))
        args = q, k, v
        np.testing.assert_allclose(
            locant.attention(*args, table, causal=True),
            locant.attention(*args, e, causal=True), atol=1e-6)
        np.testing.assert_array_equal(table.init(heads=2)["t"],
                                      table.given["t"].astype(np.float32))
        for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
            np.testing.assert_array_equal(other.given["t"], table.given["t"])

    def test_refused(self):
        for call, message in (
                (lambda: from_function(3), "bias is a int, expected a func"),
                (lambda: from_function(lambda x: -x), "has the argument 'x'"),
                (lambda: from_function(lambda n: math.log(n + 1)),
                 "expected 'length'"),
                (lambda: from_function(lambda i: math.log(i + 1), 8),
                 "n, h and H only; it reads i"),
                (lambda: from_function(lambda n, h: math.log(n + h + 1), 8),
                 "expected 'heads'"),
                (lambda: from_function(lambda n: np.log(n) * 0),
                 "NaN at distance 0")):
            with self.assertRaisesRegex(locant.Error, message):
                call()
