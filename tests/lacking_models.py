#!/usr/bin/env python3
"""Take a tensor from each model of tests/models/fixtures, or change a key.

usage: tests/lacking_models.py LOCANT [NAME...]

A model must not run without a tensor that its class has: 'locant model logits'
must exit with 3 and name it.  Of tensors whose names differ by numbers only the
last is taken, and only those that a reader could leave out without a word:
biases, and what is not called weight.  Then single keys: those with a value
that no model has, and those that say that there are no biases, which is the
same to the bit as biases of 0 whether the file has some or not.  Needs no
package of Python.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import run_models
from run_models import FIXTURES

# Tensors without which the logits are the same.
UNREAD = ("mask_token", "final_logits_bias", "logit_bias")
WHOLE = "expected a whole number of 0 to 1099511627776"
WIDTH = "expected a whole number of 1 to 1073741824"
# A fixture, keys of its configuration, and what 'model logits' says.
WRONG = [
    ("llama", {"intermediate_size": -1}, f"intermediate_size is -1, {WIDTH}"),
    ("llama", {"intermediate_size": 0}, f"intermediate_size is 0, {WIDTH}"),
    ("llama", {"intermediate_size": 2**62},
     f"intermediate_size is {2**62}, {WIDTH}"),
    ("llama", {"intermediate_size": "12"},
     f"intermediate_size is the text '12', {WIDTH}"),
    ("llama", {"vocab_size": -1}, f"vocab_size is -1, {WIDTH}"),
    ("llama", {"vocab_size": [12]}, f"vocab_size is an array of 1, {WIDTH}"),
    ("llama", {"hidden_act": 7}, "hidden_act is 7, expected a text"),
    ("llama", {"rms_norm_eps": -1}, "rms_norm_eps is -1, expected 0 or more"),
    ("t5", {"d_model": 0}, f"d_model is 0, {WIDTH}"),
    ("marian", {"encoder_ffn_dim": 13},
     "model.encoder.layers.0.fc1.weight is [12, 8], but the configuration "
     "says [13, 8]"),
    ("transfo_xl", {"d_inner": 13},
     "CoreNet.0.weight is [12, 8], but the configuration says [13, 8]"),
    ("opt_350m", {"word_embed_proj_dim": 7},
     "embed_tokens.weight is [12, 6], but the configuration says [12, 7]"),
    ("bert", {"type_vocab_size": 0},
     "token_type_embeddings.weight is [2, 8], but the configuration says "
     "[0, 8]"),
    ("dinov3", {"num_register_tokens": 1},
     "register_tokens is [1, 2, 8], but the configuration says [1, 1, 8]"),
    ("deepseek_v3", {"q_lora_rank": 7},
     "q_a_proj.weight is [6, 8], but the configuration says [7, 8]"),
    ("deepseek_v3", {"q_lora_rank": -1}, f"q_lora_rank is -1, {WIDTH}"),
    ("deepseek_v3", {"kv_lora_rank": 2**63 - 1},
     f"kv_lora_rank is {2**63 - 1}, {WHOLE}"),
    ("deepseek_v3", {"n_shared_experts": 2},
     "shared_experts.up_proj.weight is [6, 8], but the configuration says "
     "[12, 8]"),
    ("deepseek_v3", {"n_group": 0},
     "n_group is 0, expected a divisor of the number of experts"),
    ("qwen2_moe", {"num_experts_per_tok": 99},
     "num_experts_per_tok is 99, expected 1 to "),
    ("qwen2_moe", {"moe_intermediate_size": 0}, "the width of experts is 0"),
    ("gemma3n", {"activation_sparsity_pattern": [0.8, 0.8]},
     "activation_sparsity_pattern is absent for layer 2, expected a number"),
    ("gemma3n", {"activation_sparsity_pattern": [0.8, 1, 0]},
     "activation_sparsity_pattern is 1 for layer 1, expected a number"),
    ("qwen2_vl_image", {"vision_config": {"patch_size": 0}},
     "patch_size is 0, expected a number of pixels"),
    ("transfo_xl", {"div_val": 0}, "div_val 0 and vocab_size"),
    ("gemma3n", {"altup_num_inputs": 17},
     "altup_num_inputs is 17, expected a whole number of 1 to 16"),
    ("deepseek_v3", {"kv_lora_rank": 0},
     "and kv_lora_rank 0, expected at most"),
    ("qwen2_moe", {"shared_expert_intermediate_size": 11},
     "shared_expert.up_proj.weight is [10, 8], but the configuration says "
     "[11, 8]"),
    ("qwen2_moe", {"decoder_sparse_step": 0},
     f"decoder_sparse_step is 0, {WIDTH}"),
    ("gemma3n", {"laurel_rank": 5},
     "linear_left.weight is [4, 8], but the configuration says [5, 8]"),
    ("gemma3n", {"vocab_size_per_layer_input": 11},
     "embed_tokens_per_layer.weight is [10, 12], but the configuration says "
     "[11, 12]"),
    ("gemma3n", {"hidden_size_per_layer_input": 2**62},
     f"hidden_size_per_layer_input is {2**62}, {WHOLE}"),
    ("llama", {"attention_bias": True},
     "there is no tensor model.layers.0.self_attn.q_proj.bias"),
    ("llama", {"mlp_bias": True},
     "there is no tensor model.layers.0.mlp.up_proj.bias"),
    ("deberta_v3", {"share_att_key": False},
     "there is no tensor deberta.encoder.layer.0.attention.self.pos_key_proj"),
    # transformers 5 reads global_head_dim only where this key is not
    ("gemma4", {"per_layer_config": {}, "global_head_dim": 16},
     "q_proj.weight is [32, 8], but the configuration says [16, 8]"),
]
# A fixture, the key that says that there are no biases, and those biases.
BARE = [
    ("gpt_oss", "attention_bias", r"self_attn\..*bias"),
    ("qwen2_moe", "qkv_bias", r"self_attn\..*bias"),
    ("starcoder2", "use_bias", r"(self_attn|mlp)\..*bias"),
    ("vit", "qkv_bias", r"attention\.(query|key|value)\.bias"),
    ("modernbert", "decoder_bias", r"^decoder\.bias"),
]
# A fixture, and keys that its class does not read, or whose default it has.
IDLE = [
    ("gemma3", {"attn_logit_softcapping": 0.5}),
    ("dinov3", {"query_bias": None, "value_bias": None, "proj_bias": None,
                "mlp_bias": None}),
    ("glm4", {"attention_bias": None}),
    ("gpt_neox", {"attention_bias": None}),
    ("gpt_oss", {"attention_bias": None}),
    ("modernbert", {"decoder_bias": None}),
    ("opt", {"enable_bias": None}),
    ("qwen2_moe", {"qkv_bias": None}),
    ("starcoder2", {"use_bias": None}),
    ("swin", {"qkv_bias": None}),
    ("vit", {"qkv_bias": None}),
]


def read(folder):
    """(header, bytes) of model.safetensors."""
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        data = file.read()
    n = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + n]), bytearray(data[8 + n:])


def write(folder, header, data):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def copy(name, to, **keys):
    """The folder of a fixture with other keys."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(os.path.join(FIXTURES, name), to,
                    copy_function=shutil.copyfile)
    path = os.path.join(to, "config.json")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    config.update(keys)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    return to


