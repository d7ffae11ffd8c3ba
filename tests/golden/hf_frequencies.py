"""Write hf_frequencies.inc: inverse frequencies of transformers' RoPE.

Ran with torch 2.13.0 (CPU), transformers 5.23.0, glibc 2.36:
    ATEN_CPU_CAPABILITY=default python3 tests/golden/hf_frequencies.py \\
        > tests/golden/hf_frequencies.inc
The variable takes PyTorch's vectorised pow away, which is another function.
"""
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

ORIGINAL = "original_max_position_embeddings"


def llama3(factor, low, high, original):
    return (f"llama3(factor={factor},low={low},high={high},"
            f"original={original})",
            {"rope_type": "llama3", "factor": factor, "low_freq_factor": low,
             "high_freq_factor": high, ORIGINAL: original})


def yarn(factor, original, more, keys):
    return (f"yarn(factor={factor},original={original}{more})",
            {"rope_type": "yarn", "factor": factor, ORIGINAL: original} | keys)


# scaling, base, channels, length of the call, length that the model knows
CASES = (
    (("none", {"rope_type": "default"}), 1e6, 128, 1, 4096),
    (("linear(factor=3.0)", {"rope_type": "linear", "factor": 3.0}), 1e4, 80,
     1, 4096),
    (llama3(8.0, 1.0, 4.0, 8192), 5e5, 128, 1, 131072),
    (llama3(32.0, 1.0, 4.0, 8192), 5e5, 64, 1, 131072),
    (llama3(16.0, 1.0, 1.5, 8192), 1e6, 96, 1, 131072),
    (llama3(4.0, 2.0, 8.0, 2048), 1e4, 128, 1, 131072),
    (llama3(8.0, 1.0, 4.0, 4096), 1e4, 192, 1, 131072),
    (yarn(40.0, 4096, "", {}), 1e4, 64, 1, 163840),
    (yarn(32.0, 4096, ",truncate=no", {"truncate": False}), 1.5e5, 64, 1,
     131072),
    (yarn(32.0, 4096, ",fast=1", {"beta_fast": 1.0}), 5e4, 64, 1, 131072),
    (("dynamic(factor=2.0,original=4096)",
      {"rope_type": "dynamic", "factor": 2.0}), 1e4, 128, 8192, 4096),
    (("dynamic(factor=8.0,original=8192)",
      {"rope_type": "dynamic", "factor": 8.0}), 1e4, 64, 100003, 8192),
    (("proportional(partial=0.25)",
      {"rope_type": "proportional", "partial_rotary_factor": 0.25}), 1e6, 128,
     1, 4096),
)

print("/* scaling, base, channels, length, bits: by hf_frequencies.py */")
for (spec, keys), base, dim, length, known in CASES:
    model = LlamaRotaryEmbedding(LlamaConfig(
        head_dim=dim, hidden_size=2 * dim, num_attention_heads=2,
        max_position_embeddings=known,
        rope_parameters=keys | {"rope_theta": base}))
    model(torch.zeros(1), torch.tensor([[length - 1]]))
    print(f'{{ "{spec}", {base:.0f}, {dim}, {length}, {{')
    bits = model.inv_freq.view(torch.int32).tolist()
    for at in range(0, len(bits), 6):
        print("  " + " ".join(f"0x{x:08x}," for x in bits[at:at + 6]))
    print("} },")
