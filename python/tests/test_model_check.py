"""locant.models.check: findings of paths, dicts, and transformers' objects."""
import json
import os
import tempfile
import unittest

import locant
from locant import models

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
         "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 32,
         "max_position_embeddings": 131072, "rope_theta": 500000.0}
YARN = dict(LLAMA, rope_scaling={"rope_type": "yarn", "factor": 4.0})


def ids(findings):
    return [f["id"] for f in findings]


class Check(unittest.TestCase):
    def test_a_right_configuration_has_no_finding(self):
        self.assertEqual(models.check(LLAMA), [])

    def test_a_finding_has_its_parts(self):
        (found,) = models.check(YARN)
        self.assertEqual(found["id"], "L01")
        self.assertEqual(found["severity"], "error")
        self.assertEqual(found["key"],
                         "rope_scaling.original_max_position_embeddings")
        self.assertIn("31 to 49", found["sentence"])
        self.assertIn("24 to 42", found["mend"])
        self.assertEqual(found["stacks"],
                         ["hf4", "hf5", "vllm", "llama.cpp", "mlx"])
        self.assertEqual(found["computes"]["vllm"], "KeyError")
        self.assertIs(found["fixes"], False)

    def test_a_stack_keeps_its_own(self):
        (found,) = models.check(YARN, "vllm")
        self.assertTrue(found["sentence"].endswith(" vLLM: KeyError."))
        packed = dict(LLAMA, quantization_config={"quant_algo": "NVFP4"})
        self.assertEqual(ids(models.check(packed, stack="llama.cpp")), ["G03"])
        self.assertEqual(models.check(packed, stack="hf5"), [])
        with self.assertRaisesRegex(locant.Error, "'hf', expected hf4, hf5"):
            models.check(YARN, "hf")

    def test_a_path_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            other = os.path.join(folder, "other.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(YARN, f)
            with open(other, "w", encoding="utf-8") as f:
                json.dump(dict(LLAMA, sliding_window=4096), f)
            self.assertEqual(models.check(path), models.check(YARN))
            self.assertEqual(models.check(folder), models.check(YARN))
            self.assertEqual(ids(models.check(path, other=other)),
                             ["L01", "P12"])

    def test_a_length_is_asked_about(self):
        bert = {"model_type": "bert", "max_position_embeddings": 512}
        self.assertEqual(models.check(bert, length=512), [])
        self.assertEqual(ids(models.check(bert, length=513)), ["P21"])

    def test_what_is_no_model_is_refused(self):
        for model, message in ((3, "the model is a int"),
                               ({"model_type": "lama"}, "did you mean 'llama'"),
                               ("/none/such", "cannot be opened")):
            with self.assertRaisesRegex(locant.Error, message):
                models.check(model)

    def test_an_object_of_transformers_is_read(self):
        try:
            import transformers
        except ImportError:
            self.skipTest("transformers is missing")
        config = transformers.Qwen3Config(num_key_value_heads=5)
        self.assertIn("W08", ids(models.check(config)))


HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "..", "tests")
STACKS = ("hf4", "hf5", "vllm", "llama.cpp", "mlx")
# Classes that are not in transformers 4, whose defaults it does not know.
NEW = {"ministral3", "gemma4", "gemma4_text"}
# Remote code, whose log-n is no RoPE.
QUIET = {("Qwen 7B", "llama.cpp")}


def configurations():
    """(name, configuration) of the published models and of the cases."""
    with open(os.path.join(CASES, "published_plans.json"),
              encoding="utf-8") as f:
        for row in json.load(f):
            yield row["name"], row["config"]
    with open(os.path.join(CASES, "check_cases.json"), encoding="utf-8") as f:
        found = json.load(f)
    for row in found["cases"]:
        for side in (row["fires"], row["silent"]):
            if "with" not in side:
                continue
            base = {} if side.get("alone") else dict(found["base"])
            for key in side.get("without", ()):
                del base[key]
            yield row["id"], base | side["with"]


def reads_otherwise(config, stack, truth):
    """Does this program read other positions, or refuse the file?"""
    try:
        return models.plan(config, stack=stack).hash != truth
    except locant.Error:
        return True


class Stacks(unittest.TestCase):
    def test_what_a_stack_reads_otherwise_has_a_finding(self):
        judged = 0
        for name, config in configurations():
            try:
                truth = models.plan(config).hash
            except locant.Error:
                continue  # what no plan can be made of is judged above
            found = models.check(config)
            for stack in STACKS:
                # mlx-lm has no image ids: right for text, as W13 says
                sections = stack == "mlx" and "mrope" in json.dumps(config)
                # both bases are there: the file is for transformers 5
                new = stack == "hf4" and (
                    config["model_type"] in NEW or
                    config.keys() >= {"rope_theta", "rope_parameters"})
                if (name, stack) in QUIET or sections or new or \
                        not reads_otherwise(config, stack, truth):
                    continue
                judged += 1
                with self.subTest(name, stack=stack):
                    self.assertTrue(any(stack in f["stacks"] for f in found),
                                    ids(found))
        self.assertGreater(judged, 50)


if __name__ == "__main__":
    unittest.main()