def run(locant, name, folder):
    """(exit status, message, bytes of the logits) in float64."""
    out = os.path.join(folder, "out.npy")
    line = run_models.command(locant, os.path.join(FIXTURES, name), "f64", out,
                              folder)
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False,
                          stdout=subprocess.DEVNULL)
    logits = b""
    if os.path.exists(out):
        with open(out, "rb") as file:
            logits = file.read()
        os.remove(out)
    return done.returncode, done.stderr.strip(), logits


def renamed(header, name):
    """The same bytes under another name, so that no other rule is broken."""
    return {k if k != name else "taken." + k: v for k, v in header.items()}


def chosen(header):
    """The last tensor of each kind that could be left out."""
    kinds = {re.sub(r"\d+", "0", name): name for name in header
             if name != "__metadata__" and not name.endswith(UNREAD) and
             (not name.endswith(".weight") or "token_type" in name or
              "v_proj" in name)}
    return list(kinds.values())


def takings(locant, name, work):
    """Sentences about tensors whose absence goes unnoticed; their number."""
    folder = copy(name, os.path.join(work, name))
    if not os.path.exists(os.path.join(folder, "model.safetensors")):
        return [], 0
    header, data = read(folder)
    wrong, names = [], chosen(header)
    for tensor in names:
        write(folder, renamed(header, tensor), data)
        status, said, _ = run(locant, name, folder)
        before, last = tensor.rsplit(".", 1)
        part = before if last == "bias" else last
        if status != 3 or "\n" in said or part not in said:
            wrong.append(f"without {tensor}: exit {status}: {said}")
    return wrong, len(names)


def wrong_keys(locant, work):
    for name, keys, expected in WRONG:
        folder = copy(name, os.path.join(work, "keys"), **keys)
        status, said, _ = run(locant, name, folder)
        if status != 3 or expected not in said or "\n" in said:
            yield f"{name} with {keys}: exit {status}: {said}"


def bare_maps(locant, work):
    for name, key, which in BARE:
        folder = copy(name, os.path.join(work, "zero"))
        bare = copy(name, os.path.join(work, "bare"), **{key: False})
        kept = copy(name, os.path.join(work, "kept"), **{key: False})
        header, data = read(folder)
        biases = [k for k in header if re.search(which, k)]
        other = dict(header)
        for k in biases:
            first, end = header[k]["data_offsets"]
            data[first:end] = bytes(end - first)
            other = renamed(other, k)
        write(folder, header, data)
        write(bare, other, data)
        zeros = run(locant, name, folder)[2]
        for what, where in (("no", bare), ("all", kept)):
            status, said, logits = run(locant, name, where)
            if not biases or status != 0 or logits != zeros:
                yield (f"{name} with {key} false and {what} biases: "
                       f"exit {status}: {said}")


def idle_keys(locant, work):
    for name, keys in IDLE:
        folder = copy(name, os.path.join(work, "idle"), **keys)
        plain = copy(name, os.path.join(work, "plain"))
        status, said, logits = run(locant, name, folder)
        if status != 0 or logits != run(locant, name, plain)[2]:
            yield f"{name} with {keys}: exit {status}: {said}"


def main(locant, names):
    count, failed = 0, []
    with tempfile.TemporaryDirectory() as work:
        for name in names or sorted(os.listdir(FIXTURES)):
            wrong, tried = takings(locant, name, work)
            failed += [f"{name} {line}" for line in wrong]
            count += tried
        for judge in (wrong_keys, bare_maps, idle_keys):
            failed += judge(locant, work)
    for line in failed:
        print("FAIL", line)
    print(f"{'FAIL' if failed or count == 0 else 'ok  '} models that lack one "
          f"of {count} tensors, or have other keys")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
