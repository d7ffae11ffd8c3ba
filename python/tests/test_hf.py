"""Tiny random models of transformers, fused against eager; rope types.

Both compute in float32 by other orders of sums: 1e-5 of logits of size 1 to 6
is what the package promises; 1e-6 of weights, which are below 1.
"""
import copy
import subprocess
import sys
import unittest

import locant

from hf_models import (ENCODERS, FAMILIES, SIZES, Case, gradients, left_padded, model,
                       tokens)
import torch
import transformers
from locant import hf
from locant import torch as lt


class Families(Case):
    def test_logits(self):
        ids = tokens()
        mask = left_padded(ids)
        for name in FAMILIES:
            made = model(name)
            self.matches(made, lambda m: m(ids).logits, name)
            # What a row of padding gives is nobody's business.
            self.matches(made, lambda m: m(
                ids, attention_mask=mask).logits[mask.bool()], name)

    def test_packed_rows(self):
        ids = tokens(1, 23)
        at = torch.cat([torch.arange(n) for n in (7, 8, 8)])[None]
        for name in ("Llama", "Gemma3", "GPTNeoX"):
            self.matches(model(name), lambda m: m(
                ids, position_ids=at, use_cache=False).logits, name)

    def test_cached_steps(self):
        ids = tokens()
        mask = left_padded(ids)

        def steps(m):
            cache = transformers.DynamicCache(config=m.config)
            rows = [m(ids[:, :9], attention_mask=mask[:, :9],
                      past_key_values=cache).logits[:, -1:]]
            for t in range(9, 19):
                rows.append(m(ids[:, t:t + 1], attention_mask=mask[:, :t + 1],
                              past_key_values=cache).logits)
            return torch.cat(rows, 1)

        for name in FAMILIES:
            if name not in ENCODERS:
                self.matches(model(name), steps, name)

    def generate_the_same(self, made, ids, what="", new=5, **options):
        a, b = self.both(made, lambda m: m.generate(
            ids, attention_mask=left_padded(ids), max_new_tokens=new,
            do_sample=False, **options))
        self.assertTrue(torch.equal(a, b), what)

    def test_generate(self):
        self.generate_the_same(model("Llama"), tokens())

    def test_generate_with_a_static_cache(self):
        for name in FAMILIES:
            # Mpt generates without one.
            if name not in ENCODERS + ("Mpt",):
                self.generate_the_same(model(name), tokens(), name,
                                       cache_implementation="static")

    def test_weights(self):
        ids = tokens()
        for name in ("Llama", "Gemma2", "GptOss", "Bert", "GPT2", "Bloom",
                     "Falcon", "GPTJ", "DebertaV2",
                     "Mpt"):
            a, b = self.both(model(name), lambda m: m(
                ids, output_attentions=True).attentions)
            self.assertEqual((len(a), len(b)), (2, 2))
            for x, y in zip(a, b):
                self.close(x, y, 1e-6, name)

    def test_vision(self):
        torch.manual_seed(0)
        made = transformers.ViTModel(transformers.ViTConfig(
            hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=48, image_size=16, patch_size=4)).eval()
        x = torch.randn(2, 3, 16, 16)
        self.close(*self.both(made, lambda m: m(x).last_hidden_state))

    def test_training(self):
        for name in ("Llama", "Gemma2", "GptOss"):
            self.close(*self.both(model(name), gradients), what=name)


class T5(Case):
    def made(self, name):
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(
            vocab_size=97, d_model=32, d_kv=8, d_ff=48, num_layers=2,
            num_heads=4, relative_attention_num_buckets=8,
            relative_attention_max_distance=16, dropout_rate=0.0,
            decoder_start_token_id=0)
        config._attn_implementation = "eager"
        made = getattr(transformers, f"{name}ForConditionalGeneration")(config)
        for p in made.parameters():
            torch.nn.init.normal_(p, 0, 0.2)
        return made.eval()

    def test_logits_padded_and_cached(self):
        ids = tokens(2, 40)
        mask = left_padded(ids)
        for name in ("T5", "MT5", "UMT5"):
            made = self.made(name)
            self.matches(made, lambda m: m(
                ids, decoder_input_ids=ids[:, :19]).logits, name)
            self.matches(made, lambda m: m(
                ids, attention_mask=mask,
                decoder_input_ids=ids[:, :19]).logits, name)
            for cache in "dynamic", "static":
                a, b = self.both(made, lambda m: m.generate(
                    ids, attention_mask=mask, max_new_tokens=6,
                    do_sample=False, cache_implementation=cache))
                self.assertTrue(torch.equal(a, b), cache)

    def test_gradients_of_both_tables(self):
        ids = tokens(2, 40)

        def gradients(m):
            m.zero_grad()
            m(ids, labels=ids[:, :19].contiguous()).loss.backward()
            return torch.cat([
                s.block[0].layer[0].SelfAttention.relative_attention_bias
                .weight.grad.flatten() for s in (m.encoder, m.decoder)])

        a, b = self.both(self.made("T5"), gradients)
        self.assertGreater(a.abs().max(), 1e-3)
        self.close(a, b)


