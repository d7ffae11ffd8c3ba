"""Write vit_mae.inc: the position table of ViT-MAE, a grid of 3 x 3, width 8.

Ran with torch 2.13.0 (CPU) and transformers 5.23.0:
    python3 tests/golden/vit_mae.py > tests/golden/vit_mae.inc
A model made from a configuration keeps zeros there, so the table is asked for.
"""
from transformers import ViTMAEConfig
from transformers.models.vit_mae.modeling_vit_mae import ViTMAEEmbeddings

table = ViTMAEEmbeddings(ViTMAEConfig(hidden_size=8, image_size=12,
                                      patch_size=4))
table.initialize_weights()
print("/* rows of the patches: by vit_mae.py */")
for row in table.position_embeddings[0, 1:].tolist():
    text = [f"{x:.9g}" for x in row]
    print("{ " + ", ".join(text[:4]) + ",")
    print("  " + ", ".join(text[4:]) + " },")
