"""Golden vectors and extensions from Python; transformers judged by both."""
import importlib.util
import json
import os
import re
import struct
import tempfile
import unittest

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
TRANSFORMERS = importlib.util.find_spec("transformers") is not None

# rope_parameters of transformers for schedules of golden vectors.
LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}


def yarn(factor, original, **keys):
    return {"rope_type": "yarn", "factor": factor,
            "original_max_position_embeddings": original, **keys}


SCHEDULES = {
    "none": {"rope_type": "default"},
    "base-1000000": {"rope_type": "default"},
    "linear-4": {"rope_type": "linear", "factor": 4.0},
    "dynamic-2-4096": {"rope_type": "dynamic", "factor": 2.0},
    "yarn-4-32768": yarn(4.0, 32768),
    "yarn-16-4096-fast-16-slow-2": yarn(16.0, 4096, beta_fast=16, beta_slow=2),
    "yarn-32-4096-no-truncate": yarn(32.0, 4096, truncate=False),
    "yarn-8-8192-attention-1.2079": yarn(
        8.0, 8192, attention_factor=1.2079441541679836),
    "yarn-40-4096-mscale-0.707": yarn(40.0, 4096, mscale=.707,
                                      mscale_all_dim=.707),
    "yarn-40-4096-mscale-1-0.5": yarn(40.0, 4096, mscale=1.0,
                                      mscale_all_dim=.5),
    "llama3-8": {**LLAMA3, "factor": 8.0},
    "llama3-32": {**LLAMA3, "factor": 32.0},
}


