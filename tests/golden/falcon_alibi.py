"""Write falcon_alibi.inc: the ALiBi of Falcon as transformers builds it.

Ran with torch 2.13.0 (CPU) and transformers 5.23.0:
    python3 tests/golden/falcon_alibi.py > tests/golden/falcon_alibi.inc
"""
import torch
from transformers.models.falcon.modeling_falcon import build_alibi_tensor

HEADS = (1, 3, 16, 32, 71)
KEYS = (0, 1, 3, 15, 100, 257, 511, 2047, 4097)

print("/* heads, head, key, bias before the scale: by falcon_alibi.py */")
for heads in HEADS:
    mask = torch.ones(1, KEYS[-1] + 1, dtype=torch.long)
    bias = build_alibi_tensor(mask, heads, torch.float32)
    for head in range(0, heads, 1 if heads < 16 else 9):
        for key in KEYS:
            value = bias[head, 0, key].item()
            print(f"{{ {heads}, {head}, {key}, {value.hex()} }},")
