#!/usr/bin/env python3
"""Judge the table of families of README.md: 'locant model inspect' says the same.

usage: tests/readme_families.py LOCANT README

Each specification of a row must be the one, of what is added to embeddings or of
the layers, that the plan of a published configuration has, in the order of the
row; a row without a configuration here, or the other way round, is a fault.
Prints one line for each fault.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LLAMA = dict(model_type="llama", hidden_size=4096, num_attention_heads=32,
             num_hidden_layers=32)
QWEN = dict(num_hidden_layers=28, max_position_embeddings=32768,
            rope_theta=1000000.0)
NEOX = dict(model_type="gpt_neox", rotary_pct=0.25, rotary_emb_base=10000)
# Position keys of published files; rows by the first word of the family.
FAMILIES = {
    "Transformer (Marian)": [dict(
        model_type="marian", d_model=512, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=8, decoder_attention_heads=8,
        max_position_embeddings=512, scale_embedding=True)],
    "BERT; GPT-2; ViT": [
        dict(model_type="bert", max_position_embeddings=512),
        dict(model_type="gpt2", n_positions=1024),
        dict(model_type="vit", image_size=224, patch_size=16)],
    "Transformer-XL": [dict(
        model_type="transfo-xl", d_model=1024, n_head=16, d_head=64,
        n_layer=18, mem_len=1600, clamp_len=1000)],
    "T5": [dict(model_type="t5", d_model=768, num_heads=12, num_layers=12)],
    "LLaMA 1, 2; 3.1": [
        dict(LLAMA, max_position_embeddings=2048),
        dict(LLAMA, max_position_embeddings=131072, rope_theta=500000.0,
             num_key_value_heads=8, rope_scaling=dict(
                 rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                 high_freq_factor=4.0,
                 original_max_position_embeddings=8192))],
    "Qwen 2.5; 3": [
        dict(QWEN, model_type="qwen2", hidden_size=3584,
             num_attention_heads=28, num_key_value_heads=4,
             use_sliding_window=False, rope_scaling=dict(
                 type="yarn", factor=4.0,
                 original_max_position_embeddings=32768)),
        dict(QWEN, model_type="qwen3", hidden_size=4096, head_dim=128,
             num_attention_heads=32, num_key_value_heads=8)],
    "Gemma 3": [dict(
        model_type="gemma3_text", hidden_size=2560, num_attention_heads=8,
        num_key_value_heads=4, head_dim=256, num_hidden_layers=34,
        sliding_window=1024, max_position_embeddings=131072,
        rope_theta=1000000.0, rope_local_base_freq=10000.0,
        sliding_window_pattern=6,
        rope_scaling=dict(rope_type="linear", factor=8.0))],
    "PaLM": [dict(model_type="palm", hidden_size=4096, head_dim=256,
                  num_attention_heads=16, num_hidden_layers=32)],
    "BLOOM; MPT": [
        dict(model_type="bloom", hidden_size=14336, n_head=112, n_layer=70),
        dict(model_type="mpt", d_model=4096, n_heads=32, n_layers=32,
             max_seq_len=2048, attn_config=dict(alibi=True))],
    "GPT-NeoX 20B; Pythia 410M": [
        dict(NEOX, hidden_size=6144, num_attention_heads=64,
             num_hidden_layers=44),
        dict(NEOX, hidden_size=1024, num_attention_heads=16,
             num_hidden_layers=24)],
}


def specs(locant, config, path):
    """What the plan says, each once: of inputs, then of layers."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    done = subprocess.run([locant, "model", "inspect", path, "--json"],
                          stdout=subprocess.PIPE, check=True)
    found = []
    for tower in json.loads(done.stdout)["towers"]:
        for spec in (tower["input"], tower["spec"]):
            if spec != "none" and spec not in found:
                found.append(spec)
    return found


def table(readme):
    """{family: specifications} of the rows."""
    with open(readme, encoding="utf-8") as file:
        rows = file.read().split("| family | positions |\n|---|---|\n")[1]
    return {name: re.findall(r"`([^`]+)`", text) for name, text in
            re.findall(r"^\| ([^|]+) \| (.+) \|$", rows.split("\n\n")[0],
                       re.MULTILINE)}


def main(locant, readme):
    rows, faults = table(readme), 0
    for name in rows.keys() ^ FAMILIES.keys():
        print(f"{name}: is not in both")
        faults += 1
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "config.json")
        for name in rows.keys() & FAMILIES.keys():
            found = [spec for config in FAMILIES[name]
                     for spec in specs(locant, config, path)]
            if found != rows[name]:
                print(f"{name}: {rows[name]}, expected {found}")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