def tensors(path):
    """{name: array} of a safetensors file of F64, F32 and I64."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F64": "<f8", "F32": "<f4", "I64": "<i8"}
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            found[name] = np.frombuffer(
                data[8 + size + first:8 + size + last],
                kinds[entry["dtype"]]).reshape(entry["shape"])
    return found


def dump(folder, name, array):
    path = os.path.join(folder, name + ".npy")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(path, array)


@unittest.skipUnless(LAB, "needs liblocant_lab")
class Vectors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def golden(self, only):
        models.vectors(self.folder, only)
        return tensors(os.path.join(self.folder, "vectors.safetensors"))

    def test_rotate_passes(self):
        golden = self.golden("rope/half/none")
        mine = os.path.join(self.folder, "mine")
        q = golden["input/q/576"].astype(np.float32)
        positions = golden["input/positions/far"]
        dump(mine, "rope/half/none/f32/q",
             locant.rotate(q, "rope", positions))
        report = models.verify_vectors(mine, only="rope/half/none/f32")
        self.assertTrue(report)
        self.assertEqual([c.name for c in report.those("pass")],
                         ["rope/half/none/f32/q"])
        self.assertEqual(len(report.those("missing")), 3)

    def test_another_convention_is_named(self):
        golden = self.golden("rope/half/none")
        mine = os.path.join(self.folder, "mine")
        dump(mine, "rope/half/none/f32/q",
             locant.rotate(golden["input/q/576"].astype(np.float32),
                           "rope(pairing=interleaved)",
                           golden["input/positions/far"]))
        report = models.verify_vectors(mine, only="rope/half/none/f32/q")
        self.assertFalse(report)
        case, = report.those("fail")
        self.assertEqual(case.looks_like,
                         "pairing=interleaved (rope/interleaved/none)")
        self.assertIn("position 1, pair 0 (channel 0)", case.where)

    def test_nothing_covered_is_not_true(self):
        self.assertFalse(models.verify_vectors(self.folder, "rope/half/none"))

    def test_refusals(self):
        with self.assertRaisesRegex(locant.Error, "matches no case"):
            models.vectors(self.folder, "ropes")
        with self.assertRaisesRegex(locant.Error, "cannot be read"):
            models.verify_vectors(os.path.join(self.folder, "none"))

    @unittest.skipUnless(TRANSFORMERS, "needs transformers")
    def test_transformers_passes_with_rounded_angles(self):
        """Its angles are in float32, and nothing else is off."""
        import torch
        from transformers import LlamaConfig
        from transformers.models.llama import modeling_llama as llama

        golden = self.golden("*/f32/*")
        with open(os.path.join(self.folder, "vectors.json"),
                  encoding="utf-8") as f:
            groups = json.load(f)["groups"]
        positions = torch.tensor(golden["input/positions/far"].copy())[None]
        mine = os.path.join(self.folder, "mine")
        for name, keys in SCHEDULES.items():
            spec = groups["rope/half/" + name]["spec"]
            base = re.search("base=([0-9]+)", spec)
            config = LlamaConfig(
                hidden_size=256, num_attention_heads=4, head_dim=64,
                max_position_embeddings=4096 if "dynamic" in name else 131072,
                rope_parameters={"rope_theta": float(base[1]) if base else 1e4,
                                 **keys})
            rotary = llama.LlamaRotaryEmbedding(config)
            for kind, dtype in (("f32", torch.float32),
                                ("f16", torch.float16),
                                ("bf16", torch.bfloat16)):
                q, k = (torch.tensor(golden[f"input/{x}/576"].copy())
                        .to(dtype)[None, None] for x in "qk")
                q, k = llama.apply_rotary_pos_emb(q, k, *rotary(q, positions))
                for x, rotated in (("q", q), ("k", k)):
                    dump(mine, f"rope/half/{name}/{kind}/{x}",
                         rotated[0, 0].float().numpy())
        rounded = models.verify_vectors(mine, "rope/half", rounded=True)
        self.assertEqual([(c.name, c.where) for c in rounded.those("fail")],
                         [])
        self.assertEqual(len(rounded.those("pass")), 6 * len(SCHEDULES))
        exact = models.verify_vectors(mine, "rope/half/*/f32")
        self.assertEqual(len(exact.those("fail")), 2 * len(SCHEDULES))
        self.assertEqual({c.looks_like for c in exact.those("fail")},
                         {"angles rounded to float32"})


@unittest.skipUnless(LAB, "needs liblocant_lab")
class Extend(unittest.TestCase):
    LLAMA = {"model_type": "llama", "hidden_size": 1024,
             "num_attention_heads": 8, "num_hidden_layers": 2,
             "max_position_embeddings": 4096, "rope_theta": 10000.0}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = os.path.join(scratch.name, "config.json")

    def save(self, config):
        with open(self.path, "w", encoding="utf-8") as f:
            json.dump(config, f)

    def test_of_a_rope(self):
        found = models.extend(to=131072, trained=32768, base=1e6, dim=128,
                              method="yarn")
        method, = found["methods"]
        self.assertEqual(found["factor"], 4)
        self.assertAlmostEqual(method["attention_factor"], 1.1386294361)

    def test_of_a_model(self):
        self.save(self.LLAMA)
        out = self.path + ".yarn"
        found = models.extend(self.path, to=16384, method="yarn", output=out)
        with open(out, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["rope_scaling"]["factor"], 4)
        self.assertEqual(len(found["methods"][0]["passport"]), 64)
        with self.assertRaisesRegex(locant.Error, "is not above"):
            models.extend(self.path, to=4096)

    @unittest.skipUnless(TRANSFORMERS, "needs transformers")
    def test_transformers_reads_the_settings_as_they_are_meant(self):
        """Wavelengths to the rounding of float32 (8 units), and lengths."""
        import torch
        from transformers import LlamaConfig
        from transformers.models.llama import modeling_llama as llama

        self.save(self.LLAMA)
        tried = 0
        for method in models.extend(self.path, to=16384)["methods"]:
            for stack in "transformers 4", "transformers 5":
                setting = method["settings"][stack]
                if setting is None:
                    continue
                config = {**self.LLAMA, **json.loads(setting)}
                if "rope_parameters" in config:
                    del config["rope_theta"]
                self.save(config)
                config = LlamaConfig.from_pretrained(
                    os.path.dirname(self.path))
                rotary = llama.LlamaRotaryEmbedding(config)
                rotary(torch.zeros(1, 1, 1), torch.arange(16384)[None])
                found = 2 * np.pi / rotary.inv_freq.double().numpy()
                want = np.array(method["wavelengths"])
                self.assertLess(np.abs(found / want - 1).max(), 8 * 2**-24)
                self.assertAlmostEqual(rotary.attention_scaling,
                                       method["attention_factor"], 12)
                tried += 1
        self.assertEqual(tried, 12)


FIXTURES = os.path.join(os.path.dirname(__file__), "..", "..", "tests",
                        "models", "fixtures")


@unittest.skipUnless(LAB, "needs liblocant_lab")
class Score(unittest.TestCase):
    def test_losses_are_those_of_the_logits(self):
        ids = np.arange(2 * 20).reshape(2, 20) * 7 % 12
        model = models.Model(os.path.join(FIXTURES, "llama"), "float64")
        logits = model.logits(ids)
        logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
        want = -np.take_along_axis(logits[:, :-1], ids[:, 1:, None], 2)[..., 0]
        np.testing.assert_allclose(model.losses(ids), want, rtol=1e-12)

    def test_an_extension_that_changes_nothing_and_one_that_does(self):
        ids = np.arange(20)[None] * 7 % 12

        def losses(extension):
            return models.Model(os.path.join(FIXTURES, "llama"), "float64",
                                extension=extension).losses(ids)

        plain = losses(None)
        np.testing.assert_allclose(losses("window(size=20)"), plain,
                                   rtol=1e-11)
        self.assertGreater(np.abs(losses("pi(factor=4)") - plain).max(), 1e-4)
        with self.assertRaisesRegex(locant.Error, "expected pi, linear"):
            losses("dca(size=3)")


if __name__ == "__main__":
    unittest.main()
