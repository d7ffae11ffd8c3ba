"""Models that locant.hf does not support, and unregister()."""
import copy

from hf_models import SIZES, Case, model, tokens
import locant
import torch
import transformers
from locant import hf

IMAGE = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
             intermediate_size=48, image_size=16, patch_size=4)
UNCOVERED = (  # family, its model, sizes, why
    ("Deberta", "Model", SIZES, "attention interface"),
    ("MPNet", "Model", SIZES, "attention interface"),
    ("XLNet", "LMHeadModel", dict(vocab_size=97, d_model=32, n_layer=2,
                                  n_head=4, d_inner=48),
     "attention interface"),
    ("Beit", "Model", IMAGE, "mask for a tensor"))


class Uncovered(Case):
    def made(self, family, head, sizes, attention="eager"):
        config = getattr(transformers, family + "Config")(**sizes)
        config._attn_implementation = attention
        return getattr(transformers, family + head)(config)

    def test_families(self):
        for family, head, sizes, why in UNCOVERED:
            with self.subTest(family):
                made = self.made(family, head, sizes)
                with self.assertRaisesRegex(locant.Error, why):
                    made.set_attn_implementation("locant")
                self.assertEqual(made.config._attn_implementation, "eager")
                with self.assertRaises(locant.Error):
                    hf.swap(made, "alibi")
                with self.assertRaisesRegex(locant.Error, why):
                    self.made(family, head, sizes, "locant")

    def test_heads_of_several_sizes(self):
        config = transformers.Gemma4TextConfig(
            **{**SIZES, "num_hidden_layers": 6}, global_head_dim=16,
            hidden_size_per_layer_input=8, vocab_size_per_layer_input=97)
        made = transformers.Gemma4ForCausalLM(config)
        with self.assertRaisesRegex(locant.Error, "one size in all layers"):
            hf.swap(made, "rope")
        ids = tokens()
        self.close(*self.both(made.eval(), lambda m: m(ids).logits))


class Unregister(Case):
    def tearDown(self):
        hf.register()

    def test_not_while_a_model_needs_it(self):
        ids = tokens()
        for name in ("Llama", "Bloom", "Mpt"):
            made = model(name)
            with torch.no_grad():
                own = made(ids).logits
                e = hf.swap(made, "kerple")
                twin = copy.deepcopy(made)
                with self.assertRaisesRegex(locant.Error, "swapped: undo"):
                    hf.unregister()
                swapped = made(ids).logits
                self.assertGreater((swapped - own).abs().max(), 1e-3)
                e.undo()
                self.assertEqual(made.config._attn_implementation, "eager")
                self.close(made(ids).logits, own)
                made.set_attn_implementation("locant")
                with self.assertRaisesRegex(locant.Error, "with locant still"):
                    hf.unregister()
                made.set_attn_implementation("eager")
                self.close(twin(ids).logits, swapped)
