"""pytest test_rope.py, or python test_rope.py; GOLDEN names the folder."""
import os

import numpy as np

import rope
from vectors import Vectors

golden = Vectors(os.environ.get("GOLDEN", "golden"))
TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def check(group, base, **scaling):
    frequency = rope.frequencies(64, base, **scaling)
    factor = scaling.get("factor", 1.0)
    done = 0
    for name, dtype in TYPES.items():
        for case, quantity, inputs in golden.cases(group, name):
            if quantity not in ("q", "k"):
                continue
            x = inputs[quantity].astype(dtype)
            got = rope.rotate(x, inputs["positions"], frequency, factor)
            golden.check(case, got, rounded_angles=True)
            done += 1
    assert done == 6, f"{group}: {done} cases, expected 6"


def test_plain():
    check("rope/half/none", 1e4)


def test_yarn():
    check("rope/half/yarn-4-32768", 1e6, factor=4.0, original=32768)


def test_a_wrong_pairing_fails():
    try:
        check("rope/interleaved/none", 1e4)
    except AssertionError:
        return
    raise AssertionError("halves passed as adjacent pairs")


if __name__ == "__main__":
    test_plain()
    test_yarn()
    test_a_wrong_pairing_fails()
    print("3 tests passed")
