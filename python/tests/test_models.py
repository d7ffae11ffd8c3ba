"""Tiny random models of every family: transformers against the oracle, and
'locant model logits' and 'generate' against the oracle.

One line a family shows the errors, relative to the largest logit.
"""
import os
import sys
import tempfile
import unittest

try:
    import numpy as np
    import torch
    import transformers
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from None
import make_models
import model_configs
import model_oracle
from model_command import Command

assert torch and transformers
# float32 rounds by 2^-24; models of three layers have some 150 operations in a
# row, and roots, exponentials and angles amplify that less than tenfold.
FLOAT32 = 3e-5
# float64 rounds by 2^-53, with room for a sum in another order.
FLOAT64 = 1e-9
# bfloat16 rounds by 2^-9: some ten such errors show.  Experts that change
# places change more.
BFLOAT16 = 0.1
NEW = 6
# Their bias is of positions that are counted, or they take none.
NO_POSITIONS = ("opt", "opt_350m", "bloom", "bloom_late", "mpt", "falcon_rw",
                "deberta_v2", "deberta_v3", "deberta_plain")
WINDOWS = ("sliding_window", "attention_chunk_size", "local_attention")


def paddings(ids):
    """A mask that hides the first tokens of one row, the last of another."""
    mask = np.ones_like(ids)
    mask[0, :5] = 0
    mask[1, -4:] = 0
    return mask


