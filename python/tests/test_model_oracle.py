"""The oracle of models gives the logits that are committed, on NumPy alone."""
import os
import unittest

try:
    import numpy as np
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from None
import model_oracle

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                        "tests", "models", "fixtures")
INPUTS = ("ids", "mask", "types", "decoder_ids", "pixels", "grid",
          "positions")


def inputs(folder):
    return {name: np.load(os.path.join(folder, name + ".npy"))
            for name in INPUTS
            if os.path.exists(os.path.join(folder, name + ".npy"))}


class Oracle(unittest.TestCase):
    def test_fixtures(self):
        names = sorted(os.listdir(FIXTURES))
        self.assertGreater(len(names), 50)
        for name in names:
            folder = os.path.join(FIXTURES, name)
            given = inputs(folder)
            path = os.path.join(folder, "logits.npy")
            compute = model_oracle.logits
            if not os.path.exists(path):
                path = os.path.join(folder, "hidden.npy")
                compute = model_oracle.hidden
            got = compute(model_oracle.Checkpoint(folder), given)
            truth = np.load(path)
            self.assertEqual(got.shape, truth.shape, name)
            mask = given.get("mask")
            if mask is not None and mask.shape == got.shape[:2]:
                got = got * (mask != 0)[..., None]
            # Only the order of sums differs between versions of NumPy: some
            # hundred roundings of 2^-53.
            self.assertLess(np.abs(got - truth).max(),
                            1e-12 * np.abs(truth).max(), name)


if __name__ == "__main__":
    unittest.main()