class Bloom(Case):
    def test_padding_takes_no_position(self):
        ids = tokens()
        mask = torch.ones_like(ids)
        mask[0, 4:7] = mask[1, 12:] = 0
        for name in ("Bloom", "Mpt"):
            self.matches(model(name), lambda m: m(
                ids, attention_mask=mask).logits[mask.bool()], name)

    def test_gradients(self):
        for name in ("Bloom", "Mpt"):
            self.close(*self.both(model(name), gradients), what=name)

    def test_unregister(self):
        from transformers.models.bloom import modeling_bloom as bloom
        ours = bloom.BloomAttention.forward
        hf.unregister()
        try:
            self.assertIsNot(bloom.BloomAttention.forward, ours)
            self.assertIs(bloom.BloomAttention.forward, ours.__wrapped__)
            self.assertFalse(
                transformers.BloomForCausalLM._can_set_attn_implementation())
            with self.assertRaises(ValueError):
                model("Llama").set_attn_implementation("locant")
        finally:
            hf.register()
        hf.register()  # twice is once
        self.assertIs(bloom.BloomAttention.forward.__wrapped__,
                      ours.__wrapped__)


def kerple(p, a, length):
    """[H, T, T] of kerple's logarithms, in PyTorch."""
    at = torch.arange(length)
    n = (at[:, None] - at).clamp(min=0)
    return -p[:, None, None] * torch.log1p(a[:, None, None] * n)


def hidden(length):
    """[T, T]: what a key after its query adds."""
    return torch.full((length, length), -1e9).triu(1)


def without_rotary(made):
    """The model without its rotary embedding, by eager attention."""
    rotary = made.model.rotary_emb
    turn = rotary.forward
    rotary.forward = lambda *given, **more: tuple(
        make(x) for make, x in zip((torch.ones_like, torch.zeros_like),
                                   turn(*given, **more)))
    return made


