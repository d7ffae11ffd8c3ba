"""Tiny random models of transformers, for the tests of locant.hf."""
import unittest

try:
    import torch
    import transformers
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from None
from locant import hf

SIZES = dict(vocab_size=97, hidden_size=32, num_hidden_layers=2,
             num_attention_heads=4, num_key_value_heads=2, head_dim=8,
             intermediate_size=48, pad_token_id=0, bos_token_id=1,
             eos_token_id=2)
MOE = dict(num_experts=2, num_experts_per_tok=1, moe_intermediate_size=16,
           shared_expert_intermediate_size=16, num_local_experts=2)
FAMILIES = {
    "Llama": {}, "Gemma": {}, "Qwen3": {},
    "Qwen2": dict(use_sliding_window=True, sliding_window=6,
                  max_window_layers=1),
    "Mistral": dict(sliding_window=6),
    "Gemma2": dict(sliding_window=6, query_pre_attn_scalar=8,
                   attn_logit_softcapping=2.0),
    "Gemma3": dict(sliding_window=6),
    "GptOss": dict(sliding_window=6, num_local_experts=2,
                   num_experts_per_tok=1),
    "SmolLM3": dict(no_rope_layers=[1, 0]),
    "GPTNeoX": dict(rotary_pct=0.5),
    "GPT2": dict(n_embd=32, n_layer=2, n_head=4),
    "Bloom": dict(n_head=6, hidden_size=48, n_layer=2),
    "Mpt": dict(n_heads=6, d_model=48, n_layers=2, max_seq_len=64,
                attn_config=dict(clip_qkv=1.5)),
    "DeepseekV3": dict(q_lora_rank=16, kv_lora_rank=12, qk_nope_head_dim=8,
                       qk_rope_head_dim=4, head_dim=4, v_head_dim=6,
                       num_key_value_heads=4, first_k_dense_replace=2),
    "Bert": {}, "Roberta": {},
    "DebertaV2": dict(relative_attention=True, position_buckets=4,
                      max_relative_positions=16, pos_att_type=["p2c", "c2p"],
                      share_att_key=True, norm_rel_ebd="layer_norm",
                      position_biased_input=False, hidden_dropout_prob=0.0,
                      attention_probs_dropout_prob=0.0),
    "ModernBert": dict(local_attention=8, cls_token_id=1, sep_token_id=2),
    "Llama4Text": dict(attention_chunk_size=5, no_rope_layers=[1, 0],
                       intermediate_size_mlp=48, num_local_experts=2),
    "Falcon": dict(new_decoder_architecture=True, num_kv_heads=2),
    "GPTJ": dict(n_embd=32, n_layer=2, n_head=4, rotary_dim=4),
    "OPT": dict(word_embed_proj_dim=32, ffn_dim=48),
    "Mixtral": MOE, "Qwen2Moe": MOE, "Qwen3Moe": MOE, "Glm4Moe": MOE,
    "MiniMaxM2": MOE, "Phi": {}, "Phi3": {}, "Cohere": {},
    "Cohere2": dict(sliding_window=6), "Olmo2": {},
    "Olmo3": dict(sliding_window=6), "Glm": {}, "Glm4": {}, "StableLm": {},
    "Starcoder2": dict(sliding_window=6), "Granite": {}, "Ministral3": {},
    "DeepseekV2": dict(q_lora_rank=16, kv_lora_rank=12, qk_nope_head_dim=8,
                       qk_rope_head_dim=4, head_dim=4, v_head_dim=6,
                       num_key_value_heads=4, first_k_dense_replace=2),
    "Nemotron": {}, "Helium": {}, "Exaone4": dict(sliding_window=6),
    "Arcee": {}, "SeedOss": {}, "Ernie4_5": {}, "HunYuanDenseV1": {},
    "Persimmon": {}, "BioGpt": {}, "GPTBigCode": {}}

ENCODERS = ("Bert", "Roberta", "DebertaV2", "ModernBert")
OWN_NAMES = ("GPT2", "Bloom", "Mpt", "GPTJ")  # know sizes by other names


def sizes_of(name, **more):
    """The options of the family's configuration."""
    sizes = {**SIZES, **FAMILIES[name], **more}
    if name in OWN_NAMES:
        sizes = {k: v for k, v in sizes.items() if not k.startswith("num_")
                 and (name in ("GPT2", "GPTJ") or k in FAMILIES[name] or
                      k.endswith(("_id", "vocab_size")))}
    if name in ("Falcon", "GPTJ"):
        del sizes["head_dim"]
    return sizes


def model(name, **more):
    torch.manual_seed(0)
    config = {"Gemma3": "Gemma3Text"}.get(name, name) + "Config"
    head = {"GPT2": "LMHeadModel"}.get(
        name, "ForMaskedLM" if name in ENCODERS else "ForCausalLM")
    config = getattr(transformers, config)(**sizes_of(name, **more))
    config._attn_implementation = "eager"
    made = getattr(transformers, name.removesuffix("Text") + head)(config)
    for p in made.parameters():
        torch.nn.init.normal_(p, 0, 0.2)
    return made.eval()


def tokens(batch=2, length=19):
    g = torch.Generator().manual_seed(1)
    return torch.randint(3, 97, (batch, length), generator=g)


def left_padded(ids, n=5):
    mask = torch.ones_like(ids)
    mask[1, :n] = 0
    return mask


def gradients(made):
    """Gradients of all parameters, in one vector."""
    made.zero_grad()
    made(tokens(), labels=tokens()).loss.backward()
    return torch.cat([p.grad.flatten() for p in made.parameters()
                      if p.grad is not None])


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hf.register()
        # Idle threads of PyTorch spin: on busy cores tiny models take ten
        # times as long.
        cls.addClassCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)

    def close(self, a, b, tolerance=1e-5, what=""):
        self.assertEqual(a.shape, b.shape, what)
        self.assertTrue(b.isfinite().all(), what)
        self.assertLess((a - b).abs().max().item(), tolerance, what)

    def both(self, made, call):
        """The results of 'call' with eager and with locant."""
        made.set_attn_implementation("eager")
        eager = call(made)
        made.set_attn_implementation("locant")
        self.assertEqual(made.config._attn_implementation, "locant")
        return eager, call(made)

    def matches(self, made, call, what=""):
        """locant gives what eager attention gives; no gradients."""
        with torch.no_grad():
            self.close(*self.both(made, call), what=what)
