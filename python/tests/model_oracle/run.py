"""The oracle of a family, found by its model_type."""
from . import (classic, encoders, gemma_late, qwen1, seq2seq, swin,
               transformer_xl, vision)
from .decoder import Decoder
from .decoder_families import FAMILIES as DECODERS
from .decoder_families import family_of
from .sight import Seeing

PARTS = (classic, encoders, gemma_late, qwen1, seq2seq, swin, transformer_xl,
         vision)


def model_of(m, given):
    if m.kind in DECODERS and "pixels" in given:
        return Seeing(m, family_of(m), given)
    if m.kind in DECODERS:
        return Decoder(m, family_of(m), given["ids"], given.get("mask"),
                       given.get("positions"))
    for part in PARTS:
        if m.kind in part.MODELS:
            return part.MODELS[m.kind](m, given)
    raise KeyError(f"no oracle of {m.kind}")


def logits(m, given):
    """[B, T, V], or [B, C] of classes, of a checkpoint and its inputs: ids,
    mask, types, decoder_ids, pixels, positions."""
    return model_of(m, given).logits()


def hidden(m, given):
    """[B, T, D] after the final norm."""
    return model_of(m, given).hidden()