class Swap(Case):
    def test_their_own_encoding_again(self):
        ids = tokens()
        mask = left_padded(ids)
        for name, spec in (("Llama", "rope"), ("Qwen2", "rope"),
                           ("GPTNeoX", "rope(dim=4)"),
                           ("DeepseekV3", "rope(dim=4,side=trailing)"),
                           ("GptOss", "rope"), ("Bloom", "alibi"),
                           ("Mpt", "alibi(dialect=mpt)")):
            made = model(name, **({"n_head": 4} if name == "Bloom" else {}),
                         **({"rope_parameters": PLAIN}
                            if name == "GptOss" else {}))
            with torch.no_grad():
                own = made(ids, attention_mask=mask).logits
                hf.swap(made, spec)
                self.close(own[mask.bool()], made(
                    ids, attention_mask=mask).logits[mask.bool()], what=name)

    def test_tables_of_positions(self):
        ids = tokens()
        for name, path in (("GPT2", "transformer.wpe"),
                           ("Bert", "bert.embeddings.position_embeddings")):
            made = model(name)
            table = made.get_submodule(path).weight
            with torch.no_grad():
                own = made(ids).logits
                e = hf.swap(made, "learned")
                self.assertEqual(e[0].table.shape, table.shape)
                e[0].table.copy_(table)
                self.close(own, made(ids).logits, what=name)
                hf.swap(made, "none")
                without = made(ids).logits
                table.zero_()
                made.locant.undo()
                self.close(made(ids).logits, without, what=name)

    def test_a_bias_and_its_gradients(self):
        ids = tokens()
        made = model("Llama")
        e = hf.swap(made, "kerple")
        self.assertEqual([n for n, _ in made.named_parameters()
                          if "locant" in n], ["locant.0.p", "locant.0.a"])
        made(ids, labels=ids).loss.backward()
        logits = made(ids).logits
        p, a = (x.detach().clone().requires_grad_()
                for x in (e[0].p, e[0].a))
        other = without_rotary(model("Llama"))
        bias = (kerple(p, a, 19) + hidden(19)).expand(2, -1, -1, -1)
        out = other(ids, attention_mask=bias, labels=ids)
        out.loss.backward()
        self.close(logits, out.logits)
        self.assertGreater(p.grad.abs().max(), 1e-4)
        self.close(e[0].p.grad, p.grad)
        self.close(e[0].a.grad, a.grad)

    def test_input_door(self):
        ids = tokens()
        made = model("Llama")
        rows = torch.from_numpy(locant.table("sinusoidal", 19, 32))
        other = without_rotary(model("Llama"))
        with torch.no_grad():
            hf.swap(made, "sinusoidal")
            self.close(made(ids).logits, other(
                inputs_embeds=other.model.embed_tokens(ids) + rows).logits)

    def test_cached_steps(self):
        ids = tokens()
        for spec in ("t5", "rope", "cope", "sinusoidal", "alibi+learned"):
            made = model("Llama")
            hf.swap(made, spec)
            with torch.no_grad():
                whole = made(ids).logits
                cache = transformers.DynamicCache(config=made.config)
                rows = [made(ids[:, a:b], past_key_values=cache).logits
                        for a, b in ((0, 9), (9, 14), (14, 15), (15, 19))]
            self.close(torch.cat(rows, 1), whole, what=spec)

    def test_one_for_each_layer(self):
        ids = tokens()
        made = model("Llama")
        e = hf.swap(made, "cope+t5", seed=3)
        self.assertEqual(len(e), 2)
        self.assertIsNot(e[0].cope_table, e[1].cope_table)
        self.assertIs(e[0].t5_table, e[1].t5_table)
        for x in e.parameters():  # they begin at zero
            torch.nn.init.normal_(x)
        made(ids, labels=ids).loss.backward()
        for name, x in e.named_parameters():
            self.assertGreater(x.grad.abs().max(), 1e-6, name)
        e.project()

    def test_two_kinds_of_layers(self):
        ids = tokens()
        smol = model("SmolLM3", rope_parameters=PLAIN)
        with torch.no_grad():
            own = smol(ids).logits
            hf.swap(smol, "layers(local=rope,global=none,period=2)")
            self.close(own, smol(ids).logits)
            hf.swap(smol, "rope")
            self.assertGreater((own - smol(ids).logits).abs().max(), 1e-3)

        made = model("Llama", num_hidden_layers=5)
        e = hf.swap(made, "layers(local=window(size=4)+kerple,global=cope+t5,"
                    "period=2)")
        local, other = "window(size=4)+kerple", "cope+t5"
        self.assertEqual([x.spec for x in e], [local, other] * 2 + [local])
        self.assertIs(e[0], e[2])
        self.assertIsNot(e[1].cope_table, e[3].cope_table)
        self.assertIs(e[1].t5_table, e[3].t5_table)
        for x in (e[1].cope_table, e[1].t5_table, e[3].cope_table):
            torch.nn.init.normal_(x)
        made(ids, labels=ids).loss.backward()
        for name, x in e.named_parameters():
            self.assertGreater(x.grad.abs().max(), 1e-6, name)
        e.project()
        other = model("Llama", num_hidden_layers=5)
        hf.swap(other, "layers(local=window(size=4)+kerple,global=cope+t5,"
                "period=2)", seed=9)
        other.load_state_dict(made.state_dict())
        with torch.no_grad():
            self.close(other(ids).logits, made(ids).logits)

    def test_copies_and_undo(self):
        ids = tokens()
        made = model("Llama")
        with torch.no_grad():
            own = made(ids).logits
            e = hf.swap(made, "t5+sinusoidal")
            torch.nn.init.normal_(e[0].t5_table)
            swapped = made(ids).logits
            twin = copy.deepcopy(made)
            self.close(twin(ids).logits, swapped)
            twin.locant[0].t5_table.zero_()
            self.assertGreater((twin(ids).logits - swapped).abs().max(), 1e-3)
            self.close(made(ids).logits, swapped)
            other = model("Llama")
            hf.swap(other, "t5+sinusoidal", seed=7)
            other.load_state_dict(made.state_dict())
            self.close(other(ids).logits, swapped)
            e.undo()
            self.assertFalse(hasattr(made, "locant"))
            made.set_attn_implementation("eager")
            self.close(made(ids).logits, own)

    def test_refusals(self):
        made = model("Llama")
        for spec, why in (("fox", "reads the input"), ("rope2d", "axes"),
                          ("randomized(length=64)+rope", "chooses positions"),
                          ("layers(local=sinusoidal)", "of some layers")):
            with self.assertRaisesRegex(locant.Error, why):
                hf.swap(made, spec)
        with self.assertRaisesRegex(locant.Error, "modules of attention"):
            hf.swap(T5.made(self, "T5"), "alibi")
        vit = transformers.ViTModel(transformers.ViTConfig(
            hidden_size=32, num_hidden_layers=1, num_attention_heads=4,
            intermediate_size=48, image_size=16, patch_size=4))
        with self.assertRaisesRegex(locant.Error, "no encoding that swap"):
            hf.swap(vit, "alibi")
        hf.swap(made, "alibi")
        made.set_attn_implementation("sdpa")
        with self.assertRaisesRegex(locant.Error, "expected \"locant\""):
            made(tokens())


