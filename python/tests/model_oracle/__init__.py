"""What a model computes, in float64 throughout, from its files alone.

It uses NumPy and nothing of locant: papers and the source of transformers 5.23
say what each family computes.  transformers' own model.double() is no truth: it
casts norms, softmax and angles to float32.
"""
from .checkpoint import Checkpoint
from .run import hidden, logits

__all__ = ["Checkpoint", "hidden", "logits"]
