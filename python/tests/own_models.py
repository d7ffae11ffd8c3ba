"""Tiny random models of families that transformers 5 does not have.

Transformer-XL left with transformers 5; its oracle gave the logits of version
4.46 (one call mended, which raises a TypeError) to 7e-7 in four variants.
Qwen 1 ran on code in its own files.  PaLM has no files in public: those here
have the names of Llama.
"""
import json
import os
import struct

import numpy as np

XL = dict(model_type="transfo-xl", architectures=["TransfoXLLMHeadModel"],
          vocab_size=40, cutoffs=[10, 25], d_model=16, d_embed=16, n_head=2,
          d_head=6, d_inner=24, n_layer=2, div_val=2, mem_len=8, clamp_len=5,
          same_length=True, pre_lnorm=False, untie_r=True, attn_type=0,
          tie_projs=[False, True, True], layer_norm_epsilon=1e-5,
          tie_word_embeddings=True, eos_token_id=0)
QWEN = dict(model_type="qwen", architectures=["QWenLMHeadModel"],
            vocab_size=96, hidden_size=32, num_hidden_layers=2,
            num_attention_heads=4, kv_channels=8, intermediate_size=48,
            layer_norm_epsilon=1e-6, rotary_emb_base=10000, rotary_pct=1.0,
            seq_length=10, max_position_embeddings=10, use_dynamic_ntk=True,
            use_logn_attn=True, no_bias=True, scale_attn_weights=True,
            tie_word_embeddings=False)
PALM = dict(model_type="palm", architectures=["PaLMForCausalLM"],
            vocab_size=96, hidden_size=32, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=1, head_dim=8,
            intermediate_size=48, hidden_act="silu", rope_theta=10000.0,
            max_position_embeddings=64, layer_norm_eps=1e-6,
            tie_word_embeddings=True)
MODELS = {
    "transfo_xl": XL,
    "transfo_xl_enwik8": dict(XL, cutoffs=[], tie_projs=[False], div_val=1,
                              same_length=False, clamp_len=-1, mem_len=6,
                              untie_r=False),
    "qwen1": QWEN,
    "qwen1_short": dict(QWEN, seq_length=32, rotary_pct=0.5),
    "palm": PALM,
}


def xl_layers(c):
    d, f, n = c["d_model"], c["d_inner"], c["n_head"] * c["d_head"]
    for i in range(c["n_layer"]):
        at = f"transformer.layers.{i}."
        yield at + "dec_attn.qkv_net.weight", (3 * n, d)
        yield at + "dec_attn.r_net.weight", (n, d)
        yield at + "dec_attn.o_net.weight", (d, n)
        if c["untie_r"]:
            for name in ("r_w_bias", "r_r_bias"):
                yield at + "dec_attn." + name, (c["n_head"], c["d_head"])
        yield at + "pos_ff.CoreNet.0.weight", (f, d)
        yield at + "pos_ff.CoreNet.0.bias", (f,)
        yield at + "pos_ff.CoreNet.3.weight", (d, f)
        yield at + "pos_ff.CoreNet.3.bias", (d,)
        for part in ("dec_attn", "pos_ff"):
            yield at + part + ".layer_norm.weight", (d,)
            yield at + part + ".layer_norm.bias", (d,)


def xl_shapes(c):
    d, ends = c["d_model"], [0] + c["cutoffs"] + [c["vocab_size"]]
    yield from xl_layers(c)
    if not c["untie_r"]:
        for name in ("r_w_bias", "r_r_bias"):
            yield "transformer." + name, (c["n_head"], c["d_head"])
    clusters = len(ends) - 1 if c["div_val"] > 1 else 1
    for i in range(clusters):
        rows = ends[i + 1] - ends[i] if c["div_val"] > 1 else c["vocab_size"]
        width = c["d_embed"] // c["div_val"] ** i
        yield f"transformer.word_emb.emb_layers.{i}.weight", (rows, width)
        yield f"crit.out_layers.{i}.bias", (rows,)
        if c["div_val"] > 1:
            yield f"transformer.word_emb.emb_projs.{i}", (d, width)
            if not c["tie_projs"][i]:
                yield f"crit.out_projs.{i}", (d, width)
    if c["cutoffs"]:
        yield "crit.cluster_weight", (len(c["cutoffs"]), c["d_embed"])
        yield "crit.cluster_bias", (len(c["cutoffs"]),)


def qwen_shapes(c):
    d, f = c["hidden_size"], c["intermediate_size"] // 2
    n = c["kv_channels"] * c["num_attention_heads"]
    yield "transformer.wte.weight", (c["vocab_size"], d)
    yield "transformer.ln_f.weight", (d,)
    yield "lm_head.weight", (c["vocab_size"], d)
    for i in range(c["num_hidden_layers"]):
        at = f"transformer.h.{i}."
        yield at + "ln_1.weight", (d,)
        yield at + "ln_2.weight", (d,)
        yield at + "attn.c_attn.weight", (3 * n, d)
        yield at + "attn.c_attn.bias", (3 * n,)
        yield at + "attn.c_proj.weight", (d, n)
        yield at + "mlp.w1.weight", (f, d)
        yield at + "mlp.w2.weight", (f, d)
        yield at + "mlp.c_proj.weight", (d, f)


def palm_shapes(c):
    d, f = c["hidden_size"], c["intermediate_size"]
    n = c["head_dim"] * c["num_attention_heads"]
    yield "model.embed_tokens.weight", (c["vocab_size"], d)
    yield "model.norm.weight", (d,)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        yield at + "input_layernorm.weight", (d,)
        yield at + "self_attn.q_proj.weight", (n, d)
        yield at + "self_attn.k_proj.weight", (c["head_dim"], d)
        yield at + "self_attn.v_proj.weight", (c["head_dim"], d)
        yield at + "self_attn.o_proj.weight", (d, n)
        yield at + "mlp.gate_proj.weight", (f, d)
        yield at + "mlp.up_proj.weight", (f, d)
        yield at + "mlp.down_proj.weight", (d, f)


SHAPES = {"transfo-xl": xl_shapes, "qwen": qwen_shapes, "palm": palm_shapes}


def values(name, shape, g):
    x = g.normal(size=shape)
    if "norm.weight" in name or name.endswith(("ln_1.weight", "ln_2.weight",
                                               "ln_f.weight")):
        return 1 + 0.2 * x
    if len(shape) == 1 or "_bias" in name:
        return 0.2 * x
    return x * (0.3 if "emb" in name or "wte" in name
                else 1.3 * shape[-1] ** -0.5)


def bfloat16(x):
    """Numbers that bfloat16 has, as float32."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x8000) & np.uint32(0xFFFF0000)).view(np.float32)


def write_safetensors(path, tensors, half):
    header, parts, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, x in tensors.items():
        data = x.astype(np.float32).tobytes()
        if half:
            data = (x.view(np.uint32) >> 16).astype("<u2").tobytes()
        header[name] = {"dtype": "BF16" if half else "F32",
                        "shape": list(x.shape),
                        "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


def write(folder, config, half=False):
    """A folder of a model; half: weights in bfloat16."""
    os.makedirs(folder, exist_ok=True)
    g = np.random.default_rng(0)
    config = dict(config, torch_dtype="bfloat16" if half else "float32")
    tensors = {}
    for name, shape in SHAPES[config["model_type"]](config):
        x = values(name, shape, g).astype(np.float32)
        tensors[name] = bfloat16(x) if half else x
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors,
                      half)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=1)
        file.write("\n")
