"""Read locant's golden vectors and judge arrays by them, with NumPy alone.

Copy it into your project.  golden/ holds vectors.json and vectors.safetensors
of `locant model vectors -o golden`; keep them in your repository, or make them
in CI.
"""
import json
import os
import struct

import numpy as np

DTYPES = {"F64": np.float64, "F32": np.float32, "I64": np.int64}


class Vectors:
    def __init__(self, folder):
        with open(os.path.join(folder, "vectors.json"), encoding="utf-8") as f:
            self.index = json.load(f)
        if self.index["version"] != 1:
            raise ValueError(f"{folder}: version {self.index['version']} of "
                             "the vectors, expected 1")
        path = os.path.join(folder, self.index["tensors"])
        with open(path, "rb") as f:
            data = f.read()
        size = struct.unpack("<Q", data[:8])[0]
        self._header = json.loads(data[8:8 + size])
        self._data = data[8 + size:]

    def tensor(self, name):
        """An input, a true value or a slack, by its name."""
        entry = self._header[name]
        first, last = entry["data_offsets"]
        return np.frombuffer(self._data[first:last],
                             DTYPES[entry["dtype"]]).reshape(entry["shape"])

    def cases(self, group, dtype):
        """(name of the case, quantity, its inputs) of a group and a type."""
        quantities = self.index["groups"][group]["quantities"]
        for name, case in self.index["cases"].items():
            if case["group"] == group and case["dtype"] == dtype:
                inputs = quantities[case["quantity"]]["inputs"]
                yield (name, case["quantity"],
                       {role: self.tensor(t) for role, t in inputs.items()})

    def check(self, name, got, rounded_angles=False):
        """Raise AssertionError unless 'got' passes the case."""
        case = self.index["cases"][name]
        want = self.tensor(case["truth"])
        allowed = case["absolute"] + case["relative"] * np.abs(want)
        if rounded_angles and "slack" in case:
            slack = self.tensor(case["slack"]).astype(np.float64)
            allowed = allowed + case["rounded_angles"] * slack
        got = np.asarray(got, np.float64)
        if got.shape != want.shape:
            raise AssertionError(f"{name}: shape {got.shape}, expected "
                                 f"{want.shape}")
        bad = ~(np.abs(got - want) <= allowed)
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            raise AssertionError(f"{name}{list(at)}: {got[at]:.9g}, expected "
                                 f"{want[at]:.9g}")
