"""Other encodings in a tiny Llama of transformers.

usage: swap_encoding.py [STEPS]      200 if left out

The same random weights are given one encoding after the other and trained to
predict the token three positions back.  The columns are the losses before and
after on sequences of the trained length, and on sequences four times as long;
guessing gives ln 16 = 2.77 nats.
"""
import sys

import locant
import torch
import transformers
from locant import hf

LENGTH, BACK, TOKENS = 32, 3, 16
ENCODINGS = ("none", "rope", "alibi", "t5", "rope+t5")


def tiny():
    """A Llama of two layers, always the same."""
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=TOKENS, hidden_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, intermediate_size=128,
        max_position_embeddings=LENGTH, pad_token_id=None, bos_token_id=None,
        eos_token_id=None))


def loss(model, length, seed):
    """Of the token three places back, for random tokens."""
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(TOKENS, (16, length), generator=g)
    said = model(ids).logits[:, BACK:]
    return torch.nn.functional.cross_entropy(
        said.reshape(-1, TOKENS), ids[:, :-BACK].reshape(-1))


def trained(spec, steps):
    """Losses before, after, and of longer sequences."""
    model = tiny()
    encodings = hf.swap(model, spec)
    with torch.no_grad():
        before = loss(model, LENGTH, 0).item()
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    for step in range(steps):
        optimiser.zero_grad()
        loss(model, LENGTH, step + 1).backward()
        optimiser.step()
        encodings.project()
    with torch.no_grad():
        after, longer = (loss(model, n, 0).item()
                         for n in (LENGTH, 4 * LENGTH))
    return before, after, longer, sum(x.numel() for x in
                                      encodings.parameters())


def main(steps=200, encodings=ENCODINGS):
    torch.set_num_threads(1)  # so little work is done sooner by one
    locant.set_threads(1)
    print("                        loss in nats")
    print(f"encoding    learned   before    after  at {4 * LENGTH} tokens")
    found = {}
    for spec in encodings:
        found[spec] = before, after, longer, learned = trained(spec, steps)
        print(f"{spec:10s}  {learned:7d}  {before:7.3f}  {after:7.3f}  "
              f"{longer:7.3f}")
    return found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
