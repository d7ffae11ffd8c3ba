"""What `check` says of transformers 5: models that it says fail do fail, and
the others run.  Models are built and called without memory, on 'meta'."""
import json
import logging
import os
import unittest

from locant import models

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "tests", "check_cases.json")
# What sentences say of a failure.
FAILS = ("KeyError", "ValueError", "do not fit", "TypeError", "refuses",
         "IndexError", "fails", "no tensor has such a size")
# Fewer and smaller experts; none of them has to do with positions.
EXPERTS = {"n_routed_experts": 4, "n_group": 1, "topk_group": 1,
           "num_experts_per_tok": 1, "first_k_dense_replace": 9,
           "num_local_experts": 2, "moe_intermediate_size": 32}
# Types that run on 'meta', by the class that calls them.
DECODERS = {"llama", "qwen2", "qwen3", "mistral", "gemma2", "gemma3_text",
            "olmo3", "phi", "phi3", "stablelm", "granite", "cohere", "falcon",
            "gpt_neox", "ministral3", "deepseek_v2", "deepseek_v3",
            "llama4_text"}
# By layer types of its own the class fails, by none it ignores the entries.
EITHER = {"D06"}


def configurations():
    with open(CASES, encoding="utf-8") as f:
        found = json.load(f)
    for row in found["cases"]:
        for side in (row["fires"], row["silent"]):
            if "with" not in side:
                continue
            base = {} if side.get("alone") else dict(found["base"])
            for key in side.get("without", ()):
                del base[key]
            yield row["id"], base | side["with"]


def small(config):
    """The same with few words, narrow MLPs, and two layers where their number
    does not matter."""
    config = {"intermediate_size": 64, "pad_token_id": 0, "bos_token_id": 1,
              "eos_token_id": 2, **config, "vocab_size": 128}
    layers = config.get("num_hidden_layers")
    if isinstance(layers, int) and not config.keys() & {
            "layer_types", "no_rope_layers", "max_window_layers"}:
        config["num_hidden_layers"] = min(layers, 2)
    if config["model_type"] in ("deepseek_v2", "deepseek_v3", "llama4_text"):
        config.update(EXPERTS)
    return config


def failure(config):
    """What building and calling the model raises; None: it runs."""
    import torch
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM
    config = small(config)
    try:
        with torch.device("meta"):
            made = CONFIG_MAPPING[config["model_type"]].from_dict(config)
            model = AutoModelForCausalLM.from_config(made)
            model(torch.zeros(1, 8, dtype=torch.long))
    # Whatever a model raises is its failure.
    except Exception as error:  # pylint: disable=broad-exception-caught
        return f"{type(error).__name__}: {error}"
    return None


class Transformers(unittest.TestCase):
    def setUp(self):
        try:
            import torch  # noqa: F401
            from transformers import __version__
        except ImportError:
            self.skipTest("transformers is missing")
        if int(__version__.split(".")[0]) < 5:
            self.skipTest("transformers is older than 5")
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    def test_what_fails_is_what_check_says(self):
        judged = failed = 0
        for name, config in configurations():
            kind = config.get("model_type")
            # 'dynamic' reads numbers of tensors, which 'meta' has not
            if kind not in DECODERS or "dynamic" in json.dumps(config):
                continue
            found = [f for f in models.check(config) if f["id"] not in EITHER]
            said = [f["id"] for f in found
                    if any(w in f["computes"].get("hf5", "") for w in FAILS)]
            raised = failure(config)
            if name in EITHER and raised:
                continue
            judged += 1
            failed += raised is not None
            with self.subTest(name, model=kind):
                self.assertEqual(bool(said), raised is not None,
                                 (said, raised))
        self.assertGreater(judged, 100)
        self.assertGreater(failed, 15)


if __name__ == "__main__":
    unittest.main()
