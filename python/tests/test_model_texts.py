"""Texts and probes of a checkpoint of the fixtures."""
import importlib.util
import json
import os
import shutil
import struct
import sys
import tempfile
import unittest
from unittest import mock

import locant
import numpy as np
from locant._library import lab

try:
    lab()
    LAB = True
except locant.Error:
    LAB = False
if LAB:
    from locant import models
TOKENIZERS = importlib.util.find_spec("tokenizers") is not None
LLAMA = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "models",
                     "fixtures", "llama")
# The fixture has 12 tokens.
WORDS = {"<s>": 0, "<unk>": 1, "the": 2, "cat": 3, "sat": 4, "on": 5, "a": 6}


def tokenizer():
    """Words between spaces, after a first token <s>."""
    from tokenizers import Tokenizer, models as kinds
    from tokenizers import pre_tokenizers, processors

    made = Tokenizer(kinds.WordLevel(WORDS, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)])
    return made


def of_bytes(folder, vocab=260):
    """The fixture with random rows for so many tokens."""
    with open(os.path.join(LLAMA, "config.json"), encoding="utf-8") as f:
        config = {**json.load(f), "vocab_size": vocab}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f)
    with open(os.path.join(LLAMA, "model.safetensors"), "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    header, parts, at = json.loads(data[8:8 + size]), [], 0
    g = np.random.default_rng(1)
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        part = data[8 + size + first:8 + size + last]
        if "embed" in name or "lm_head" in name:
            # the upper half of a float32 is a bfloat16
            part = (g.normal(size=(vocab, 8)).astype("<f4").view("<u4")
                    >> 16).astype("<u2").tobytes()
            entry["shape"] = [vocab, 8]
        entry["data_offsets"] = [at, at + len(part)]
        at += len(part)
        parts.append(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


@unittest.skipUnless(LAB, "needs liblocant_lab")
class Texts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "llama")
        shutil.copytree(LLAMA, self.folder)

    def model(self):
        return models.Model(self.folder, "float64")

    @unittest.skipUnless(TOKENIZERS, "needs tokenizers")
    def test_a_text_is_scored_by_the_tokenizer_of_the_folder(self):
        tokenizer().save(os.path.join(self.folder, "tokenizer.json"))
        model = self.model()
        found = model.score(text="the cat sat on a dog")
        self.assertEqual(found.ids.tolist(), [[0, 2, 3, 4, 5, 6, 1]])
        want = model.losses(found.ids)
        np.testing.assert_array_equal(found.losses, want)
        self.assertAlmostEqual(found.loss, want.mean(), 14)

    @unittest.skipUnless(TOKENIZERS, "needs tokenizers")
    def test_shorter_texts_are_padded_and_change_nothing(self):
        model = self.model()
        texts = ["the cat sat on a cat", "a cat"]
        both = model.score(text=texts, tokenizer=tokenizer())
        self.assertEqual(both.mask.sum(1).tolist(), [7, 3])
        for b, text in enumerate(texts):
            one = model.score(text=text, tokenizer=tokenizer())
            n = one.losses.shape[1]
            np.testing.assert_allclose(both.losses[b, :n], one.losses[0],
                                       rtol=1e-12)
            self.assertTrue(np.isnan(both.losses[b, n:]).all())
        self.assertAlmostEqual(both.loss, np.nanmean(both.losses), 14)

    @unittest.skipUnless(TOKENIZERS, "needs tokenizers")
    def test_a_path_and_an_object_give_the_same(self):
        path = os.path.join(self.folder, "other.json")
        tokenizer().save(path)

        class Lists:
            """As of transformers: encode() gives a list."""

            def encode(self, text):
                return tokenizer().encode(text).ids

        model = self.model()
        want = model.score(text="a cat sat", tokenizer=path)
        for other in (tokenizer(), Lists()):
            found = model.score(text="a cat sat", tokenizer=other)
            np.testing.assert_array_equal(found.losses, want.losses)

    def test_bytes_of_a_vocabulary_of_bytes(self):
        of_bytes(self.folder)
        model = self.model()
        found = model.score(text="h\u00e4", tokenizer="bytes")
        self.assertEqual(found.ids.tolist(), [[104, 0xC3, 0xA4]])
        np.testing.assert_array_equal(
            found.losses, model.score([[104, 0xC3, 0xA4]]).losses)

    def test_refusals(self):
        model = self.model()
        with self.assertRaisesRegex(locant.Error, "either ids or text"):
            model.score()
        with self.assertRaisesRegex(locant.Error, "tokenizer.json does not "
                                    "exist"):
            model.score(text="a cat")
        with self.assertRaisesRegex(locant.Error, "vocabulary is 12, expected "
                                    "bytes"):
            model.score(text="a cat", tokenizer="bytes")
        with self.assertRaisesRegex(locant.Error, "mask is of ids"):
            model.score(text="a cat", mask=[[1, 1]])
        with open(os.path.join(self.folder, "tokenizer.json"), "w",
                  encoding="utf-8") as f:
            f.write("{}")
        if TOKENIZERS:
            with self.assertRaisesRegex(locant.Error, "expected a tokenizer"):
                model.score(text="a cat")
            with self.assertRaisesRegex(locant.Error, "1 tokens, expected two"):
                model.score(text="", tokenizer=tokenizer())
        with mock.patch.dict(sys.modules, {"tokenizers": None}):
            with self.assertRaisesRegex(ImportError, r"locant\[models\]"):
                model.score(text="a cat")


@unittest.skipUnless(LAB, "needs liblocant_lab")
class Probe(unittest.TestCase):
    def test_weights_of_a_head_add_up(self):
        ids = np.arange(2 * 90).reshape(2, 90) * 7 % 12
        found = models.Model(LLAMA, "float64").probe(ids)
        self.assertEqual((found["texts"], found["length"]), (2, 90))
        self.assertEqual(found["bins"], [0, 1, 2, 4, 8, 16, 32, 64])
        self.assertEqual(len(found["layers"]), 2)
        for layer in found["layers"]:
            self.assertAlmostEqual(layer["even"]["distance"], 89 / 4, 9)
            for head in layer["heads"]:
                self.assertAlmostEqual(sum(head["bins"]), 1, 9)
                self.assertAlmostEqual(head["bins"][0], head["own"], 12)
                self.assertAlmostEqual(sum(head["pairs"]["share"]), 1, 9)

    def test_a_head_of_a_layer(self):
        ids = np.arange(40)[None] * 7 % 12
        model = models.Model(LLAMA)
        found = model.probe(ids, layer=1, head=0)
        self.assertEqual([x["layer"] for x in found["layers"]], [1])
        self.assertEqual([x["head"] for x in found["layers"][0]["heads"]], [0])
        with self.assertRaisesRegex(locant.Error, "layer is 2"):
            model.probe(ids, layer=2)

    def test_an_encoder_sees_what_follows(self):
        ids = np.arange(20)[None] * 7 % 12
        folder = os.path.join(LLAMA, "..", "bert")
        for layer in models.Model(folder).probe(ids)["layers"]:
            self.assertIsNone(layer["pairs"])
            # i of 20 keys lie before query i
            self.assertAlmostEqual(layer["even"]["after"], 9.5 / 20, 9)


@unittest.skipUnless(LAB, "this build has no lab")
class Images(unittest.TestCase):
    """Texts with images, from the fixtures."""

    def given(self, name):
        folder = os.path.join(os.path.dirname(LLAMA), name)
        arrays = {}
        for key in ("ids", "pixels", "grid", "logits"):
            path = os.path.join(folder, key + ".npy")
            if os.path.exists(path):
                arrays[key] = np.load(path)
        return folder, arrays

    def test_logits_are_those_of_the_oracle(self):
        for name in ("qwen2_vl_image", "qwen3_vl_image"):
            folder, given = self.given(name)
            truth = given.pop("logits")
            got = models.Model(folder, "float64").logits(**given)
            self.assertLess(np.abs(got - truth).max(),
                            1e-9 * np.abs(truth).max(), name)

    def test_a_continuation_begins_with_the_likeliest_token(self):
        folder, given = self.given("qwen2_5_vl_image")
        truth = given.pop("logits")
        got = models.Model(folder, "float64").generate(
            tokens=2, ignore_end=True, **given)
        self.assertEqual(got.shape, (1, given["ids"].shape[1] + 2))
        self.assertEqual(got[0, -2], truth[0, -1].argmax())

    def test_a_missing_grid_is_refused(self):
        folder, given = self.given("qwen2_vl_image")
        with self.assertRaisesRegex(locant.Error, "there is no grid"):
            models.Model(folder).logits(given["ids"], pixels=given["pixels"])


if __name__ == "__main__":
    unittest.main()