class Refusals(Case):
    def refused(self, sentence, name, call, **more):
        made = model(name, **more)
        made.set_attn_implementation("locant")
        with self.assertRaisesRegex(locant.Error, sentence):
            call(made)

    def test_sentences(self):
        ids = tokens()
        self.refused("mask is a Tensor", "Llama", lambda m: m(
            ids, attention_mask=torch.zeros(2, 1, 19, 19)))
        self.refused("dropout 0.5", "Llama", lambda m: m.train()(ids),
                     attention_dropout=0.5)

    def test_without_transformers(self):
        code = ("import sys; sys.modules['transformers'] = None\n"
                "import locant\nlocant.hf")
        done = subprocess.run([sys.executable, "-c", code],
                              capture_output=True, text=True)
        self.assertIn("ImportError: locant.hf needs transformers", done.stderr)


PLAIN = dict(rope_type="default", rope_theta=10000.0)
LISTS = dict(short_factor=[1.0, 1.1, 1.2, 1.4], long_factor=[1.0, 2, 4, 8])
ROPE_TYPES = {  # of transformers, and the spec
    "default": ({}, "rope"),
    "linear": (dict(factor=4.0), "rope(scaling=linear(factor=4))"),
    "dynamic": (dict(factor=2.0),
                "rope(scaling=dynamic(factor=2,original=32))"),
    "yarn": (dict(factor=4.0, original_max_position_embeddings=32),
             "rope(scaling=yarn(factor=4,original=32))"),
    "longrope": (dict(factor=4.0, original_max_position_embeddings=32,
                      **LISTS),
                 "rope(scaling=longrope(original=32,factor=4,"
                 "short=1:1.1:1.2:1.4,long=1:2:4:8))"),
    "llama3": (dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                    original_max_position_embeddings=32),
               "rope(scaling=llama3(factor=8,original=32))"),
    "proportional": (dict(factor=2.0, partial_rotary_factor=0.5),
                     "rope(scaling=proportional(partial=0.5,factor=2))")}


class RopeTypes(Case):
    def test_every_type(self):
        from transformers.models.llama import modeling_llama as llama
        q = torch.randn(2, 4, 96, 8, generator=torch.Generator().manual_seed(2))
        at = torch.arange(96)[None]
        for kind, (keys, spec) in ROPE_TYPES.items():
            config = transformers.LlamaConfig(
                **SIZES, max_position_embeddings=32, rope_parameters=dict(
                    rope_type=kind, rope_theta=10000.0, **keys))
            rotary = llama.LlamaRotaryEmbedding(config)
            wanted, _ = llama.apply_rotary_pos_emb(q, q, *rotary(q, at))
            # Their angles are float32: 96 radians have a step of 96 2^-24,
            # a frequency is off by two roundings, and |q| is below 5.
            self.close(lt.rotate(q, spec), wanted, 5 * 96 * 2.0 ** -22, kind)
