"""Write mrope_seconds.inc: ids of the frames of a video in Qwen2.5-VL.

Ran with torch 2.13.0 (CPU) and transformers 5.23.0:
    python3 tests/golden/mrope_seconds.py > tests/golden/mrope_seconds.inc
"""
import torch
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

CASES = ((2, 1.4), (2, 0.5), (2, 1 / 3), (4, 0.7), (25, 0.04), (25, 0.5),
         (30, 0.7), (100, 0.29), (2, 1.0), (0, 3.5))
FRAMES = 24

print("/* tokens a second, seconds, t of each frame: by mrope_seconds.py */")
for tokens, seconds in CASES:
    ids = Qwen2_5_VLModel.get_vision_position_ids(
        None, 0, torch.tensor([FRAMES, 1, 1]),
        time_interval=tokens * torch.tensor(seconds))
    print(f"{{ {tokens}, {seconds!r}, {{")
    for at in range(0, FRAMES, 12):
        print("  " + " ".join(f"{t}," for t in ids[0, at:at + 12].tolist()))
    print("} },")