class Family:
    """A model in a folder, and what the oracle says about it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, os.path.join(folder, name)
        self.model = make_models.written(name, self.folder,
                                         make_models.made(name))
        self.given = make_models.inputs(name, self.model)
        self.checkpoint = model_oracle.Checkpoint(self.folder)
        self.truth = make_models.masked(
            model_oracle.logits(self.checkpoint, self.given), self.given)
        self.words = [f"{name:20}"]

    def cases(self):
        """(word, inputs) of what is compared beside the plain run."""
        if "ids" not in self.given:
            return
        yield "mask", dict(self.given, mask=paddings(self.given["ids"]))
        config = self.model.config.get_text_config()
        if self.name in NO_POSITIONS or self.name in model_configs.AXES or \
                "decoder_ids" in self.given or \
                any(getattr(config, w, None) for w in WINDOWS):
            return
        ids = self.given["ids"]
        jumps = np.cumsum(np.arange(ids.shape[1]) % 3, -1) + [[3], [0]]
        yield "positions", dict(self.given, positions=jumps,
                                mask=np.ones_like(ids))

    def error(self, given, got):
        truth = self.truth if given is self.given else make_models.masked(
            model_oracle.logits(self.checkpoint, given), given)
        if truth.shape != got.shape:
            raise AssertionError(f"{self.name}: shape {got.shape}, "
                                 f"expected {truth.shape}")
        worst = np.abs(truth - make_models.masked(got, given)).max()
        return worst / np.abs(truth).max()

    def continued(self, ids, n):
        """Greedy tokens by the oracle, each from all before it."""
        given = dict(self.given)
        key = "decoder_ids" if "decoder_ids" in given else "ids"
        given[key] = ids
        for _ in range(n):
            last = model_oracle.logits(self.checkpoint, given)[:, -1]
            given[key] = np.concatenate(
                [given[key], last.argmax(-1)[:, None]], 1)
            if "types" in given:
                given["types"] = np.zeros_like(given[key])
        return given[key]


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.families = [Family(n, cls.work.name)
                        for n in model_configs.MODELS]
        cls.command = Command(os.environ["LOCANT_LIBRARY"])

    @classmethod
    def tearDownClass(cls):
        for family in cls.families:
            print(" ".join(family.words), file=sys.stderr)
        cls.work.cleanup()

    def limited(self, family, word, found, limit):
        family.words.append(f"{word} {found:.1e}")
        with self.subTest(family=family.name, of=word):
            self.assertLess(found, limit)

    def verb(self, name):
        if not self.command.knows(name):
            self.skipTest(f"this build has no 'locant model {name}'")

    def test_1_transformers(self):
        for family in self.families:
            for word, given in (("plain", family.given), *family.cases()):
                with self.subTest(family=family.name, of=word):
                    got = make_models.run(family.model, given)
                    self.limited(family, f"hf {word}",
                                 family.error(given, got), FLOAT32)

    def test_2_logits(self):
        self.verb("logits")
        for family in self.families:
            options = (["--hidden"] if make_models.truth_file(
                family.model) == "hidden.npy" else [])
            for word, given in (("plain", family.given), *family.cases()):
                for dtype, limit in (("f64", FLOAT64), ("f32", FLOAT32)):
                    with self.subTest(family=family.name, of=word):
                        got = self.command.run("logits", family.folder, given,
                                               "--dtype", dtype, *options)
                        self.limited(family, f"{dtype} {word}",
                                     family.error(given, got), limit)

    def test_3_bfloat16(self):
        self.verb("logits")
        for family in self.families:
            if family.name in model_configs.MIXTURES:
                continue
            with self.subTest(family=family.name):
                options = (["--hidden"] if make_models.truth_file(
                    family.model) == "hidden.npy" else [])
                got = self.command.run("logits", family.folder, family.given,
                                       "--dtype", "bf16", *options)
                self.limited(family, "bf16", family.error(family.given, got),
                             BFLOAT16)

    def test_4_hidden(self):
        self.verb("logits")
        for family in self.families:
            if not hasattr(family.model.config, "vocab_size"):
                continue
            truth = model_oracle.hidden(family.checkpoint, family.given)
            with self.subTest(family=family.name):
                got = self.command.run("logits", family.folder, family.given,
                                       "--dtype", "f64", "--hidden")
                self.assertEqual(got.shape, truth.shape)
                self.limited(family, "hidden", np.abs(got - truth).max() /
                             np.abs(truth).max(), FLOAT64)

    def test_5_generate(self):
        """Step by step from a cache: the tokens of whole runs."""
        self.verb("generate")
        for family in self.families:
            generates = hasattr(family.model, "generate") and \
                family.name not in model_configs.AXES and \
                family.name not in model_configs.ENCODERS
            if not generates or "ids" not in family.given:
                continue
            start = family.given.get("decoder_ids", family.given["ids"])
            start = start[:, :1] if "decoder_ids" in family.given else \
                start[:, :12]
            given = dict(family.given)
            given.pop("decoder_ids", None)
            if "decoder_ids" not in family.given:
                given["ids"] = start
            truth = family.continued(start, NEW)
            with self.subTest(family=family.name):
                got = self.command.run("generate", family.folder, given,
                                       "--tokens", NEW, "--dtype", "f64",
                                       "--ignore-eos")
                np.testing.assert_array_equal(got, truth)
                family.words.append("generate")

    def test_6_old_keys(self):
        """The same models with the keys of transformers 4."""
        for family in self.families:
            if family.name not in model_configs.OLD_KEYS:
                continue
            make_models.save(family.folder, family.model, family.given)
            old = family.folder + "_hf4"
            with self.subTest(family=family.name):
                found = make_models.write_old(family.name, family.folder, old)
                self.limited(family, "hf 4", found, FLOAT32)
                if self.command.knows("logits"):
                    got = self.command.run("logits", old, family.given,
                                           "--dtype", "f64")
                    self.limited(family, "f64 of 4",
                                 family.error(family.given, got), FLOAT64)

    def test_7_shards(self):
        self.verb("logits")
        family = self.families[0]
        folder = os.path.join(self.work.name, "shards")
        family.model.save_pretrained(folder, max_shard_size="20KB")
        self.assertGreater(len(os.listdir(folder)), 4)
        got = self.command.run("logits", folder, family.given, "--dtype",
                               "f64")
        self.limited(family, "shards", family.error(family.given, got),
                     FLOAT64)


if __name__ == "__main__":
    unittest.main()
