"""models: plans of paths, dicts and configurations of transformers."""
import json
import os
import tempfile
import unittest

import locant
import numpy as np
from locant import models

HERE = os.path.dirname(os.path.abspath(__file__))
PUBLISHED = os.path.join(HERE, "..", "..", "tests", "published_plans.json")

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
         "num_key_value_heads": 2, "num_hidden_layers": 3,
         "max_position_embeddings": 4096, "rope_theta": 500000}


class Plans(unittest.TestCase):
    def test_published(self):
        with open(PUBLISHED, encoding="utf-8") as f:
            rows = json.load(f)
        for row in rows:
            with self.subTest(row["name"]):
                want = locant.Encoding(row["layers"]).spec
                self.assertEqual(models.spec(row["config"]), want)

    def test_fields(self):
        plan = models.plan({**LLAMA, "attention_bias": True})
        self.assertEqual((plan.family, plan.dialect, plan.pairing),
                         ("llama", "hf4", "half"))
        self.assertIs(plan.pairing_assumed, True)
        tower, = plan.towers
        self.assertEqual((tower.name, tower.input, len(tower.layers)),
                         ("text", "none", 3))
        layer = tower.layers[2]
        self.assertEqual((layer.heads, layer.kv_heads, layer.qk_dim), (4, 2, 16))
        self.assertEqual((layer.scale, layer.softcap, layer.qk_norm),
                         (0.25, None, None))
        self.assertEqual(len(layer.wavelengths), 8)
        # 2 pi base^(2 c / 16), c = 7: pow and the frequency are within 2^-50
        want = 2 * 3.141592653589793 * 500000 ** (14 / 16)
        self.assertAlmostEqual(layer.wavelengths[7] / want, 1, delta=1e-14)
        self.assertEqual(plan.json["hash"], plan.hash)

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(LLAMA, f)
            for where in (folder, path):
                self.assertEqual(models.plan(where).hash,
                                 models.plan(LLAMA).hash)

    def test_stacks(self):
        keys = {"model_type": "mpt", "attn_config": {"alibi_bias_max": 16}}
        self.assertEqual(models.spec(keys), "alibi(dialect=mpt,max=16)")
        self.assertEqual(models.spec(keys, stack="hf5"), "alibi(dialect=mpt)")

    def test_refusals(self):
        for config, stack, status, message in (
                (LLAMA, "vlm", "ERR_PARAM", "locant: stack is 'vlm'"),
                (7, "true", "ERR_PARAM", "locant: the model is a int"),
                ({"model_type": "lama"}, "true", "ERR_UNSUPPORTED",
                 "lama: model_type is 'lama'"),
                ({**LLAMA, "rope_theta": "big"}, "true", "ERR_FORMAT",
                 "llama: rope_theta is the text 'big'"),
                ({**LLAMA, "rope_theta": float("nan")}, "true", "ERR_PARAM",
                 "locant: the configuration is no JSON"),
                ("/nowhere", "true", "ERR_IO", "/nowhere")):
            with self.subTest(message):
                with self.assertRaises(locant.Error) as caught:
                    models.plan(config, stack=stack)
                self.assertEqual(caught.exception.status.name, status)
                self.assertTrue(str(caught.exception).startswith(message),
                                str(caught.exception))


