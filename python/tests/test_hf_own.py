"""Models of transformers whose attention uses no interface, in locant.hf."""
from hf_models import Case, gradients, left_padded, model, tokens
import locant
import torch
from locant import hf


class Falcon(Case):
    def test_alibi(self):
        """Against SDPA: transformers' own eager attention of Falcon adds ALiBi
        to the scores and to the mask, so twice."""
        made = model("Falcon", alibi=True, new_decoder_architecture=False,
                     multi_query=False, parallel_attn=False, num_kv_heads=4)
        ids = tokens()
        mask = left_padded(ids)
        for options in ({}, {"attention_mask": mask}):
            with torch.no_grad():
                made.set_attn_implementation("locant")
                ours = made(ids, **options).logits
                made.config._attn_implementation = "sdpa"
                theirs = made(ids, **options).logits
            real = mask.bool() if options else torch.ones_like(mask).bool()
            self.close(ours[real], theirs[real])

    def test_other_heads(self):
        for more in (dict(new_decoder_architecture=False, multi_query=True),
                     dict(new_decoder_architecture=False, multi_query=False,
                          num_kv_heads=4)):
            made = model("Falcon", **more)
            self.matches(made, lambda m: m(tokens()).logits, str(more))


class Deberta(Case):
    def test_gradients(self):
        made = model("DebertaV2")
        eager, ours = self.both(made, gradients)
        # Sums of some hundred terms of order 1: relative to the largest.
        self.close(ours / eager.abs().max(), eager / eager.abs().max())

    def test_other_kinds(self):
        for more in (dict(share_att_key=False), dict(position_buckets=-1),
                     dict(share_att_key=False, position_buckets=-1),
                     dict(relative_attention=False, pos_att_type=[],
                          position_biased_input=True),
                     dict(conv_kernel_size=3, conv_act="gelu")):
            made = model("DebertaV2", **more)
            mask = left_padded(tokens())
            self.matches(made, lambda m: m(
                tokens(), attention_mask=mask).logits[mask.bool()], str(more))

    def test_refusals(self):
        made = model("DebertaV2", pos_att_type=["c2p"])
        made.set_attn_implementation("locant")
        with self.assertRaisesRegex(locant.Error, "expected c2p and p2c"):
            made(tokens())
        made = model("DebertaV2", hidden_dropout_prob=0.5).train()
        made.set_attn_implementation("locant")
        with self.assertRaisesRegex(locant.Error, "drops positions, 0.5"):
            made(tokens())

    def test_swap(self):
        made = model("DebertaV2")
        with torch.no_grad():
            own = made(tokens()).logits
            swapped = hf.swap(made, "alibi")
            self.assertGreater((made(tokens()).logits - own).abs().max(), 1e-3)
            swapped.undo()
            self.close(made(tokens()).logits, own)
