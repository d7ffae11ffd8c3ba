"""Random rotary keys of both dialects: the frequencies of a plan against those
of transformers' own modules."""
import copy
import importlib
import json
import math
import random
import unittest

try:
    import torch
    import transformers
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from None
import locant
from locant import models

# Classes that read partial_rotary_factor; in others it only breaks scalings.
PARTIAL = ("glm", "glm4", "glm4_moe", "gpt_neox", "minimax_m2", "nemotron",
           "persimmon", "phi", "phi3", "qwen3_next", "stablelm")
FAMILIES = PARTIAL + (
    "apertus", "arcee", "cohere", "cohere2", "deepseek_v2", "deepseek_v3",
    "ernie4_5", "exaone4", "falcon", "gemma", "gemma2", "gemma3_text",
    "gemma4_text", "gpt_oss", "granite", "hunyuan_v1_dense", "llama",
    "llama4_text", "ministral3", "mistral", "mixtral", "modernbert", "olmo",
    "olmo2", "olmo3", "olmoe", "phimoe", "qwen2", "qwen2_moe",
    "qwen2_vl_text", "qwen3", "qwen3_moe", "qwen3_vl_text", "seed_oss",
    "smollm3", "starcoder2")
MROPE = ("qwen2_vl_text", "qwen3_vl_text")
CASES = 400


class Draw(random.Random):
    """Random keys, each there with a probability."""

    def rope(self, width, scalings):
        kind = self.choice(scalings)
        keys = {self.choice(("type", "rope_type")): kind}
        if kind != "default":
            keys["factor"] = self.choice((2, 4.0, 8))
        some = {"rope_theta": (0.5, 20000), "partial_rotary_factor": (0.1, 0.5)}
        if kind in ("yarn", "llama3", "longrope"):
            some["original_max_position_embeddings"] = (0.7, 1024)
        if kind == "llama3":
            keys.update(low_freq_factor=1.0, high_freq_factor=4.0)
        if kind == "longrope":
            keys.update(short_factor=[1 + i / 64 for i in range(width // 2)],
                        long_factor=[2 + i / 2 for i in range(width // 2)])
        if kind == "yarn":
            some.update(beta_fast=(0.25, 16), beta_slow=(0.25, 2.0),
                        attention_factor=(0.25, 1.3), mscale=(0.25, 0.7),
                        mscale_all_dim=(0.25, 0.5), truncate=(0.25, False))
        return {**keys, **self.some(some)}

    def some(self, keys):
        return {k: v for k, (p, v) in keys.items() if self.random() < p}

    def config(self):
        family = self.choice(FAMILIES)
        hidden, heads = self.choice(((512, 8), (1024, 16), (768, 4)))
        keys = {"model_type": family, "hidden_size": hidden,
                "num_attention_heads": heads, "num_hidden_layers": 8,
                "num_key_value_heads": heads, "max_position_embeddings": 4096}
        if family in MROPE:
            keys["head_dim"] = 128
        keys.update(self.some({
            "rope_theta": (0.5, 1e6), "rotary_emb_base": (0.2, 30000),
            "rotary_pct": (0.2, 0.5), "rope_local_base_freq": (0.2, 40000.0),
            "partial_rotary_factor": (0.2, 0.5), "rotary_dim": (0.2, 32),
            "original_max_position_embeddings": (0.15, 512),
            "rope_scaling": (0.1, None)}))
        width = keys.get("head_dim", hidden // heads)
        # M-RoPE takes no frequencies that depend on the length of a call
        scalings = ("default", "linear", "yarn", "llama3") + (
            () if family in MROPE else ("dynamic", "longrope"))
        if self.random() < 0.5:
            keys["rope_scaling"] = self.rope(width, scalings)
        if self.random() < 0.3:
            keys["rope_parameters"] = self.rope(width, scalings)
        elif self.random() < 0.3:
            keys["rope_parameters"] = {
                kind: self.rope(width, scalings)
                for kind in ("full_attention", "sliding_attention")}
        return keys


def modules(keys):
    """(layer type or "", frequencies, factor) of transformers; empty if it
    refuses the keys."""
    given = copy.deepcopy(keys)
    kind = transformers.CONFIG_MAPPING[given.pop("model_type")]
    try:
        config = kind(**given)
        module = importlib.import_module(
            kind.__module__.replace("configuration_", "modeling_"))
        rotary = next(
            v for k, v in vars(module).items() if k.endswith("RotaryEmbedding")
            and v.__module__ == module.__name__ and "Vision" not in k)(config)
    except Exception:  # whatever it raises, there is nothing to compare
        return [], None
    out = []
    for name in dir(rotary):
        if name.endswith("inv_freq") and "original" not in name and \
                "long" not in name:
            factor = getattr(rotary, name.replace("inv_freq",
                                                  "attention_scaling"))
            out.append((name[:-len("inv_freq")].rstrip("_"),
                        getattr(rotary, name).tolist(), factor))
    return out, config


class Dialects(unittest.TestCase):
    def group(self, plan, kind, config):
        """The first group of rotated layers of a type."""
        types = getattr(config, "layer_types", None)
        for group in plan.json["towers"][0]["groups"]:
            first = group["layers"][0]
            if group["rotation"] and (not kind or types[first] == kind):
                return group
        return None

    def compare(self, group, frequencies, factor):
        rotation = group["rotation"]
        # a factor is a logarithm and a root of numbers in double
        self.assertAlmostEqual(rotation["factor"], factor, delta=1e-12)
        if "longrope" in group["spec"]:
            return  # the module has the short list, a plan the long one
        waves = rotation["wavelengths"]
        self.assertEqual(len(waves), len(frequencies))
        for wave, f in zip(waves, frequencies):
            # float32: a power, quotients, and the blend of yarn or llama3
            self.assertAlmostEqual(2 * math.pi / wave if wave else 0, f,
                                   delta=3e-6 * f)

    def test_random_keys(self):
        draw, compared = Draw(5), 0
        for _ in range(CASES):
            keys = draw.config()
            found, config = modules(keys)
            text = json.dumps(keys)
            try:
                plan = models.plan(keys, stack="hf5")
            except locant.Error as error:
                self.assertEqual(error.status, locant.Status.ERR_FORMAT, text)
                continue
            if keys["model_type"] not in PARTIAL and \
                    "partial_rotary" in text and "scaling=" in plan.spec:
                continue
            for kind, frequencies, factor in found:
                group = self.group(plan, kind, config)
                if group is not None:
                    with self.subTest(text):
                        self.compare(group, frequencies, factor)
                        compared += 1
        self.assertGreater(compared, CASES / 2)


assert torch
if __name__ == "__main__":
    unittest.main()