class Transformers(unittest.TestCase):
    """Frequencies of transformers' own modules, for small configurations."""

    def setUp(self):
        try:
            import torch  # noqa: F401
            import transformers
        except ImportError:
            self.skipTest("torch and transformers are not installed")
        self.transformers = transformers

    def frequencies(self, config):
        """The inverse frequencies and the factor of the rotary module."""
        from transformers import AutoModelForCausalLM
        model = AutoModelForCausalLM.from_config(config)
        found = [m for m in model.modules()
                 if type(m).__name__.endswith("RotaryEmbedding")]
        return found[0].inv_freq, found[0].attention_scaling

    def test_frequencies(self):
        yarn = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 1e6,
                "original_max_position_embeddings": 32}
        llama3 = {"rope_type": "llama3", "factor": 8.0, "rope_theta": 5e5,
                  "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 64}
        sizes = dict(hidden_size=64, intermediate_size=32, vocab_size=16,
                     num_hidden_layers=1, num_attention_heads=4,
                     num_key_value_heads=4, max_position_embeddings=128)
        t = self.transformers
        for config in (
                t.LlamaConfig(**sizes),
                t.LlamaConfig(**sizes, rope_parameters=llama3),
                t.Qwen2Config(**sizes, rope_parameters=yarn),
                t.PhiConfig(**sizes),
                t.GPTNeoXConfig(hidden_size=64, num_hidden_layers=1,
                                num_attention_heads=4, vocab_size=16),
                t.GlmConfig(**sizes, head_dim=16, pad_token_id=0),
                t.StableLmConfig(**{**sizes, "hidden_size": 128}),
                t.SmolLM3Config(**sizes, pad_token_id=0)):
            with self.subTest(type(config).__name__):
                inverse, _ = self.frequencies(config)
                waves = models.plan(config).towers[0].layers[0].wavelengths
                self.assertEqual(len(waves), len(inverse))
                for wave, f in zip(waves, inverse.tolist()):
                    # transformers computes them in float32: a power, a
                    # quotient, and in yarn a blend of two
                    self.assertAlmostEqual(
                        2 * 3.141592653589793 / wave / f, 1, delta=2e-6)

    # Families whose attention modules say what they do, with keys that make
    # default configurations whole.
    FAMILIES = {
        "apertus": {}, "arcee": {}, "cohere": {"use_qk_norm": True},
        "deepseek_v2": {}, "deepseek_v3": {}, "ernie4_5": {}, "gemma": {},
        "gemma2": {"query_pre_attn_scalar": 144}, "gemma3_text": {},
        "gemma3n_text": {}, "gemma4_text": {}, "glm": {}, "glm4": {},
        "glm4_moe": {"head_dim": 128, "use_qk_norm": True}, "gpt_oss": {},
        "granite": {"attention_multiplier": 0.5}, "llama": {},
        "llama4_text": {}, "minimax_m2": {}, "ministral3": {}, "mistral": {},
        "mistral4": {}, "mixtral": {}, "olmo2": {}, "olmo3": {}, "olmoe": {},
        "persimmon": {}, "phi": {"qk_layernorm": True}, "phi3": {},
        "qwen2": {"use_sliding_window": True, "max_window_layers": 2},
        "qwen2_moe": {}, "qwen3": {}, "qwen3_moe": {}, "qwen3_next": {},
        "qwen2_vl_text": {}, "qwen3_vl_text": {}, "seed_oss": {},
        "smollm3": {}, "stablelm": {"qk_layernorm": True}, "starcoder2": {}}

    def attentions(self, config):
        """(layer, module) of each attention of a model without weights."""
        import torch
        from transformers import AutoModel
        with torch.device("meta"):
            model = AutoModel.from_config(config)
        for name, module in model.named_modules():
            kind = type(module).__name__
            if kind.endswith("Attention") and ".layers." in f".{name}":
                yield int(f".{name}".split(".layers.")[1].split(".")[0]), module

    def compare(self, layer, module):
        score = 1.0  # what the spec itself multiplies scores by
        if "score=yes" in layer.spec:
            keys = dict(k.split("=") for k in
                        layer.spec.split("yarn(")[1].rstrip(")").split(","))
            score = (0.1 * float(keys["mscale-all"])
                     * np.log(float(keys["factor"])) + 1) ** 2
        # Both are a square root and a quotient in double.
        self.assertAlmostEqual(module.scaling / (layer.scale * score), 1,
                               delta=1e-15)
        if hasattr(module, "num_key_value_groups"):
            self.assertEqual(module.num_key_value_groups,
                             layer.heads // layer.kv_heads)
        if "side=trailing" not in layer.spec:
            self.assertEqual(module.head_dim, layer.qk_dim)
        window = getattr(module, "sliding_window", None)
        if window:
            self.assertIn(f"window(size={window})", layer.spec)
        names = {"q_norm", "q_layernorm", "qk_norm"} & set(
            name for name, _ in module.named_children())
        self.assertEqual(bool(names), layer.qk_norm is not None)

    def test_modules(self):
        for name, keys in self.FAMILIES.items():
            config = self.transformers.CONFIG_MAPPING[name](
                num_hidden_layers=8, **({"num_kv_shared_layers": 2}
                                        if name == "gemma3n_text" else {}),
                **keys)
            layers = models.plan(config).towers[0].layers
            seen = set()
            with self.subTest(name):
                for number, module in self.attentions(config):
                    self.compare(layers[number], module)
                    seen.add(number)
                self.assertEqual(seen, {
                    i for i, layer in enumerate(layers)
                    if layer.attention == "softmax"})

    def test_configuration_objects(self):
        config = self.transformers.Gemma3TextConfig(
            num_hidden_layers=7, sliding_window=64)
        self.assertEqual(
            models.spec(config),
            "layers(local=window(size=64)+rope,global=rope(base=1000000),"
            "period=6)")


if __name__ == "__main__":
    unittest.main()
