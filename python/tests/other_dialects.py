"""Models of transformers in the words of Meta's and Mistral's own files."""
import os

import numpy as np

import model_oracle
import own_models
from make_models import write_json

NAMES = {"model.embed_tokens": "tok_embeddings", "model.norm": "norm",
         "lm_head": "output", "model.layers": "layers",
         "self_attn.q_proj": "attention.wq", "self_attn.k_proj":
         "attention.wk", "self_attn.v_proj": "attention.wv",
         "self_attn.o_proj": "attention.wo", "mlp.gate_proj":
         "feed_forward.w1", "mlp.up_proj": "feed_forward.w3",
         "mlp.down_proj": "feed_forward.w2", "input_layernorm":
         "attention_norm", "post_attention_layernorm": "ffn_norm"}


def interleaved(w, heads):
    """Rows of queries or keys whose pairs are halves, as neighbours."""
    d = len(w) // heads
    order = np.arange(d).reshape(2, d // 2).T.reshape(-1)
    return w.reshape(heads, d, -1)[:, order].reshape(w.shape)


def renamed(name):
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name


def write_native(old, new, who):
    """params.json and consolidated.safetensors of a Llama or a Mistral."""
    m, tensors = model_oracle.Checkpoint(old), {}
    c = m.c
    for name, w in m.tensors.items():
        if "q_proj" in name:
            w = interleaved(w, c["num_attention_heads"])
        if "k_proj" in name:
            w = interleaved(w, c["num_key_value_heads"])
        tensors[renamed(name)] = w.astype(np.float32)
    params = dict(dim=c["hidden_size"], n_layers=c["num_hidden_layers"],
                  n_heads=c["num_attention_heads"],
                  n_kv_heads=c["num_key_value_heads"],
                  norm_eps=c["rms_norm_eps"], vocab_size=c["vocab_size"],
                  rope_theta=c["rope_parameters"]["rope_theta"])
    if who == "meta":  # 48 = the multiple of 8 from 0.57 * int(8 * 32 / 3)
        params.update(multiple_of=8, ffn_dim_multiplier=0.56)
    else:
        params.update(head_dim=c["head_dim"], hidden_dim=c[
            "intermediate_size"], sliding_window=c["sliding_window"])
    os.makedirs(new, exist_ok=True)
    write_json(os.path.join(new, "params.json"), params)
    own_models.write_safetensors(os.path.join(
        new, "consolidated.safetensors"), tensors, False)
